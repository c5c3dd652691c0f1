"""``python -m uapca.cli`` is ``uapca``."""

from uapca.cli import main

main()
