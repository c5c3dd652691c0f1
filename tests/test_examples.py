"""The examples as somebody runs them."""

import subprocess
import sys
from pathlib import Path

STUDENTS = Path(__file__).parents[1] / "examples" / "students.py"


def test_a_reader_that_has_seen_enough_gets_no_traceback(tmp_path):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-u", STUDENTS], cwd=tmp_path, **pipes) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
