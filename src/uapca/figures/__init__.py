"""Every figure of the paper, re-created with the library's own plots: one script for each.

``NAMES`` lists them in the order of the paper; ``draw(name)`` returns the Figure and
``caption(name)`` says what to see in it. ``uapca figures`` writes them all.

=======================  =========================================================================
``teaser``               what uncertainty does to the first component
``closed_projection``    a linear map takes a normal law to a normal law
``distribution_types``   no errors, the same error everywhere, errors of any shape
``scaling``              the same data with its uncertainty scaled by s
``eigenvalues``          factor traces beside the eigenvalues, without and with crossings
``student``              the grades of six students
``iris``                 three species of iris as three rows
``anuran``               7195 calls of frogs as four or eight distributions
``progression``          traces and projected rows from s = 0 to ∞
``sampling_comparison``  how fast sampling nears the closed form
``contact``              many pictures on one page
=======================  =========================================================================
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from uapca._validation import check_choice

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["NAMES", "NEEDS_ANURAN", "caption", "draw"]

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


def draw(name: str) -> Figure:
    """The figure of that name.

    Parameters
    ----------
    name : str
        One of ``NAMES``.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ConnectionError
        For ``"anuran"``, where its data is neither here nor can be fetched; the message says
        where to put the file.

    See Also
    --------
    uapca.figures.caption : What to see in it.

    Examples
    --------
    >>> import uapca
    >>> uapca.figures.draw("teaser").savefig("teaser.svg")  # doctest: +SKIP
    """
    figure: Figure = _script(name).draw()
    return figure


def caption(name: str) -> str:
    """What to see in the figure of that name.

    See Also
    --------
    uapca.figures.draw : A figure of the paper.

    Examples
    --------
    >>> from uapca import figures
    >>> figures.caption("closed-projection")[:60]
    'A linear projection takes a normal law to a normal law. Left'
    """
    return str(_script(name).CAPTION)


def _script(name: str) -> ModuleType:
    check_choice(name, NAMES, "name")
    return import_module(f"uapca.figures.{name.replace('-', '_')}")
