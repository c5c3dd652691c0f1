"""Figures of matplotlib as the bytes of a file."""

from __future__ import annotations

from io import BytesIO
from typing import Any

__all__ = ["PICTURES", "picture", "without_window"]

PICTURES = (".svg", ".png", ".pdf")

# The same picture gives the same file: no date in it.
_METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": "uapca"},
    ".pdf": {"CreationDate": None, "Creator": "uapca"},
    ".png": {"Software": "uapca"},
}


def without_window() -> None:
    """Draw into files; says what to install where matplotlib is missing."""
    from uapca.views.mpl.style import matplotlib

    matplotlib().use("agg")


def picture(drawn: Any, suffix: str) -> bytes:
    """A Figure, or the Figure of an Axes, as the content of a file; the Figure is closed."""
    from uapca.views.mpl.style import matplotlib, print_settings

    figure = drawn if hasattr(drawn, "savefig") else drawn.figure
    stream = BytesIO()
    try:
        with print_settings():
            figure.savefig(stream, format=suffix[1:], metadata=_METADATA[suffix])
    finally:
        matplotlib("pyplot").close(figure)
    return stream.getvalue()
