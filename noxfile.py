#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""The suite on other Pythons, with the oldest libraries, and what is built: archive and wheel."""

import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "venv"
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}
SUITE = ("pytest", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder", "-q")


def install(session, *more):
    session.install("pip>=25.1")
    session.install("--no-compile", "--group", "test", *more)


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def tests(session):
    install(session, "--editable", ".[all]")
    session.run("python", "-m", *SUITE, *session.posargs, env=ENVIRONMENT)


@nox.session(python="3.11")
def lowest(session):
    """The oldest supported version of every dependency (tests/lowest.txt)."""
    install(session, "--editable", ".[all]", "--constraint", "tests/lowest.txt")
    session.run("python", "-m", *SUITE, *session.posargs, env=ENVIRONMENT)


# Rooms whose tests need no engine, no browser and no program, for a quick look at another Python.
CORE = ("uncertain", "laws", "decomposition", "sensitivity", "posterior")
TOOLS = ("hypothesis", "mpmath", "pytest", "pytest-xdist>=3.7")


@nox.session(python=["3.12", "3.13"], default=False)
def core(session):
    """The core rooms on the newest Pythons, from the source archive."""
    run_core(session)


@nox.session(python="3.11", default=False)
def core_lowest(session):
    """The same with the oldest supported libraries."""
    run_core(session, "--constraint", str(Path("tests/lowest.txt").resolve()))


def run_core(session, *constraints):
    (archive,) = Path("dist").glob("*.tar.gz")
    folder = Path(session.create_tmp())
    shutil.unpack_archive(archive, folder, filter="data")
    session.chdir(folder / archive.name.removesuffix(".tar.gz"))
    session.install("--no-compile", "--editable", ".[plot,frames]", *TOOLS, *constraints)
    # A library that only other extras bring is not here: its tests are skipped, and may be.
    environment = {**ENVIRONMENT, "CI": ""}
    rooms = [f"tests/{room}" for room in CORE]
    session.run("python", "-m", *SUITE, "-m", "not slow", *rooms, env=environment)


@nox.session(default=False)
def wheel(session):
    """The wheel in an empty environment: import, fit, draw, write the page."""
    (built,) = Path("dist").glob("*.whl")
    session.install("--no-compile", f"{built}[plot]")
    script = (
        "import matplotlib; matplotlib.use('agg')\n"
        "import uapca\n"
        "X = uapca.datasets.load_students()\n"
        "pca = uapca.UAPCA(2).fit(X)\n"
        "uapca.plot.projection(pca, X).figure.savefig('projection.png')\n"
        "uapca.explore(pca, X).to_html('page.html')\n"
    )
    folder = session.create_tmp()
    session.chdir(folder)
    session.run("python", "-W", "error", "-c", script)
    assert Path("projection.png").stat().st_size > 10_000
    assert Path("page.html").stat().st_size > 100_000


if __name__ == "__main__":
    nox.main()
