"""Figures of matplotlib as the bytes of a file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from uapca.cli.say import note

__all__ = ["PICTURES", "glyphs_noted", "picture", "without_window"]

PICTURES = (".svg", ".png", ".pdf")

# The same picture gives the same file: no date in it.
_METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": "uapca"},
    ".pdf": {"CreationDate": None, "Creator": "uapca"},
    ".png": {"Software": "uapca"},
}


def without_window() -> None:
    """Draw into files; says what to install where matplotlib is missing."""
    from uapca.plot.style import settings

    with settings():  # raises where matplotlib is missing
        import matplotlib as mpl
    mpl.use("agg")


def picture(drawn: Any, suffix: str, close: bool = True) -> bytes:
    """A Figure, or the Figure of an Axes, as the content of a file; then the Figure is closed."""
    from matplotlib import pyplot as plt

    from uapca.plot.style import settings

    figure = drawn if hasattr(drawn, "savefig") else drawn.figure
    stream = BytesIO()
    try:
        with settings():
            figure.savefig(stream, format=suffix[1:], metadata=_METADATA[suffix])
    finally:
        if close:
            plt.close(figure)
    return stream.getvalue()


@contextmanager
def glyphs_noted() -> Iterator[None]:
    """Drawing that says once if the font lacks characters; a box stands for each of them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", message="Glyph .* missing from", category=UserWarning)
        yield
    if caught:
        note("the font has no sign for some characters of the labels: boxes stand for them")
