"""Runs the program in forks of one process, which has its libraries imported already.

Each line of standard input is a list of arguments. For each, the number of the process is printed
when it starts, and how it ended afterwards. Its remarks go to the file ``errors``.
"""

import json
import os
import sys

import openpyxl  # noqa: F401
import pandas as pd  # noqa: F401
import pyarrow.parquet  # noqa: F401
import scipy.stats  # noqa: F401
from matplotlib import pyplot as plt  # noqa: F401

import uapca.cli.app
import uapca.explorer
import uapca.plot


def run(arguments: list[str]) -> None:
    """What the program does, in a fork that never returns."""
    code = 70
    try:
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open("errors", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        sys.argv = ["uapca", *arguments]
        uapca.cli.main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else bool(end.code)
    except BaseException:  # noqa: BLE001  (as the interpreter does at its end)
        sys.excepthook(*sys.exc_info())
        code = 1
    finally:
        os._exit(code)


def main() -> None:
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            run(json.loads(line))
        sys.stdout.write(f"{process}\n")
        sys.stdout.flush()
        _, status = os.waitpid(process, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
