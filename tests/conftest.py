"""Settings and data for all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "uapca", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("uapca")

# A shell that runs the tests in the background has interrupts ignored, for the processes that tests
# start and interrupt too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ANURAN = Path(__file__).resolve().parents[2] / "shared" / "data" / "anuran_calls.csv"

# What continuous integration may do without: a data set that is not ours to ship, and peers.
MAY_BE_MISSING = ("anuran_calls.csv", "uadapy", "vipurpca")


def pytest_sessionfinish(session):
    """In continuous integration a test that is skipped for a missing library is a failure."""
    if not os.environ.get("CI"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:  # a worker; the one that collects the results looks at them
        return
    reasons = [str(report.longrepr) for report in reporter.stats.get("skipped", [])]
    if any(not any(name in reason for name in MAY_BE_MISSING) for reason in reasons):
        reporter.write_line("skipped tests are failures here: install what they miss", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture
def rng():
    return np.random.default_rng(20190811)


@pytest.fixture(scope="session")
def anuran_file():
    """Where the Anuran calls are; without the file, tests that need it are skipped."""
    folder = os.environ.get("UAPCA_DATA")
    path = Path(folder) / "anuran_calls.csv" if folder else ANURAN
    if not path.exists():
        pytest.skip("anuran_calls.csv is not here: set UAPCA_DATA to its folder")
    return path


@pytest.fixture
def anuran_found(anuran_file, monkeypatch):
    """``uapca.datasets.fetch_anuran`` finds the file."""
    monkeypatch.setenv("UAPCA_DATA", str(anuran_file.parent))


@pytest.fixture(scope="session")
def anuran(anuran_file):
    """The Anuran calls, 7195 × 22, and their labels by level; needs the file."""
    path = anuran_file
    text = np.genfromtxt(path, delimiter=",", dtype=str, skip_header=1, encoding="utf-8")
    head = path.read_text(encoding="utf-8").splitlines()[0].split(",")
    levels = {level: text[:, head.index(level)] for level in ("Family", "Genus", "Species")}
    values = [j for j, name in enumerate(head) if name.strip().startswith("MFCC")]
    return text[:, values].astype(float), levels
