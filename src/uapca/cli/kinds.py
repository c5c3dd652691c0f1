"""The kinds of pictures, and what each is drawn from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from uapca.decomposition import UAPCA
    from uapca.uncertain import UncertainArray

from uapca.cli.errors import CommandError

__all__ = ["KINDS", "Picture", "check_options", "drawn"]

KINDS = {
    "distributions": "rows of two features as they are, with the components as axes",
    "projection": "the projected rows, as regions of their probability",
    "traces": "factor traces: the features as s goes from 0 to infinity",
    "eigenvalues": "the eigenvalues over s, with their crossings",
    "progression": "the traces growing beside the projection; .gif and .mp4 too",
    "scree": "the variances, split into the spread of the means and the errors",
    "biplot": "the projected rows and the features",
    "loadings": "the features in the circle of correlations",
    "contributions": "the share of each feature in each component",
    "cos2": "how well each row is represented",
    "components": "the loadings with their standard errors",
    "simulation": "the scores in simulated data sets",
}

# The options that change something in each kind of picture. Traces show every s, and so do
# eigenvalues and a progression.
_USED: dict[str, tuple[str, ...]] = {
    "distributions": ("scale", "level", "labels"),
    "projection": ("scale", "pair", "level", "labels"),
    "traces": ("pair", "encode"),
    "eigenvalues": (),
    "progression": ("pair", "level"),
    "scree": ("scale", "level"),
    "biplot": ("scale", "pair", "level", "labels"),
    "loadings": ("scale", "pair"),
    "contributions": ("scale", "pair"),
    "cos2": ("scale", "pair"),
    "components": ("scale", "pair"),
    "simulation": ("scale", "pair", "level", "labels", "draws", "seed"),
}
# Kinds with one region, or one interval, for each row.
_ONE_LEVEL = ("progression", "scree")


def check_options(
    kind: str, given: Iterable[str], levels: tuple[float, ...] | None, scale: float
) -> None:
    """Raise for an option that would change nothing in the picture."""
    for option in given:
        if option not in _USED[kind]:
            raise CommandError(f"--{option} means nothing for {kind}. Leave it out.")
    if scale == float("inf") and kind in ("components", "simulation"):
        raise CommandError(f"{kind} needs a finite --scale.")
    if levels is None:
        return
    if kind in _ONE_LEVEL and len(levels) > 1:
        raise CommandError(f"{kind} shows one probability: --level {levels[0]:g}.")
    if kind == "scree" and scale in (0.0, float("inf")):
        raise CommandError(f"scree has no intervals at --scale {scale:g}. Leave --level out.")


@dataclass(frozen=True)
class Picture:
    """What a picture is to show.

    Attributes
    ----------
    X : UncertainArray
        The data, standardised if that was asked for.
    pca : UAPCA
        Its fit.
    pair : tuple of int
        Components, from 0: two, or one.
    levels : tuple of float, or None
        Probabilities of regions.
    encode : str or None
        What the thickness of traces says.
    draws, seed : int
        Of a simulation.
    labels : bool or None
        Whether rows have their names beside them; None leaves it to the picture.
    """

    X: UncertainArray
    pca: UAPCA
    pair: tuple[int, ...]
    levels: tuple[float, ...] | None = None
    encode: str | None = None
    draws: int = 1000
    seed: int = 0
    labels: bool | None = None

    @property
    def level(self) -> dict[str, Any]:
        """The probability, as the argument of pictures that show one."""
        return {} if self.levels is None else {"level": self.levels[0]}


def drawn(kind: str, wanted: Picture) -> Any:
    """The Figure, or the Axes, of a picture."""
    return globals()[f"_{kind}"](wanted)


def _regions(wanted: Picture) -> dict[str, Any]:
    levels = {} if wanted.levels is None else {"levels": wanted.levels}
    return {"labels": wanted.labels, **levels}


def _distributions(wanted: Picture) -> Any:
    from uapca import plot

    return plot.distributions(wanted.pca, wanted.X, **_regions(wanted))


def _projection(wanted: Picture) -> Any:
    from uapca import plot

    components = wanted.pair if len(wanted.pair) > 1 else wanted.pair[0]
    return plot.projection(wanted.pca, wanted.X, components=components, **_regions(wanted))


def _traces(wanted: Picture) -> Any:
    from uapca import plot

    return plot.factor_traces(wanted.X, components=wanted.pair, encode=wanted.encode)


def _eigenvalues(wanted: Picture) -> Any:
    from uapca import plot
    from uapca.sensitivity import factor_traces

    return plot.eigenvalues(factor_traces(wanted.X))


def _progression(wanted: Picture) -> Any:
    from uapca import plot

    return plot.progression(wanted.pca, wanted.X, components=wanted.pair, **wanted.level)


def _scree(wanted: Picture) -> Any:
    from uapca import plot

    return plot.scree(wanted.pca, wanted.X, **wanted.level)


def _biplot(wanted: Picture) -> Any:
    from uapca import plot

    return plot.biplot(wanted.pca, wanted.X, components=wanted.pair, **_regions(wanted))


def _simulation(wanted: Picture) -> Any:
    from uapca import plot
    from uapca.stability import simulate

    data = wanted.X.scaled(wanted.pca.scale)
    found = simulate(data, wanted.draws, max(wanted.pair) + 1, rng=wanted.seed)
    return plot.simulation(found, data, components=wanted.pair, **_regions(wanted))


def _loadings(wanted: Picture) -> Any:
    from uapca import plot

    return plot.loadings(wanted.pca, components=wanted.pair)


def _contributions(wanted: Picture) -> Any:
    from uapca import plot

    return plot.contributions(wanted.pca, components=wanted.pair)


def _cos2(wanted: Picture) -> Any:
    from uapca import plot

    return plot.cos2(wanted.pca, wanted.X, components=wanted.pair)


def _components(wanted: Picture) -> Any:
    from uapca import plot

    return plot.components(wanted.pca, wanted.X, n_components=len(wanted.pair))
