"""What an UncertainArray says of itself, in plain text and in HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from uapca.uncertain.array import UncertainArray

__all__ = ["html", "plain"]

_ROWS, _COLUMNS, _WIDTH = 6, 6, 24

_KINDS = {
    "zero": "certain",
    "diagonal": "independent errors",
    "shared": "one covariance shared by all rows",
    "dense": "a covariance for each row",
    "low-rank": "low-rank errors",
}


def headline(X: UncertainArray) -> str:
    """Shape, kind of errors, storage type, weights and laws in a line."""
    n, d = X.shape
    parts = [f"{_plural(n, 'row')} × {_plural(d, 'feature')}", _KINDS[X.cov.kind]]
    types = {str(X.mean.dtype), str(X.cov.dtype)} - {"float64"}
    if types:
        parts.append(" and ".join(sorted({str(X.mean.dtype), str(X.cov.dtype)})))
    if np.ptp(X.weights) > 0:
        parts.append(f"weights {X.weights.min():.3g} to {X.weights.max():.3g}")
    if X.laws is not None:
        parts.append("laws known")
    return ", ".join(parts)


def plain(X: UncertainArray) -> str:
    """The headline, the features and the first rows as mean ± standard deviation."""
    lines = [f"UncertainArray: {headline(X)}"]
    if X.features is not None:
        lines.append("  features  " + _listed(X.features))
    labels, cells = _table(X)
    width = max(map(len, labels))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for label, row in zip(labels, cells, strict=True):
        padded = "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True))
        lines.append(f"  {label:<{width}}  {padded}".rstrip())
    if X.shape[0] > _ROWS:
        lines.append(f"  … {X.shape[0] - _ROWS} more rows")
    return "\n".join(lines)


def html(X: UncertainArray) -> str:
    """The same as a table; every name is escaped."""
    labels, cells = _table(X)
    shown = min(X.shape[1], _COLUMNS)
    features = X.features or tuple(f"x{j}" for j in range(shown))
    head = [_short(f) for f in features[:shown]] + ["…"] * (X.shape[1] > shown)
    rows = [
        f"<tr><th>{escape(label)}</th>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>"
        for label, row in zip(labels, cells, strict=True)
    ]
    more = X.shape[0] - _ROWS
    note = f"<p>… {more} more rows</p>" if more > 0 else ""
    return (
        f"<div><p><b>UncertainArray</b>: {escape(headline(X))}</p>"
        "<table><thead><tr><th></th>"
        + "".join(f"<th>{escape(f)}</th>" for f in head)
        + "</tr></thead><tbody>"
        + "".join(rows)
        + f"</tbody></table>{note}</div>"
    )


def _table(X: UncertainArray) -> tuple[list[str], list[list[str]]]:
    """Labels and cells of the first rows and features."""
    n, d = X.shape
    rows, columns = min(n, _ROWS), min(d, _COLUMNS)
    head = X[:rows, :columns]
    labels = [_short(a) for a in head.names or [str(i) for i in range(rows)]]
    cells = [
        [_cell(m, s) for m, s in zip(means, stds, strict=True)] + ["…"] * (d > columns)
        for means, stds in zip(head.mean, head.std, strict=True)
    ]
    return labels, cells


def _cell(mean: float, std: float) -> str:
    return f"{mean:.4g} ± {std:.2g}"


def _short(label: str) -> str:
    label = "".join(c if c.isprintable() else "�" for c in label)
    return label if len(label) <= _WIDTH else label[: _WIDTH - 1] + "…"


def _listed(labels: tuple[str, ...]) -> str:
    shown = ", ".join(map(_short, labels[:_COLUMNS]))
    return shown + (f", … ({len(labels)} in all)" if len(labels) > _COLUMNS else "")


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
