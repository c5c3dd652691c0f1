"""Files are looked at first, and written whole."""

import os
import stat

import pytest

COMMANDS = [
    (["fit", "students"], ".json"),
    (["project", "students"], ".csv"),
    (["traces", "students"], ".csv"),
    (["aggregate", "flowers.csv", "--by", "species"], ".uapca"),
]


def forbid_reading(monkeypatch):
    def never(*_):
        raise AssertionError("the data was read before the output was looked at")

    monkeypatch.setattr("uapca.cli.data.Data.observed", property(never))


@pytest.mark.parametrize(("arguments", "suffix"), COMMANDS)
def test_an_existing_file_is_kept(run, fails, folder, monkeypatch, arguments, suffix):
    path = folder / f"out{suffix}"
    path.write_text("mine")
    with monkeypatch.context() as patched:
        forbid_reading(patched)
        message = fails(*arguments, "-o", f"out{suffix}")
    assert message == f"'out{suffix}' exists already. Add --force to replace it."
    assert path.read_text() == "mine"
    assert run(*arguments, "-o", f"out{suffix}", "--force").exit_code == 0
    assert path.read_bytes() != b"mine"
    assert not list(folder.glob(".*part"))


@pytest.mark.parametrize(("arguments", "suffix"), COMMANDS)
def test_a_folder_that_is_not_there(fails, folder, monkeypatch, arguments, suffix):
    forbid_reading(monkeypatch)
    message = fails(*arguments, "-o", f"none/out{suffix}")
    assert message == f"there is no folder '{folder.resolve() / 'none'}'. Create it first."


@pytest.mark.parametrize(("arguments", "suffix"), COMMANDS)
def test_a_folder_that_cannot_be_written(fails, folder, monkeypatch, arguments, suffix):
    forbid_reading(monkeypatch)
    closed = folder / "closed"
    closed.mkdir()
    closed.chmod(stat.S_IRUSR | stat.S_IXUSR)
    target = closed
    if os.access(closed, os.W_OK):  # permissions do not bind this user; the kernel's files do
        target = "/proc"
    message = fails(*arguments, "-o", f"{target}/out{suffix}")
    assert message.startswith(f"the folder '{target}' cannot be written to (")
    assert message.endswith("). Choose another one with -o.")


def test_an_ending_that_says_nothing(fails, folder):
    assert fails("fit", "students", "-o", "m.txt") == (
        "-o 'm.txt' ends in '.txt'. The ending says what is written: .json."
    )
    assert fails("project", "students", "-o", "m") == (
        "-o 'm' has no ending. The ending says what is written: .csv, .tsv, .parquet, .feather, "
        ".xlsx or .uapca."
    )
    (folder / "d.csv").mkdir()
    assert fails("project", "students", "-o", "d.csv") == (
        "-o 'd.csv' is a folder. Add a file name to it."
    )


def test_a_failing_write_leaves_nothing(run, folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "y.csv")

    monkeypatch.setattr("os.fsync", full)
    (folder / "y.csv").write_text("mine")
    result = run("project", "students", "-o", "y.csv", "--force", "-q")
    assert result.exit_code == 2
    assert result.stderr == "uapca: error: No space left on device: 'y.csv'\n"
    assert (folder / "y.csv").read_text() == "mine"
    assert not list(folder.glob(".*part"))


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="only where the kernel has this folder")
def test_a_folder_of_the_kernel(fails):
    assert fails("plot", "students", "biplot", "-o", "/proc/a.png") == (
        "the folder '/proc' cannot be written to (no file can be made there). "
        "Choose another one with -o."
    )
