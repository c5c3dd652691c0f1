"""The explorer: its state, its page in one offline file, and the call that makes both."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.util import find_spec
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from uapca._files import replacing
from uapca._looks import Palette
from uapca.decomposition import UAPCA
from uapca.explorer.payload import payload, text_of
from uapca.uncertain import UncertainArray
from uapca.uncertain.checks import weights_from

__all__ = ["Explorer", "State", "explore", "page_html", "script"]


@dataclass(frozen=True, slots=True)
class State:
    """A view of the explorer.

    Attributes
    ----------
    scale : float
        s, from 0 to infinity.
    weights : list of float or None
        One share for each row, summing to 1; None for the data's own.
    selection : list of int
        Selected rows, rising.
    pair : list of int
        The components on the two axes, from 0.
    level : float
        The probability inside an ellipse.
    standardize : bool
    """

    scale: float = 1.0
    weights: list[float] | None = None
    selection: tuple[int, ...] = ()
    pair: tuple[int, int] = (0, 1)
    level: float = 0.95
    standardize: bool = False

    def to_wire(self) -> dict[str, Any]:
        """The state in words of JSON."""
        return asdict(self) | {"scale": scale_to_wire(self.scale)}


def scale_to_wire(scale: float) -> float | str:
    """JSON has no word for infinity."""
    return "inf" if scale == np.inf else scale


def shares_from(weights: Any, n: int, fixed: bool) -> list[float] | None:
    """Weights that sum to 1, or None; the only choice where they are ``fixed``."""
    if fixed and weights is not None:
        raise ValueError(
            "weights must stay those of the data for more than 60 features, whose components were "
            "computed beforehand; explore X.reweighted(weights)"
        )
    shares = weights_from(weights, n)[0]
    return None if shares is None else [float(share) for share in shares]


def selection_from(rows: Any, n: int, names: Sequence[str] | None) -> list[int]:
    """Rows by position or name, as rising positions."""
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        rows = [rows]
    found = set()
    for row in rows:
        place = row
        if isinstance(row, str) and names is not None and row in names:
            place = names.index(row)
        whole = isinstance(place, Integral) and not isinstance(place, bool)
        if not whole or not 0 <= int(place) < n:
            raise ValueError(
                f"selection must hold rows by name, or by position from 0 to {n - 1}; got {row!r}"
            )
        found.add(int(place))
    return sorted(found)


def pair_from(pair: Any, q: int) -> list[int]:
    """Two different components, from 0; the same one twice where there is only one."""
    try:
        places = list(pair)
    except TypeError:
        places = []
    whole = all(isinstance(i, Integral) and not isinstance(i, bool) for i in places)
    distinct = whole and (len(set(places)) == 2 or q == 1)
    if len(places) == 2 and distinct and all(0 <= int(i) < q for i in places):
        return [int(i) for i in places]
    raise ValueError(
        f"pair must be two different components, counted from 0, of the {q} there are; got {pair!r}"
    )


_STYLE = "html{color-scheme:light dark}body{margin:0}"

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<div id="uapca-explorer"></div>
<noscript>This page computes as it is looked at and needs JavaScript. It loads nothing from the
network.</noscript>
<script type="application/json" id="uapca-explorer-data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


@lru_cache(maxsize=1)
def script() -> str:
    """The browser's side of the explorer."""
    return Path(__file__).with_name("explorer.js").read_text(encoding="ascii")


