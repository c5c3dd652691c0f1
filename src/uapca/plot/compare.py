"""Two fits of the same rows, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from uapca._looks import Palette
from uapca._validation import Doubles
from uapca.plot.base import (
    Data,
    Fit,
    Panel,
    axis_labels,
    chosen_components,
    data_of,
    grid,
    joint_legend,
    scores_of,
)
from uapca.plot.labels import number, percent, scale_text
from uapca.plot.projection import draw_projection
from uapca.plot.rows import Kind

__all__ = ["compare"]


def compare(
    first: Fit,
    second: Fit,
    X: Data,
    X2: Data = None,
    *,
    components: Any = (0, 1),
    levels: Any = 0.95,
    kind: Kind = "auto",
    groups: Any = None,
    palette: Palette = None,
    labels: bool | None = None,
    names: tuple[str, str] | None = None,
    title: str | None = None,
    figsize: tuple[float, float] | None = None,
    legend: bool = True,
) -> Figure:
    """Two projections of the same rows side by side, the second turned to match the first.

    The second is rotated or reflected about the center (orthogonal Procrustes, without scaling),
    so that what still differs is not a matter of signs or of a turn of the picture. Its title says
    how much of the squared size of the mean scores is left as a difference.

    Parameters
    ----------
    first, second : fitted UAPCA, or Pipelines that end in one
    X : UncertainArray of shape (N, D), or points
    X2 : UncertainArray of shape (N, E), optional
        The same rows as the second fit takes them; by default X.
    components : pair of int, default=(0, 1)
    names : pair of str, optional
        What the fits are called; by default their scales.
    levels, kind, groups, palette, labels, title, figsize, legend
        As in `projection`.

    Returns
    -------
    matplotlib.figure.Figure

    See Also
    --------
    uapca.hellinger : The distance of two PCAs.
    uapca.principal_angles : The angles between two sets of components.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.load_iris_groups()
    >>> pca = uapca.UAPCA(2).fit(X)
    >>> figure = uapca.plot.compare(pca.rescale(0), pca, X)
    >>> figure.axes[0].get_title()
    's = 0'
    """
    (a, left), (b, right) = data_of(first, X), data_of(second, X if X2 is None else X2)
    if len(left) != len(right):
        raise ValueError(f"X2 must have the {len(left)} rows of X; got {len(right)}")
    pair = chosen_components(components, min(a.n_components_, b.n_components_), 2)
    rows, others = scores_of(a, left, pair), scores_of(b, right, pair)
    scores = [np.asarray(Y.mean - Y.mean.mean(axis=0), dtype=np.float64) for Y in (rows, others)]
    turn, differs = procrustes(*scores)
    called = names or (scale_text(float(a.scale)), scale_text(float(b.scale)))
    angle = number(round(abs(float(np.degrees(np.arctan2(turn[1, 0], turn[0, 0])))), 1))
    said = "mirrored" if np.linalg.det(turn) < 0 else f"turned by {angle}°"
    share: dict[str, Any] = {"sharex": True, "sharey": True}
    with grid(1, 2, title=title or "", figsize=figsize, ratio=0.85, **share) as (figure, axes):
        second_axes = [f"PC{i + 1} of the first" for i in pair]
        text = f"{called[1]}, {said}; {percent(differs)} differs"
        labeled = (
            (rows, axis_labels(a, pair), called[0]),
            (others.affine(turn), second_axes, text),
        )
        for ax, (shown, words, text) in zip(axes[0], labeled, strict=True):
            made = Panel(ax)
            draw_projection(
                made,
                shown,
                words,
                levels=levels,
                kind=kind,
                groups=groups,
                palette=palette,
                labels=labels,
                like=rows,
            )
            made.words(title=text)
        if figsize is None:
            wide = figure.get_figwidth()
            figure.set_figheight(0.5 * wide * made.ratio + 0.17 * wide)
        joint_legend(figure, axes[0] if legend else [])
    return figure


def procrustes(fixed: Doubles, moved: Doubles) -> tuple[Doubles, float]:
    """The orthogonal matrix R for which moved @ R.T is nearest to fixed, and what is left.

    What is left is ‖fixed − moved Rᵀ‖² as a share of ‖fixed‖².

    >>> square = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 0.0], [0.0, -2.0]])
    >>> round(procrustes(square, square @ np.array([[0.0, 1.0], [-1.0, 0.0]]))[1], 12)
    0.0
    """
    u, _, vt = np.linalg.svd(fixed.T @ moved)
    turn = u @ vt
    apart = float(np.square(fixed - moved @ turn.T).sum())
    return turn, apart / max(float(np.square(fixed).sum()), 1e-300)
