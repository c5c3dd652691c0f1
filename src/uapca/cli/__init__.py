"""The command line: parses, calls the public names, prints.

===============  ==================================================================================
``app``          the program, the options that commands share, how every error ends
``console``      safe text, tables that fit the terminal, files written whole
``data``         DATA: bundled or read by `uapca.read`, denoised and fitted as the options say
``read``, …      one file for each command of the same name
===============  ==================================================================================

``uapca --help`` must start at once: every command is a module of its own, imported when it is
called, and imports NumPy, pandas or matplotlib only where it works with them.
"""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the program ``uapca`` with the arguments of the process; ends the process."""
    try:
        from uapca.cli.app import app

        app.main()
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.stderr.write(
            "uapca: error: the command line needs click, which is not installed. "
            'Install it with pip install "uapca[cli]".\n'
        )
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