def page_html(data: dict[str, Any]) -> str:
    """The page of a payload, all of it ASCII.

    The policy lets in the one script and the one style sheet by their hashes, images made by the
    page itself, and nothing else: names in the data could not do harm even if they were not shown
    as text.
    """
    code = script()
    policy = (
        f"default-src 'none'; script-src '{_hash(code)}'; style-src '{_hash(_STYLE)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    # ASCII JSON without the characters that mean something to HTML.
    text = json.dumps(text_of(data), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    title = html.escape(data["title"]).encode("ascii", "xmlcharrefreplace").decode("ascii")
    return _PAGE.format(policy=policy, title=title, style=_STYLE, data=text, script=code)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("ascii")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


class Explorer:
    """Data to be explored; returned by `explore`.

    Where anywidget is installed it is also a notebook widget with the traits ``scale``,
    ``weights``, ``selection``, ``pair``, ``level`` and ``standardize``, which follow what is done
    in the page and can be set from Python.

    See Also
    --------
    uapca.explore : The interactive page.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> page = uapca.explore(uapca.UAPCA(2).fit(X), X)
    >>> page.to_html("students.html")  # doctest: +SKIP
    """

    def __init__(self, data: dict[str, Any], state: State) -> None:
        self._data: dict[str, Any] = data
        self._first: State = state

    def __repr__(self) -> str:
        return (
            f"Explorer of {self._data['n']} rows × {self._data['d']} features: to_html(path) writes"
            ' its page; to see it in a notebook, pip install "uapca[explore]"'
        )

    def to_html(self, path: str | os.PathLike[str], *, compact: bool = False) -> Path:
        """Write the explorer, in its present state, as one page that needs no network.

        Parameters
        ----------
        path : path-like
            Where to write. A file that is there is replaced, once the new one is complete.
        compact : bool, default=False
            The projection and the scale alone, to be embedded in another page. Any page shows
            itself so under the address ``page.html#compact=1``.

        Returns
        -------
        Path
            The same path.
        """
        state = {"state": self._state().to_wire(), "compact": compact}
        text = page_html(self._data | state).encode("ascii")
        with replacing(path) as file:
            file.write(text)
        return Path(path)

    def _state(self) -> State:
        return self._first


def explore(
    pca: UAPCA | Pipeline | UncertainArray,
    X: UncertainArray | None = None,
    *,
    groups: Sequence[Any] | None = None,
    palette: Palette = None,
    points: tuple[Any, Any] | None = None,
    supplementary: UncertainArray | None = None,
    title: str | None = None,
    units: Sequence[str] | None = None,
) -> Explorer:
    """Look at uncertain data while moving the scale and the weights.

    Projection, factor traces, eigenvalues and components side by side, computed in the browser as
    s goes from 0 to infinity and rows gain or lose weight. Shown in a notebook by anywidget;
    ``to_html`` writes the same as one offline page.

    Parameters
    ----------
    pca : fitted UAPCA, a Pipeline that ends in one, or UncertainArray of shape (N, D)
        A fit opens the page at its scale, standardized if it is; after a Pipeline the rows are
        those that its last step sees. Data alone opens it at s = 1. With up to 200 features; from
        61 on the components are computed beforehand, for the given weights, and interpolated in
        between, which the page says.
    X : UncertainArray of shape (N, D), optional
        The data of the fit.
    groups : sequence of N labels or numbers, optional
        A pandas Series whose index names the rows is matched by name.
        What rows have in common, for color, and for an ellipse of each group on demand; None for
        those without a group. More than 12 different numbers are shown on a scale of colors.
    palette : sequence of colors, or mapping from name or group to color, optional
        As in `uapca.plot.projection`; the default colors are those of the plots.
    points : pair of array-likes, optional
        Points behind the rows, ``(values, rows)`` of shapes (m, D) and (m,), rows by name or
        position. By default the samples, where these are the rows' laws
        (``from_groups(…, keep_samples=True)``). At most 20,000, or 5,000 of the samples, are
        drawn, chosen at random; the page says so.
    supplementary : UncertainArray of shape (M, D), optional
        Rows that are shown but not in the fit.
    title : str, optional
    units : sequence of D str, optional
        Units of the features.

    Returns
    -------
    Explorer

    See Also
    --------
    uapca.plot.projection : The projected rows.
    uapca.plot.progression : Traces and projected rows at several scales.

    Examples
    --------
    >>> import tempfile, uapca
    >>> from pathlib import Path
    >>> X = uapca.datasets.load_students()
    >>> pca = uapca.UAPCA(2).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = uapca.explore(pca, X, title="Student grades").to_html(Path(folder) / "s.html")
    ...     page.name
    's.html'
    """
    scale, standardize = 1.0, False
    if isinstance(pca, UncertainArray):
        if X is not None:
            raise TypeError("pca must be a fit when X is given; got an UncertainArray for both")
        data = pca
    elif X is None and not hasattr(pca, "fit"):
        raise TypeError(f"pca must be a fit or an UncertainArray; got {type(pca).__name__}")
    elif X is None:
        raise TypeError("X must be given with a fit: uapca.explore(pca, X)")
    else:
        # A standardized fit standardizes in the page.
        fit, data = pca, X
        while isinstance(fit, Pipeline):
            fit, data = fit[-1], fit[:-1].transform(data) if len(fit) > 1 else data
        if not isinstance(fit, UAPCA):
            raise TypeError(f"pca must be a fitted UAPCA or end in one; got {type(fit).__name__}")
        check_is_fitted(fit)
        if data.shape[1] != fit.n_features_in_:
            raise ValueError(
                f"X must have the {fit.n_features_in_} features of the fit; got {data.shape[1]}"
            )
        scale, standardize = float(fit.scale), bool(fit.standardize)
    data.require_complete("explore")
    sent = payload(
        data,
        groups=groups,
        palette=palette,
        points=points,
        supplementary=supplementary,
        title=title,
        units=units,
        standardize=standardize,
    )
    state = State(scale, pair=(0, min(1, data.shape[1] - 1)), standardize=standardize)
    sent["state"] = state.to_wire()
    if find_spec("anywidget") is None:
        return Explorer(sent, state)
    from uapca.explorer.widget import ExplorerWidget

    return ExplorerWidget(sent, state)
