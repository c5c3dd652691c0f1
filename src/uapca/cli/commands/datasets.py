"""``uapca datasets``."""

from __future__ import annotations

from uapca.cli.options import subcommand

__all__ = ["command"]


@subcommand("datasets", ("uapca datasets", ""), ("uapca fit anuran --by genus", ""))
def datasets() -> None:
    """The data sets that can be named instead of a file."""
    from uapca.cli.bundled import BUNDLED
    from uapca.cli.say import Grid, show

    rows = [[name, data.shape, data.what] for name, data in BUNDLED.items()]
    show(Grid(["name", "rows × features", "what it is"], rows, left=3))


command = datasets
