"""What features contribute to components, and how well components represent rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from uapca.decomposition import UAPCA
from uapca.sensitivity.traces import uncertain
from uapca.uncertain import UncertainArray
from uapca.views.given import chosen_components, counted, data_or_fit, features_of, fit_given
from uapca.views.palette import GREY, OKABE_ITO, inks
from uapca.views.scene import Axis, Bars, Floats, Ink, LegendEntry, Mark, Panel, Rule
from uapca.views.text import percent, scale_text, shortened

__all__ = ["contributions", "cos2"]

# More bars than this are no longer read one by one.
USUAL = 20
HATCHES = ("", "////", "....", "xxxx", "----")


def contributions(
    X: UncertainArray | UAPCA,
    *,
    components: int | Iterable[int] = 0,
    top: int | None = None,
) -> Panel:
    """The share of each feature in one or more components, the largest first.

    The dashed line is the share each feature would have if all had the same.

    Parameters
    ----------
    X : UncertainArray or fitted UAPCA
        Data is fitted at s = 1.
    components : int or iterable of int, default=0
        Which, from 0; of several the average, weighted by their eigenvalues.
    top : int, optional
        How many features; by default all, at most twenty.

    Examples
    --------
    >>> import uapca
    >>> panel = uapca.plot.contributions.scene(uapca.datasets.load_students())
    >>> [text for _, text in panel.y.ticks]
    ['M1', 'M2', 'P1', 'P2']
    """
    pca = data_or_fit(X)
    wanted = chosen_components(components, pca.n_components_, "some")
    names = features_of(pca)
    count = counted(top, len(names), USUAL, "top")
    shares = _shares(pca, wanted)
    order = np.argsort(-shares, kind="stable")[:count]
    colours = inks(len(names), fill_opacity=0.7)
    marks: list[Mark] = [
        Bars(
            role="contribution",
            key=names[j],
            positions=np.array([float(place)]),
            ends=shares[j : j + 1],
            base=np.zeros(1),
            breadth=0.7,
            horizontal=True,
            ink=replace(colours[j], width=0.6, dash="solid"),
        )
        for place, j in enumerate(order)
    ]
    level = 1.0 / len(names)
    dashed = Ink(dash="dashed", width=0.9)
    marks.append(Rule(role="expected", at=level, axis="x", ink=dashed, guide=True, layer=5))
    which = " and ".join(f"PC{i + 1}" for i in wanted) if len(wanted) < 4 else _range(wanted)
    return Panel(
        marks=tuple(marks),
        x=Axis(
            label=f"contribution to {which}, {scale_text(float(pca.scale))}",
            limits=(0.0, 1.05 * max(float(shares.max()), level)),
            ticks=_percents(max(float(shares.max()), level)),
        ),
        y=_rows([names[j] for j in order], len(names), "features"),
        legend=(LegendEntry(text=f"if all were equal, {percent(level)}", ink=dashed),),
        height=_height(len(order)),
    )


def cos2(
    X: UncertainArray,
    pca: UAPCA | None = None,
    *,
    components: int | Iterable[int] = (0, 1),
    top: int | None = None,
) -> Panel:
    """How well each row is represented by some components, the best first.

    cos² is the expected squared coordinate on the component as a share of the expected squared
    distance from the mean (`uapca.UAPCA.cos2`); a row with a full bar lies in the picture.

    Parameters
    ----------
    X : UncertainArray
    pca : fitted UAPCA, optional
        By default X is fitted at s = 1.
    components : int or iterable of int, default=(0, 1)
        Which, from 0; their bars are stacked. Those that the fit does not have are left out of the
        default.
    top : int, optional
        How many rows; by default all, at most twenty.

    Examples
    --------
    >>> import uapca
    >>> panel = uapca.plot.cos2.scene(uapca.datasets.load_students())
    >>> [entry.text for entry in panel.legend]
    ['PC1', 'PC2']
    """
    uncertain(X)
    fit = fit_given(X if pca is None else pca)
    q = fit.n_components_
    asked = (0, 1)[:q] if isinstance(components, tuple) and components == (0, 1) else components
    wanted = chosen_components(asked, q, "some")
    values = fit.cos2(X)[:, list(wanted)]
    names = X.names if X.names is not None else tuple(str(i) for i in range(len(X)))
    count = counted(top, len(names), USUAL, "top")
    order = np.argsort(-values.sum(axis=1).round(12), kind="stable")[:count]
    at, ends = np.arange(float(len(order))), np.cumsum(values[order], axis=1)
    marks: list[Mark] = []
    legend = []
    for k, component in enumerate(wanted):
        color = OKABE_ITO[k % 7]
        ink = Ink(color=color, fill=color, fill_opacity=0.75 if k == 0 else 0.3, width=0.6)
        hatch = HATCHES[k % len(HATCHES)]
        base = ends[:, k - 1] if k else np.zeros(len(order))
        marks.append(
            Bars(
                role="cos2",
                key=f"PC{component + 1}",
                positions=at,
                ends=ends[:, k],
                base=base,
                breadth=0.7,
                horizontal=True,
                ink=ink,
                hatch=hatch,
            )
        )
        text = f"PC{component + 1}"
        legend.append(LegendEntry(text=text, kind="area", ink=ink, hatch=hatch))
    marks.append(
        Rule(role="whole", at=1.0, axis="x", ink=Ink(color=GREY, width=0.7), guide=True, layer=1)
    )
    return Panel(
        marks=tuple(marks),
        x=Axis(label=f"cos² of the rows, {scale_text(float(fit.scale))}", limits=(0.0, 1.02)),
        y=_rows([names[i] for i in order], len(names), "rows"),
        legend=tuple(legend),
        legend_columns=min(len(legend), 5),
        height=_height(len(order)),
    )


def _shares(pca: UAPCA, wanted: tuple[int, ...]) -> Floats:
    """Contributions (D,), averaged by eigenvalue; evenly where there is no variance."""
    chosen = list(wanted)
    weights = pca.explained_variance_[chosen]
    if not weights.sum() > 0:
        weights = np.ones(len(chosen))
    return np.asarray(pca.contributions()[:, chosen] @ (weights / weights.sum()))


def _range(wanted: tuple[int, ...]) -> str:
    return f"{len(wanted)} components"


def _rows(names: list[str], of: int, what: str) -> Axis:
    """Names down the side, the largest on top; says if they are not all."""
    label = "" if len(names) == of else f"largest {len(names)} of {of} {what}"
    ticks = tuple((float(k), shortened(name, 20)) for k, name in enumerate(names))
    return Axis(label=label, limits=(len(names) - 0.4, -0.6), ticks=ticks)


def _percents(top: float) -> tuple[tuple[float, str], ...]:
    size = 10.0 ** np.floor(np.log10(top))
    step = next(part * size for part in (0.2, 0.5, 1.0, 2.0) if top / (part * size) <= 5)
    return tuple((k * step, f"{100 * k * step:.3g} %") for k in range(int(top / step + 1e-9) + 1))


def _height(count: int) -> float:
    """The height of a panel with so many bars, in widths of one paper column."""
    return 0.22 + 0.055 * max(count, 4)
