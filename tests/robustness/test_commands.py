"""Commands under bad conditions: signals, full disks, odd targets, many writers, closed pipes."""

import fcntl
import json
import os
import random
import re
import resource
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

import uapca
from robustness.cases import count
from robustness.forks import Forks

PROGRAM = [sys.executable, "-m", "uapca"]
# Says when the program starts, so that signals hit the program and not the start of Python.
ANNOUNCED = [sys.executable, "-c", "import os, uapca.cli as c; os.write(1, b'!'); c.main()"]
POINTS = "k,x,y\n" + "".join(f"{'abc'[i % 3]},{i * 7 % 11},{i * 5 % 13}\n" for i in range(60))
WRITERS = {
    "m.json": ["fit", "students"],
    "y.csv": ["project", "students"],
    "y.xlsx": ["project", "students"],
    "t.parquet": ["traces", "students"],
    "g.uapca": ["aggregate", "points.csv", "--by", "k"],
    "r.tsv": ["read", "students"],
    "p.png": ["plot", "teaser", "distributions"],
    "e.html": ["explore", "students"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "points.csv").write_text(POINTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def forks():
    """A process that runs commands in forks of itself."""
    made = Forks()
    yield made
    made.close()


def run(*arguments, **options):
    options = {"capture_output": True, "text": True, "timeout": 300} | options
    return subprocess.run([*PROGRAM, *map(str, arguments)], check=False, **options)


def check_complete(path):
    """Raise unless a file is whole."""
    content = path.read_bytes()
    if path.suffix == ".json":
        json.loads(content)
    elif path.suffix == ".png":
        assert content.endswith(b"IEND\xaeB\x60\x82")
    elif path.suffix == ".html":
        assert content.rstrip().endswith(b"</html>")
    elif path.suffix == ".uapca":
        uapca.load(path)
    elif path.suffix == ".parquet":
        assert content.endswith(b"PAR1")
    else:
        uapca.read(path)


def leftovers(folder):
    return [path.name for path in folder.iterdir() if path.name.endswith(".part")]


# Signals


@pytest.fixture(scope="module")
def longest(tmp_path_factory):
    """The seconds that the slowest of the commands takes on this machine, that of a picture."""
    path = tmp_path_factory.mktemp("picture") / "p.png"
    start = time.monotonic()
    assert run(*WRITERS["p.png"], "-o", path, "-q").returncode == 0
    return time.monotonic() - start


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_a_signal_at_any_moment_leaves_the_old_file_or_a_whole_new_one(folder, longest, name):
    rng = random.Random([*WRITERS].index(name))
    command = [*WRITERS[name], "-o", name, "--force", "-q"]
    target = folder / name
    target.write_bytes(b"mine")
    number = rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
    pipe = subprocess.PIPE
    with subprocess.Popen([*ANNOUNCED, *command], stdout=pipe, stderr=pipe) as running:
        running.stdout.read(1)
        time.sleep(rng.uniform(0.0, 1.1) * longest)
        running.send_signal(number)
        _, errors = running.communicate(timeout=300)
    assert running.returncode in (0, -number, 128 + number), errors
    assert b"Traceback" not in errors
    if target.read_bytes() != b"mine":
        check_complete(target)
    if number != signal.SIGKILL:
        assert not leftovers(folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_many_signals(forks, folder, name, tried):
    target, command = folder / name, [*WRITERS[name], "-o", name, "--force", "-q"]
    rng = random.Random(name)
    durations = []
    cases = max(count("signals") // len(WRITERS), 2)
    tried("signals", cases)
    for case in range(2 + cases):
        target.write_bytes(b"mine")
        number = rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
        with open(os.devnull, "r+") as nothing, open("errors", "w+") as said:
            start = time.monotonic()
            streams = {"stdin": nothing.fileno(), "stdout": nothing.fileno()}
            process = forks.start(*command, **streams, stderr=said.fileno())
            if case >= 2:  # the first ones show how long it takes
                time.sleep(rng.uniform(0.0, 1.1) * min(durations))
                # A process that has ended is still there until its end was asked for, which may be.
                with suppress(ProcessLookupError):
                    os.kill(process, number)
            code = forks.wait()
            durations.append(time.monotonic() - start if case < 2 else durations[-1])
            said.seek(0)
            errors = said.read()
        assert code in ((0,) if case < 2 else (0, -number, 128 + number)), (case, code, errors)
        assert "Traceback" not in errors, (case, number, errors)
        if case < 2 or target.read_bytes() != b"mine":
            check_complete(target)
        if number != signal.SIGKILL:
            # The last command that was tried here may have been killed, and left something.
            own = [part for part in leftovers(folder) if part.startswith(f".{name}.")]
            assert not own, (case, number)


def test_the_next_run_removes_what_a_killed_one_left(forks, folder):
    (folder / "sitecustomize.py").write_text(
        "import os, time\n"
        "real = os.fsync\n"
        "def fsync(handle):\n"
        "    real(handle)\n"
        "    print('!', flush=True)\n"
        "    time.sleep(300)\n"
        "os.fsync = fsync\n"
    )
    path = f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    command = ["project", "students", "-o", "y.csv", "-q"]
    with subprocess.Popen(
        [*PROGRAM, *command], env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE
    ) as running:
        running.stdout.read(1)
        running.kill()
    assert len(leftovers(folder)) == 1
    assert not (folder / "y.csv").exists()
    assert forks.run(*command).returncode == 0
    assert not leftovers(folder)
    check_complete(folder / "y.csv")


def test_three_writers_at_once(forks, folder):
    command = [*PROGRAM, "project", "students", "-o", "y.csv", "--force", "-q"]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]
    for process in running:
        _, errors = process.communicate(timeout=300)
        assert (process.returncode, errors) == (0, b"")
    assert (folder / "y.csv").read_text() == forks.run("project", "students").stdout
    assert not leftovers(folder)


# Disks


@pytest.mark.slow
@pytest.mark.parametrize("name", ["m.json", "y.xlsx", "g.uapca", "p.png"])
def test_a_full_disk_names_the_file_and_keeps_the_old_one(folder, name):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

    target = folder / name
    target.write_bytes(b"mine")
    # The limit holds for compiled files and measured coverage, too: neither is written.
    environment = {name: value for name, value in os.environ.items() if "COV" not in name}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    done = run(*WRITERS[name], "-o", name, "--force", "-q", preexec_fn=limited, env=environment)
    assert done.returncode == 2
    # matplotlib, too, may complain that it cannot keep its list of fonts.
    said = done.stderr.splitlines()[-1]
    assert said.startswith("uapca: error: File too large: '")
    assert said.endswith(f"{name}'")
    assert target.read_bytes() == b"mine"
    assert not leftovers(folder)


@pytest.fixture
def mounted(folder):
    """Runs a script in which ``disk`` is a file system of its own, with the given options."""
    program = " ".join(PROGRAM)

    def mounted_run(options, script):
        script = f"mount -t tmpfs -o {options} none disk && {{ {script}; }}"
        done = subprocess.run(
            ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, "PROGRAM": program},
        )
        if "unshare:" in done.stderr or "mount:" in done.stderr:
            pytest.skip(f"no file system can be mounted here: {done.stderr.splitlines()[0]}")
        return done

    (folder / "disk").mkdir()
    return mounted_run


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_of_a_few_bytes(mounted, name):
    command = f"$PROGRAM {' '.join(WRITERS[name])} -o disk/{name} --force -q"
    script = f"printf mine > disk/{name}; {command} >&2; echo $?; cat disk/{name}; ls -A disk"
    # One page for the old file, none for the new one.
    done = mounted("size=4k", script)
    assert done.stdout == f"2\nmine{name}\n"
    said = done.stderr.splitlines()[-1]
    assert said.startswith("uapca: error: No space left on device: '")
    assert said.endswith(f"disk/{name}'")


@pytest.mark.parametrize("name", ["m.json", "p.png"])
def test_a_folder_that_is_read_only(mounted, name):
    command = f"$PROGRAM {' '.join(WRITERS[name])} -o disk/{name} -q"
    done = mounted("ro", f"{command} >&2; echo $?; ls -A disk")
    assert done.stdout == "2\n"
    assert re.fullmatch(
        r"uapca: error: the folder '.*/disk' cannot be written to \(Read-only file system\)\. .*\n",
        done.stderr,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["y.xlsx", "t.parquet", "p.png", "e.html"])
def test_nothing_is_needed_in_the_temporary_folder(mounted, folder, name):
    command = f"TMPDIR=$PWD/disk $PROGRAM {' '.join(WRITERS[name])} -o {name} -q"
    done = mounted("size=4k,nr_inodes=1", f"{command} >&2; echo $?")
    assert (done.stdout, done.stderr) == ("0\n", "")
    check_complete(folder / name)


# With that many bytes more than the program and the libraries take: OpenBLAS, which they load,
# tries for ever to get memory when there is none.
SHORT_OF_MEMORY = """
import resource, sys
import scipy.linalg, sklearn.decomposition, pandas, uapca.cli.app
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
limit = used + int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
uapca.cli.main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [4, 30, 120, 600])
def test_little_memory(folder, megabytes):
    """The program works or says in a line that it cannot, and keeps the old file."""
    (folder / "y.csv").write_bytes(b"mine")
    (folder / "large.csv").write_text("x,y\n" + "1.25,2.5\n3.75,1.5\n" * 300_000)
    command = [sys.executable, "-c", SHORT_OF_MEMORY, str(megabytes << 20)]
    command += ["project", "large.csv", "-o", "y.csv", "--force", "-q"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
        assert done.stderr.startswith("uapca: error: ")
        assert (folder / "y.csv").read_bytes() == b"mine"
    else:
        assert len((folder / "y.csv").read_text().splitlines()) == 600_001
    assert not leftovers(folder)


def test_a_full_disk_behind_standard_output(forks, folder):
    with open("/dev/full", "wb") as full:
        done = forks.run("project", "students", "-q", stdout=full.fileno())
    assert done.returncode == 2
    assert done.stderr == "uapca: error: No space left on device: 'standard output'\n"


def test_a_device_that_is_full(forks, folder):
    os.symlink("/dev/full", folder / "y.csv")
    done = forks.run("project", "students", "-o", "y.csv", "--force", "-q")
    assert done.returncode == 2
    assert done.stderr.startswith("uapca: error: No space left on device: '")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


# Targets that are no files


def test_a_pipe_is_written_to(forks, folder):
    os.mkfifo("y.csv")
    received = []
    reader = threading.Thread(target=lambda: received.append((folder / "y.csv").read_text()))
    reader.start()
    done = forks.run("project", "students", "-o", "y.csv", "--force", "-q")
    if done.returncode:  # nobody wrote: let the reader go
        os.close(os.open("y.csv", os.O_WRONLY | os.O_NONBLOCK))
    reader.join(timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert received == [forks.run("project", "students").stdout]
    assert stat.S_ISFIFO(os.stat("y.csv").st_mode)


def test_a_device_is_written_to(forks, folder):
    os.symlink(os.devnull, folder / "y.csv")
    assert forks.run("project", "students", "-o", "y.csv", "--force").returncode == 0
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_socket_is_refused(forks, folder):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("y.csv")
        done = forks.run("project", "students", "-o", "y.csv", "--force", "-q")
        assert done.returncode == 2
        assert done.stderr == (
            "uapca: error: FILE must name a file; 'y.csv' is a socket or a disk\n"
        )
        assert stat.S_ISSOCK(os.stat("y.csv").st_mode)


# Pipes that nobody reads


@pytest.mark.parametrize("command", ["fit students", "project students", "read students", "--help"])
def test_a_reader_that_has_enough_ends_the_program_quietly(forks, folder, command):
    read, write = os.pipe()
    # What does not fit into the pipe waits for the reader, who leaves after the first line.
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    received = []

    def reader():
        with os.fdopen(read) as lines:
            received.append(lines.readline())

    reading = threading.Thread(target=reader)
    reading.start()
    done = forks.run(*command.split(), stdout=write)
    os.close(write)
    reading.join(timeout=60)
    assert received[0].endswith("\n")
    # 0 if all of it went into the pipe before the reader left.
    assert done.returncode in (0, 1)
    assert not {"Traceback", "Exception", "error"} & set(re.findall(r"\w+", done.stderr))


def test_a_reader_that_was_never_there(forks, folder):
    read, write = os.pipe()
    os.close(read)
    done = forks.run("traces", "students", "-o", "-", "-q", stdout=write)
    assert (done.returncode, done.stderr) == (1, "")
    # So it is where the interpreter, too, ends as for everybody.
    done = run("traces", "students", "-o", "-", "-q", stdout=write, stderr=-1, capture_output=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams(folder, closed):
    script = f"{' '.join(PROGRAM)} fit students -o m.json {closed}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0
    if "2>&-" in closed:
        assert done.stderr == ""
    else:
        assert done.stderr.splitlines()[-1] == "wrote 'm.json' (model)"
    check_complete(folder / "m.json")
    (folder / "m.json").unlink()
    script = f"{' '.join(PROGRAM)} fit studnets {closed}"
    assert subprocess.run(["sh", "-c", script], capture_output=True).returncode == 2


def test_remarks_that_nobody_reads_do_not_stop_the_work(forks, folder):
    read, write = os.pipe()
    os.close(read)
    done = forks.run("fit", "students", "-o", "m.json", stderr=write)
    os.close(write)
    assert done.returncode == 0
    assert done.stdout.startswith("Variances")
    check_complete(folder / "m.json")
