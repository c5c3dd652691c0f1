"""The program in forks of one process, which has its libraries imported already.

A fork reads its arguments, has streams, a folder and an environment of its own, and ends as any
process does, without the seconds that imports take.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile


class Forks:
    """Runs the program, one run at a time; to be closed."""

    def __init__(self):
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            number = other.fileno()
            self._server = subprocess.Popen(
                [sys.executable, __file__, str(number)], pass_fds=[number]
            )

    def start(self, *arguments, stdin, stdout, stderr, folder=None, env=None):
        """Start a run with three descriptors as its streams; returns the number of its process."""
        request = [[*map(str, arguments)], env or dict(os.environ), str(folder or os.getcwd())]
        message = json.dumps(request).encode()
        socket.send_fds(self._socket, [message], [stdin, stdout, stderr])
        return int(self._socket.recv(64))

    def wait(self):
        """The exit code of the run, or minus the signal that ended it."""
        return int(self._socket.recv(64))

    def run(self, *arguments, stdout=None, stderr=None, **options):
        """The finished run, with what it wrote where no descriptor was given."""
        with (
            tempfile.TemporaryFile() as written,
            tempfile.TemporaryFile() as said,
            open(os.devnull) as nothing,
        ):
            outputs = {"stdout": stdout or written.fileno(), "stderr": stderr or said.fileno()}
            self.start(*arguments, stdin=nothing.fileno(), **outputs, **options)
            code = self.wait()
            for file in (written, said):
                file.seek(0)
            texts = written.read().decode(), said.read().decode()
        return subprocess.CompletedProcess(arguments, code, *texts)

    def close(self):
        self._socket.close()
        self._server.wait(timeout=60)


def serve(number):
    """Fork for each request that comes; what a fork does is the rest of the process."""
    import openpyxl  # noqa: F401
    import pandas as pd  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import scipy.stats  # noqa: F401
    from matplotlib import pyplot as plt  # noqa: F401

    import uapca.cli.app
    import uapca.explorer
    import uapca.figures
    import uapca.plot

    asked = socket.socket(fileno=number)
    while True:
        request, descriptors, _, _ = socket.recv_fds(asked, 1 << 20, 3)
        if not request:
            return
        process = os.fork()
        if process == 0:
            asked.close()
            for stream, descriptor in enumerate(descriptors):
                os.dup2(descriptor, stream)
                os.close(descriptor)
            sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
            sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
            sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
            arguments, environment, folder = json.loads(request)
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)
            sys.argv = ["uapca", *arguments]
            uapca.cli.main()
        for descriptor in descriptors:
            os.close(descriptor)
        asked.send(str(process).encode())
        _, status = os.waitpid(process, 0)
        asked.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    serve(int(sys.argv[1]))
