"""The entries of the components with their standard errors."""

from __future__ import annotations

import warnings

import numpy as np

from uapca.sensitivity.traces import feature_names, uncertain
from uapca.stability import ComponentUncertainty, SeparationWarning, component_uncertainty
from uapca.uncertain import UncertainArray
from uapca.views.palette import LIGHT, OKABE_ITO, SHAPES
from uapca.views.scene import (
    Axis,
    ErrorBars,
    Ink,
    LegendEntry,
    Mark,
    Markers,
    Panel,
    Rule,
)
from uapca.views.text import number, shortened

__all__ = ["components"]


def components(X: UncertainArray, *, n_components: int = 2, order: int = 2) -> Panel:
    """The entries of the leading components, with bars of one standard error.

    If each row is one unknown value, known only as far as its distribution says, each possible
    set of values has its own PCA: the bars are the spread of those (`component_uncertainty`).

    Parameters
    ----------
    X : UncertainArray
        Other errors: ``X.scaled(s)``.
    n_components : int, default=2
        Of data with one feature there is one.
    order : {1, 2}, default=2
        Of the expansion, as in `uapca.component_uncertainty`.

    Examples
    --------
    >>> import uapca
    >>> panel = uapca.plot.components.scene(uapca.datasets.load_students())
    >>> panel.legend[0].text
    'PC1 ± standard error, tilts by 12°'
    """
    data = uncertain(X)
    n_components = min(n_components, data.shape[1]) if n_components == 2 else n_components
    with warnings.catch_warnings():
        # The picture says it in its legend.
        warnings.simplefilter("ignore", SeparationWarning)
        found = component_uncertainty(data, n_components=n_components, order=order)
    names = feature_names(data.features, data.shape[1])
    q = len(found.components)
    step = 0.8 / q
    marks: list[Mark] = [
        Rule(role="zero", at=0.0, axis="x", ink=Ink(color=LIGHT, width=0.7), guide=True, layer=0)
    ]
    legend = []
    for i in range(q):
        ink = Ink(color=OKABE_ITO[i % 7], fill=OKABE_ITO[i % 7] if i % 2 == 0 else "#ffffff")
        shape = SHAPES[i % 5]
        at = np.arange(len(names)) + step * (i - 0.5 * (q - 1))
        points = np.column_stack([found.components[i], at])
        key = f"PC{i + 1}"
        low = np.maximum(found.components[i] - found.std[i], -1.0)
        high = np.minimum(found.components[i] + found.std[i], 1.0)
        marks += [
            ErrorBars(
                role="error", key=key, points=points, low=low, high=high, horizontal=True, ink=ink
            ),
            Markers(role="component", key=key, points=points, shape=shape, ink=ink, layer=4),
        ]
        tilt = f"{key} ± standard error, tilts by {number(float(np.degrees(found.angle[i])), 2)}°"
        legend.append(LegendEntry(text=tilt, kind="marker", shape=shape, ink=ink))
    return Panel(
        marks=tuple(marks),
        x=Axis(label="entry of the component", limits=(-1.05, 1.05)),
        y=Axis(
            limits=(len(names) - 0.4, -0.6),
            ticks=tuple((float(k), shortened(name, 20)) for k, name in enumerate(names)),
        ),
        legend=(*legend, *_mixed(found)),
        height=0.26 + 0.055 * max(len(names), 4) + 0.05 * (q + 1),
    )


def _mixed(found: ComponentUncertainty) -> tuple[LegendEntry, ...]:
    return tuple(
        LegendEntry(text=f"PC{i} and PC{i + 1} cannot be told apart", kind="none")
        for i, swaps in enumerate(found.swap_probability, 1)
        if swaps > 0.05
    )
