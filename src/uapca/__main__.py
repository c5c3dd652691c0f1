"""``python -m uapca`` is ``uapca``."""

from uapca.cli import main

main()
