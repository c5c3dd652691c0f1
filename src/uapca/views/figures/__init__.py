"""Every figure of the paper, re-created with the library's own views.

``NAMES`` lists them in the order of the paper, ``build(name)`` describes one as a `Sheet` with a
caption that says what to see, ``uapca.views.mpl.draw_sheet`` draws it.
"""

from __future__ import annotations

from importlib import import_module

from uapca._validation import check_choice
from uapca.views.scene import Sheet

__all__ = ["NAMES", "NEEDS_ANURAN", "build"]

NAMES = (
    "teaser",
    "distribution-types",
    "closed-projection",
    "scaling",
    "progression",
    "eigenvalues",
    "student",
    "iris",
    "anuran",
    "sampling-comparison",
)
NEEDS_ANURAN = ("anuran",)


def build(name: str) -> Sheet:
    """The figure of that name: what to draw, and a caption.

    Parameters
    ----------
    name : str
        One of ``NAMES``.

    Returns
    -------
    Sheet

    Raises
    ------
    ConnectionError
        For ``"anuran"``, where its data is neither here nor can be fetched; the message says
        where to put the file.

    Examples
    --------
    >>> from uapca.views import figures
    >>> figures.build("closed-projection").caption[:60]
    'A linear projection takes a normal law to a normal law. Left'
    """
    check_choice(name, NAMES, "name")
    function = name.replace("-", "_")
    sheet: Sheet = getattr(import_module(f"uapca.views.figures.{function}"), function)()
    return sheet
