"""How the components go with what else is known about the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from uapca._looks import in_order
from uapca._validation import Doubles
from uapca.plot.base import Data, Fit, counted, data_of, panel, scores_of
from uapca.plot.contributions import two_lines

__all__ = ["metadata"]


def metadata(
    pca: Fit,
    X: Data,
    table: Any,
    *,
    n_components: int | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Axes:
    """The correlation of each component's mean scores with variables that describe the rows.

    Numbers have Pearson's correlation, weighted as the rows are. Categories have the correlation
    ratio η, the root of the share of the scores' variance that lies between the categories; it
    has no sign and is marked η.

    Parameters
    ----------
    pca : fitted UAPCA, or a Pipeline that ends in one
    X : UncertainArray of shape (N, D), or points
    table : data frame, or mapping from name to a sequence of N values
        In the order of the rows; a pandas frame whose index names the rows is matched by name.
    n_components : int, optional
        How many components; by default all, at most five.
    ax, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    uapca.plot.projection : The projected rows.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_students()
    >>> table = {"year": [1, 2, 1, 3, 2, 1], "school": ["a", "a", "b", "b", "b", "a"]}
    >>> ax = uapca.plot.metadata(uapca.UAPCA(2).fit(X), X, table)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['year', 'school (η)']
    """
    fit, data = data_of(pca, X)
    columns = columns_of(in_order(table, data.names, "table"), len(data), "table")
    q = counted(n_components, fit.n_components_, 5, "n_components")
    scores = np.asarray(scores_of(fit, data, list(range(q))).mean, dtype=np.float64)
    values = np.array(
        [
            [correlation(score, column, data.weights) for score in scores.T]
            for column in columns.values()
        ]
    )
    with panel(ax, title, figsize, legend, fit, data) as made:
        made.ax.imshow(values, cmap="PuOr", vmin=-1, vmax=1, aspect="auto")
        kinds = [" (η)" * (column.dtype.kind != "f") for column in columns.values()]
        texts = [a + b for a, b in zip(two_lines(list(columns)), kinds, strict=True)]
        made.ax.set_yticks(range(len(texts)), texts, parse_math=False)
        made.ax.set_xticks(range(q), [f"PC{i + 1}" for i in range(q)])
        for (i, j), value in np.ndenumerate(values):
            text = f"{round(float(value), 2) + 0.0:.2f}".replace("-", "−")
            color = "white" if abs(value) > 0.7 else "black"
            made.ax.text(j, i, text, color=color, ha="center", va="center")
        made.key(
            "correlation with the mean scores" + "; η of categories" * any(kinds), linestyle="none"
        )
        made.ratio = min(0.04 + 0.1 * len(texts), 2.5)
    return made.drawn


def columns_of(table: Any, count: int, parameter: str) -> dict[str, Any]:
    """The columns of a frame or mapping: float64 where they are numbers, else text."""
    if not hasattr(table, "keys") and not hasattr(table, "columns"):
        raise TypeError(
            f"{parameter} must be a data frame or a mapping of columns; got {type(table).__name__}"
        )
    names = list(table.columns if hasattr(table, "columns") else table)
    found = {}
    for name in names:
        column = np.asarray(table[name])
        if len(column) != count:
            raise ValueError(
                f"{parameter} must have one value for each of the {count} rows; column {name!r} "
                f"has {len(column)}"
            )
        numeric = column.dtype.kind in "fiu"
        found[str(name)] = column.astype(np.float64) if numeric else column.astype(str)
    if not found:
        raise ValueError(f"{parameter} must have at least one column; got none")
    return found


def correlation(score: Doubles, column: Any, weights: Any) -> float:
    """Pearson's r with numbers, the correlation ratio η with categories; 0 for what is constant."""
    known = np.isfinite(column) if column.dtype.kind == "f" else np.ones(len(column), dtype=bool)
    x, w = score[known], np.asarray(weights, dtype=np.float64)[known]
    w = w / max(float(w.sum()), 1e-300)
    x = x - w @ x
    total = float(w @ x**2)
    if column.dtype.kind != "f":
        means = [
            (w[column == kind].sum(), w[column == kind] @ x[column == kind])
            for kind in np.unique(column)
        ]
        between = sum(part**2 / mass for mass, part in means if mass > 0)
        return float(np.sqrt(min(between / total, 1.0))) if total > 0 else 0.0
    y = column[known] - w @ column[known]
    size = np.sqrt(total * float(w @ y**2))
    return float(np.clip((w @ (x * y)) / size, -1.0, 1.0)) if size > 0 else 0.0
