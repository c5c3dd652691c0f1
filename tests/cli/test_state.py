"""One run of the program leaves nothing behind for the next in the same process."""

import io
import os
import signal
import sys
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

import uapca
from uapca.cli.app import app

RUNS = {
    "quiet": ["fit", "stars.csv", "-q"],
    "with tracebacks": ["--debug", "fit", "stars.csv"],
    "an unknown option": ["--debug", "-q", "fit"],
    "an unknown option of a command": ["fit", "stars.csv", "-q", "--debug", "--bogus"],
    "no such data": ["fit", "nothing", "-q", "--debug"],
    "a picture": ["plot", "stars.csv", "projection", "-o", "p.svg", "--force", "--width", "8cm"],
    "a picture that fails": ["plot", "stars.csv", "biplot", "-o", "p.svg", "--pair", "1,9"],
    "a picture of the paper": ["figures", "-o", "paper", "closed-projection", "--force"],
    "a table": ["project", "stars.csv", "-q"],
    "help": ["fit", "--help"],
}


def process():
    """What a run could leave changed in its process."""
    return {
        "filters of warnings": [*warnings.filters],
        "warnings": warnings.showwarning,
        "errors of objects that go": sys.unraisablehook,
        "signals": [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)],
        "arguments": [*sys.argv],
        "folder": os.getcwd(),
        "NumPy": np.geterr(),
        "backend": mpl.get_backend(),
        "settings of matplotlib": {**mpl.rcParams},
        "figures": plt.get_fignums(),
    }


@pytest.fixture
def backend():
    """A backend that a user of this process has chosen, other than the one that draws files."""
    before = mpl.get_backend()
    mpl.use("svg")
    yield
    mpl.use(before)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_leaves_nothing_to_the_next(run, folder, backend, name):
    usual = run("fit", "stars.csv")
    assert usual.exit_code == 0
    assert "ra ± ra_error" in usual.stderr
    before = process()
    run(*RUNS[name])
    assert process() == before
    after = run("fit", "stars.csv")
    assert (after.exit_code, after.stdout, after.stderr) == (0, usual.stdout, usual.stderr)
    failed = run("fit", "nothing")
    assert failed.stderr.count("\n") == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, SystemExit(143), KeyError("x")])
@pytest.mark.parametrize("command", ["fit", "plot"])
def test_a_run_that_ends_half_way_leaves_nothing(run, folder, backend, monkeypatch, error, command):
    arguments = {"fit": ["fit", "stars.csv", "-q"]}
    arguments["plot"] = ["plot", "stars.csv", "projection", "-o", "p.svg", "-q"]

    def stop(*_, **__):
        plt.figure()
        raise error

    usual, before = run("fit", "stars.csv"), process()
    with monkeypatch.context() as patched:
        patched.setattr(uapca.plot, "projection", stop)
        patched.setattr(uapca.UAPCA, "summary", stop)
        if command == "fit":
            patched.setattr(plt, "figure", lambda: None)
        assert run(*arguments[command]).exit_code in (2, 130, 143)
    assert process() == before
    assert not list(folder.glob("*p.svg*"))
    after = run("fit", "stars.csv")
    assert (after.stdout, after.stderr) == (usual.stdout, usual.stderr)


def test_a_warning_is_said_in_every_run(run, monkeypatch):
    fit = uapca.UAPCA.fit

    def warned(*arguments):
        warnings.warn("rows are few", UserWarning, stacklevel=2)
        return fit(*arguments)

    monkeypatch.setattr(uapca.UAPCA, "fit", warned)
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # as in a program: once for each place in the code
        for _ in range(2):
            assert "note: rows are few" in run("compare", "teaser", "teaser").stderr


def test_an_output_that_is_closed_stays_where_it_leads(monkeypatch):
    """What could not be written is dropped; the descriptor is not led elsewhere for good."""
    reading, writing = os.pipe()
    os.close(reading)
    file = os.fstat(writing)
    output = io.TextIOWrapper(os.fdopen(writing, "wb"), "ascii", errors="strict")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", output)
        with pytest.raises(SystemExit) as ended:
            app.main(["project", "students", "-q"])
    assert ended.value.code == 1
    assert os.path.samestat(os.fstat(writing), file)
    assert output.errors == "strict"
    output.close()
