"""The program as a process: what it loads, pipes, signals, terminals."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest

from robustness.forks import Forks

COMMAND = [sys.executable, "-m", "uapca"]


@pytest.fixture(scope="module")
def forks():
    """A process that runs commands in forks of itself."""
    made = Forks()
    yield made
    made.close()


def process(*arguments, **options):
    # Given as it is seen here: readline, where pytest loads it, adds COLUMNS for processes alone.
    options.setdefault("env", dict(os.environ))
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=300, **options
    )


def test_the_package_itself_is_the_program():
    done = subprocess.run(
        [sys.executable, "-m", "uapca", "fit", "studnets"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == process("fit", "studnets").stderr


def loaded(*arguments):
    """The top-level modules that a run of the program leaves loaded."""
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: sys.stderr.write('\\n' + ' '.join(sys.modules)))\n"
        f"sys.argv = ['uapca', *{list(arguments)!r}]\n"
        "from uapca.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in done.stderr.splitlines()[-1].split()}


def test_help_loads_nothing_heavy():
    heavy = {"numpy", "scipy", "sklearn", "matplotlib", "pandas", "pyarrow"}
    assert not loaded("--help") & heavy
    assert not loaded("fit", "--help") & heavy
    assert not loaded("datasets") & heavy


def test_a_fit_loads_no_pictures_and_no_frames():
    found = loaded("fit", "students")
    assert "numpy" in found
    assert not found & {"matplotlib", "polars"}


def test_without_click_it_says_what_to_install(tmp_path):
    (tmp_path / "click.py").write_text("raise ModuleNotFoundError('No module', name='click')\n")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    done = process("fit", "students", env=environment)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "uapca: error: the command line needs click, which is not installed. Install it with "
        'pip install "uapca[cli]".\n'
    )


def test_pipes_get_plain_text(forks):
    done = forks.run("datasets", env={**os.environ, "FORCE_COLOR": "1"})
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr


def test_a_terminal_without_unicode_gets_escapes():
    done = process("datasets", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "(6 \\xd7 4)" in done.stdout


@pytest.fixture
def slow(tmp_path):
    """A package directory in front of ours that makes writing slow enough to be interrupted."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, time\n"
        "real = os.fsync\n"
        "def fsync(handle):\n"
        "    real(handle)\n"
        "    open(os.environ['UAPCA_READY'], 'w').close()\n"
        "    time.sleep(300)\n"
        "os.fsync = fsync\n"
    )
    path = f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    return {**os.environ, "PYTHONPATH": path, "UAPCA_READY": str(tmp_path / "ready")}


@pytest.mark.parametrize(
    ("number", "code", "existing"),
    [(signal.SIGINT, 130, False), (signal.SIGTERM, 143, True)],
)
def test_interrupted_while_writing(tmp_path, slow, number, code, existing):
    out = tmp_path / "out"
    out.mkdir()
    target = out / "y.csv"
    if existing:
        target.write_text("mine")
    running = subprocess.Popen(
        [*COMMAND, "project", "students", "-o", str(target), "--force"],
        env=slow,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 300
    while not (tmp_path / "ready").exists() and time.monotonic() < deadline:
        assert running.poll() is None, running.communicate()
        time.sleep(0.02)
    assert [p.name for p in out.glob(".*.part")]  # half-way: the file beside is there
    running.send_signal(number)
    _, errors = running.communicate(timeout=300)
    assert running.returncode == code
    assert "Traceback" not in errors
    assert sorted(p.name for p in out.iterdir()) == (["y.csv"] if existing else [])
    if existing:
        assert target.read_text() == "mine"


@pytest.fixture
def in_terminal(forks):
    """What a terminal so wide receives."""

    def run(*arguments, columns=80, **environment):
        parent, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        settings = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}
        settings |= {"TERM": "xterm-256color", **environment}
        forks.start(*arguments, stdin=child, stdout=child, stderr=child, env=settings)
        os.close(child)
        received = b""
        while True:
            try:
                part = os.read(parent, 65536)
            except OSError:
                break
            if not part:
                break
            received += part
        os.close(parent)
        assert forks.wait() == 0
        return received.decode()

    return run


def test_a_terminal_gets_colors_unless_it_does_not_want_them(in_terminal):
    assert "\x1b[1m" in in_terminal("fit", "teaser")
    assert "\x1b" not in in_terminal("fit", "teaser", NO_COLOR="1")
    assert "\x1b" not in in_terminal("fit", "teaser", TERM="dumb")


def test_a_narrow_terminal_gets_narrow_tables(in_terminal):
    text = re.sub(r"\x1b\[[0-9;]*m", "", in_terminal("fit", "students", "-q", columns=30))
    assert max(map(len, text.splitlines())) <= 30
    assert "(continued)" in text
    assert text.count("48.6 ± 7.5") == 1
    for value in ("0.680 ± 0.086", "0.77 ± 0.41"):
        assert value in text


EVIL = (
    'name,"[red]x[/red]",[red]x[/red]_err,"\x1b]0;title\x07y\x9b31m"\n'
    '[bold]a,1,0.1,2\n"\x1b[2Jb",2,0.2,3\nc,3,.1,9\n'
)


@pytest.mark.parametrize("command", ["fit", "project"])
def test_labels_do_not_steer_a_terminal(in_terminal, tmp_path, command):
    path = tmp_path / "evil.csv"
    path.write_text(EVIL, encoding="utf-8")
    text = in_terminal(command, path, columns=120)
    rest = re.sub(r"\x1b\[[0-9;]*m", "", text)  # the program's own colors
    assert not set(rest) & {"\x1b", "\x07", "\x9b"}
    if command == "project":
        assert "[bold]a" in rest
        assert "␛[2Jb" in rest
    else:
        assert "[red]x[/red]" in rest
        assert "␛]0;title␇y\\x9b31m" in rest


def test_a_progress_bar_is_for_terminals_only(forks, in_terminal, tmp_path):
    text = in_terminal("figures", "-o", tmp_path / "a", "closed-projection")
    assert re.search(r"figures .* closed-projection", text)
    done = forks.run("figures", "-o", tmp_path / "b", "closed-projection")
    assert done.stderr == f"wrote 1 figure and captions.md to '{tmp_path / 'b'}'\n"


def test_completion_in_a_process():
    environment = {**os.environ, "_UAPCA_COMPLETE": "bash_complete", "COMP_CWORD": "3"}
    done = process(env=environment | {"COMP_WORDS": "uapca plot students sc"})
    assert done.stdout == "plain,scree\n"
    assert done.returncode == 0
