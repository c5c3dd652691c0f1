"""The one call: a widget in a notebook, a page to send, from the same data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from uapca.sensitivity.traces import uncertain
from uapca.views.explorer.page import write_page
from uapca.views.explorer.payload import payload
from uapca.views.explorer.state import State

__all__ = ["Explorer", "explore"]


class Explorer:
    """Data to be explored; returned by `explore`.

    Where anywidget is installed it is also a notebook widget with the traits ``scale``,
    ``weights``, ``selection``, ``pair``, ``level`` and ``standardize``, which follow what is done
    in the page and can be set from Python.
    """

    _data: dict[str, Any]

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the explorer, in its present state, as one page that needs no network.

        Parameters
        ----------
        path : path-like
            Where to write. A file that is there is replaced, once the new one is complete.

        Returns
        -------
        Path
            The same path.
        """
        return write_page(self._data | {"state": self._state().to_wire()}, path)

    def _state(self) -> State:
        raise NotImplementedError


class PlainExplorer(Explorer):
    """The explorer without a notebook: a page, and in a cell a word on what is missing."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def __repr__(self) -> str:
        return (
            f"Explorer of {self._data['n']} rows × {self._data['d']} features: to_html(path) writes"
            ' its page; to see it in a notebook, pip install "uapca[explore]"'
        )

    def _state(self) -> State:
        return State(pair=(0, min(1, self._data["d"] - 1)))


def explore(
    X: Any,
    *,
    groups: Sequence[Any] | None = None,
    points: tuple[Any, Any] | None = None,
    title: str | None = None,
    units: Sequence[str] | None = None,
) -> Explorer:
    """Look at uncertain data while moving the scale and the weights.

    Projection, factor traces, eigenvalues and loadings side by side, computed in the browser as s
    goes from 0 to infinity and rows gain or lose weight. Shown in a notebook by anywidget;
    ``to_html`` writes the same as one offline page.

    Parameters
    ----------
    X : UncertainArray of shape (N, D)
        With up to 200 features. From 61 on the components are computed beforehand, for the given
        weights, and interpolated in between; the page says so.
    groups : sequence of N labels, optional
        What rows have in common, for colour; None for those without a group.
    points : pair of array-likes, optional
        Points behind the rows, ``(values, rows)`` of shapes (m, D) and (m,), rows by name or
        position. By default the samples, where these are the rows' laws
        (``from_groups(…, keep_samples=True)``). At most 20,000, or 5,000 of the samples, are
        drawn, chosen at random; the page says so.
    title : str, optional
    units : sequence of D str, optional
        Units of the features.

    Returns
    -------
    Explorer

    Examples
    --------
    >>> import tempfile, uapca
    >>> from pathlib import Path
    >>> X = uapca.datasets.load_students()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = uapca.explore(X, title="Student grades").to_html(Path(folder) / "students.html")
    ...     page.name
    'students.html'
    """
    data = payload(uncertain(X), groups=groups, points=points, title=title, units=units)
    if find_spec("anywidget") is None:
        return PlainExplorer(data)
    from uapca.views.explorer.widget import ExplorerWidget

    return ExplorerWidget(data)
