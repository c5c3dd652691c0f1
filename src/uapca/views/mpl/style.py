"""Settings for print, where the reader has none of their own; and the words for missing libraries.

Everything is drawn with the reader's rcParams. Only those that still have matplotlib's factory
value are set for one paper column: 8-point type and thin lines.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

from uapca._validation import complaint

__all__ = ["COLUMN", "WIDE", "matplotlib", "print_settings", "width_in_inches"]

COLUMN = 3.5  # inches, one column of a two-column page
WIDE = 7.2  # both columns

_PRINT: dict[str, Any] = {
    "font.size": 8.0,
    "axes.labelsize": "medium",
    "axes.titlesize": "medium",
    "legend.fontsize": "small",
    "xtick.labelsize": "small",
    "ytick.labelsize": "small",
    "lines.linewidth": 1.1,
    "lines.markersize": 4.5,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "hatch.linewidth": 0.5,
    "legend.frameon": False,
    "figure.dpi": 150.0,
    "savefig.dpi": 300.0,
    "svg.fonttype": "none",
    "svg.hashsalt": "uapca",
    "pdf.fonttype": 42,
}


def matplotlib(module: str = "") -> Any:
    """Matplotlib, or one of its modules; an error that names the extra where it is missing."""
    try:
        return import_module(f"matplotlib.{module}" if module else "matplotlib")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise ModuleNotFoundError(
            'pictures are drawn with matplotlib, which is not installed: pip install "uapca[plot]"',
            name="matplotlib",
        ) from None


def print_settings() -> AbstractContextManager[None]:
    """A context in which factory settings give way to those for print; the reader's own stay."""
    mpl = matplotlib()
    untouched = {
        name: value
        for name, value in _PRINT.items()
        if name in mpl.rcParams and mpl.rcParams[name] == mpl.rcParamsDefault[name]
    }
    context: AbstractContextManager[None] = mpl.rc_context(untouched)
    return context


def width_in_inches(columns: float) -> float:
    """Paper columns in inches: 1 is one column, 2 both and the gap between them."""
    return COLUMN + (columns - 1) * (WIDE - COLUMN)


def unknown_style(name: str, known: tuple[str, ...]) -> TypeError:
    """What to say of a style that nothing here understands."""
    return TypeError(
        complaint(
            name,
            "be one of the styles " + ", ".join(known),
            "there is no such style",
            "Change anything else on the Axes that is returned",
        )
    )
