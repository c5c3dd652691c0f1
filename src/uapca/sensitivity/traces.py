"""Factor traces: the original axes as the picture shows them, along the whole path over s."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca.decomposition import UAPCA
from uapca.decomposition.spectrum import scaled_spectrum, tie_tolerance
from uapca.sensitivity.crossings import Crossing, Meeting, meetings
from uapca.sensitivity.family import Family, over_scale
from uapca.sensitivity.following import Positions
from uapca.sensitivity.inputs import feature_names, fitted, grid_of_scales, limited, shown_count
from uapca.sensitivity.path import Path, adaptive_path, fixed_path
from uapca.sensitivity.summary import TraceSummary, summarised
from uapca.uncertain.blocks import Doubles
from uapca.uncertain.checks import scale_from

__all__ = ["FactorTraces", "Traces", "described", "factor_traces", "traced"]

# How well a crossing is located, in u.
_NEAR = 1e-8


@dataclass(frozen=True, eq=False)
class Traces(ABC):
    """What traces over the scale and over a weight have in common; see `FactorTraces`."""

    u: Doubles
    loadings: Doubles
    ranks: Positions
    breaks: Positions
    features: tuple[str, ...]
    _family: Family = field(repr=False)
    _path: Path = field(repr=False)

    @property
    def n_components(self) -> int:
        """How many components are shown, q."""
        return int(self.loadings.shape[2])

    @property
    def mirrored(self) -> Doubles:
        """The mirrored twin, −loadings: signs have no meaning, they are those of a fit at s = 1."""
        return -self.loadings

    @property
    def eigenvectors(self) -> Doubles:
        """All eigenvectors as columns, each followed in its own column all along; (S, D, D).

        Column i is the one that has rank i at the first point of the grid.
        """
        return self._path.followed()

    @property
    def segments(self) -> tuple[slice, ...]:
        """The stretches of the grid between the breaks: draw one line for each."""
        ends = [0, *map(int, self.breaks), len(self.u)]
        return tuple(slice(a, b) for a, b in pairwise(ends))

    @cached_property
    def _broken_at(self) -> Doubles:
        """Where on the path, in u, the trace is broken.

        At the crossing of the last component shown with the next; the grid only tells between which
        of its points that is, and a crossing may lie on the first of them.
        """
        last, found = self.n_components - 1, []
        for k in self.breaks:
            low, high = self.u[k - 1] - _NEAR, self.u[k] + _NEAR
            gaps = {m.u: m.gap for m in self._meetings if m.place == last and low <= m.u <= high}
            found.append(min(gaps, key=gaps.__getitem__, default=self.u[k]))
        return np.array(found, dtype=np.float64)

    @cached_property
    def _meetings(self) -> list[Meeting]:
        return meetings(self._family)

    def _distances_at(self, marks: tuple[float, float, float]) -> Doubles:
        """Distances from the centre at three u; shape (D, 3).

        As the trace shows them where a mark is on the grid, otherwise as a fit there does. At the
        ends that is the one-sided limit, as on the grid.
        """
        q = self.n_components
        columns = []
        for mark in marks:
            found = np.flatnonzero(self.u == mark)
            if len(found):
                leading = self.loadings[found[0]]
            elif 0.0 < mark < 1.0:
                leading = self._leading(mark)
            else:
                at = np.array([mark])
                leading = self._family.eigenpairs(1.0 - at, at).vectors[0, :, :q]
            columns.append(np.linalg.norm(leading, axis=1))
        return np.stack(columns, axis=1)

    @abstractmethod
    def _leading(self, u: float) -> Doubles:
        """The q leading eigenvectors of a fit at u, between the ends, as columns."""

    @abstractmethod
    def _distances(self) -> Doubles: ...

    def _summary(self, marks: tuple[str, str, str], middle: float) -> TraceSummary:
        steps = np.linalg.norm(np.diff(self.loadings, axis=0), axis=2)
        steps[self.breaks - 1] = 0.0
        below = 0.5 * (self.u[:-1] + self.u[1:]) < middle
        return summarised(self.features, marks, self._distances(), steps, below)

    def _text(self, over: str) -> str:
        count, d, q = self.loadings.shape
        lines = [f"{type(self).__name__}: {d} features in {q} components, {count} {over}"]
        lines.append("  features  " + ", ".join(self.features[:6]) + ", …" * (d > 6))
        if len(self.breaks):
            lines.append(f"  broken at {', '.join(self._places())}")
        return "\n".join(lines)

    @abstractmethod
    def _places(self) -> list[str]:
        """Where the trace is broken, in words."""


@dataclass(frozen=True, eq=False, repr=False)
class FactorTraces(Traces):
    """The projected unit vectors of the original axes for every scale s in [0, ∞].

    Returned by `factor_traces`.

    Attributes
    ----------
    scales : ndarray of shape (S,)
        s, rising; the last may be infinite.
    u : ndarray of shape (S,)
        s / (1 + s), from 0 to 1: the axis on which the whole path has finite length.
    loadings : ndarray of shape (S, D, q)
        ``loadings[k, j]`` is where the unit vector of feature j lies at ``scales[k]``. The q
        columns are the q leading eigenvectors of K(s), each in the column it had at the point
        before and with the sign it had there.
    ranks : ndarray of shape (S, q)
        The rank of each column's eigenvalue, from 0. It differs from 0, …, q - 1 only beyond a
        true crossing of two components that are both shown.
    breaks : ndarray of int
        Points k at which the trace starts anew: between ``scales[k - 1]`` and ``scales[k]`` the
        set of the q leading components changes at once, at a true crossing (or at an avoided one
        so sharp, below 1e-10 in u, that numbers cannot follow it). ``broken_at`` has the scale;
        one that is ``scales[k - 1]`` itself shows there what it comes from.
    features : tuple of str
    """

    scales: Doubles = field(kw_only=True)
    _fit: UAPCA = field(kw_only=True, repr=False)

    @cached_property
    def eigenvalues(self) -> Doubles:
        """Eigenvalues of K(s), falling; shape (S, D).

        At s = ∞ their limits: infinite, or where Ψ̄ has no variance, what C has there.
        """
        values, infinite = self._path.values, np.isinf(self.scales)
        with np.errstate(over="ignore"):
            out = np.where(infinite[:, None], np.inf, values * _growth(self.scales)[:, None])
        if infinite.any():
            vectors = self._path.vectors[-1]
            finite = values[-1] <= tie_tolerance(len(vectors)) * values[-1, 0]
            rest = np.einsum("di,di->i", vectors, self._family.start @ vectors)
            out[-1, finite] = np.maximum(rest[finite], 0.0)
        return out

    @property
    def normalized_eigenvalues(self) -> Doubles:
        """Eigenvalues of (1 − u)² C + u² Ψ̄ = (1 − u)² K(s), finite at s = ∞ too; shape (S, D)."""
        return self._path.values

    @property
    def broken_at(self) -> Doubles:
        """The scale of each of ``breaks``, from C and Ψ̄, whatever the grid."""
        with np.errstate(divide="ignore"):
            return self._broken_at / (1.0 - self._broken_at)

    @cached_property
    def crossings(self) -> tuple[Crossing, ...]:
        """Every local minimum of the gap between neighbouring eigenvalues of K(s), by rising s.

        Found from C and Ψ̄, whatever the grid; computed when first asked for.
        """
        q = self.n_components
        return tuple(Crossing(**described(meeting, q)) for meeting in self._meetings)

    def at(self, s: float) -> UAPCA:
        """The fit at one scale, from C and Ψ̄ alone: a fitted `UAPCA` with q components.

        Fewer where the rows are certain and there are less than q of them: a fit has no more, while
        ``loadings`` goes on with directions that have no variance. At a true crossing on s exactly,
        where two components are as good as each other, the fit takes its pick by the rule for ties
        and ``loadings`` shows the one it comes from.
        """
        return self._fit.rescale(scale_from(s, "s"))

    def summary(self) -> TraceSummary:
        """Distances from the centre at s = 0, 1 and ∞ and lengths of the traces, by feature.

        Lengths are those of the grid: with ``scales`` given, of what lies between them. Where a
        true crossing falls exactly on a mark, distances are those of the side below it, as in
        ``loadings``.
        """
        return self._summary(("s = 0", "s = 1", "s = ∞"), 0.5)

    def _distances(self) -> Doubles:
        return self._distances_at((0.0, 0.5, 1.0))

    def _leading(self, u: float) -> Doubles:
        s = u / (1.0 - u)
        found = scaled_spectrum(self._family.start, self._family.stop, s, self.n_components)
        return found.vectors.T

    def __repr__(self) -> str:
        low, high = (f"{s:.4g}" for s in self.scales[[0, -1]])
        return self._text(f"scales from {low} to {high}")

    def _places(self) -> list[str]:
        return [f"s = {s:.4g}" for s in self.broken_at]


def factor_traces(
    X: Any, n_components: int = 2, scales: npt.ArrayLike | None = None
) -> FactorTraces:
    """Follow the projected unit vectors of the features as the uncertainty grows.

    At every scale s the q leading eigenvectors of K(s) = C + s²Ψ̄ span a picture, and the unit
    vector of each original axis has its place in it (a factor map). As s goes from 0, ordinary
    PCA, through 1, the data as given, to infinity, these places draw the factor traces
    (Görtler et al. 2020, Sec. "Factor Traces").

    Parameters
    ----------
    X : UncertainArray or fitted UAPCA
    n_components : int, default=2
        How many components q the picture shows, from 2 to D.
    scales : array-like of shape (S,), optional
        Where to compute, rising, from 0 to ``numpy.inf``; from 1e150 on, where squares no longer
        fit into float64, scales count as infinite. By default the grid is adaptive: so
        fine that no component shown turns by more than two degrees between neighbours, with 0, 1
        and infinity on it. A fixed grid that steps over a sharp avoided crossing cannot tell it
        from a true one and breaks the trace there; `FactorTraces.crossings` can.

    Returns
    -------
    FactorTraces

    Examples
    --------
    The means spread along x, the errors along y; z has a little of both.

    >>> import numpy as np, uapca
    >>> X = uapca.UncertainArray(
    ...     [[-2.0, 0.1, 0.9], [0.0, 0.5, -1.0], [2.0, -0.6, 0.1]],
    ...     std=[0.2, 3.0, 0.5],
    ...     features=["x", "y", "z"],
    ... )
    >>> traces = uapca.factor_traces(X)
    >>> traces.loadings.shape == (len(traces.scales), 3, 2)
    True
    >>> traces.at(np.inf).components_.round(2) + 0.0
    array([[0., 1., 0.],
           [0., 0., 1.]])
    >>> [(c.kind, c.pair) for c in traces.crossings]
    [('avoided', (1, 2)), ('avoided', (0, 1)), ('avoided', (1, 2))]
    """
    pca = fitted(X)
    family = over_scale(pca.between_covariance_, pca.within_covariance_)
    q = shown_count(n_components, family.size)
    if scales is None:
        path = adaptive_path(family, q, (0.0, 0.5, 1.0))
        with np.errstate(divide="ignore"):
            s = path.u / path.complement
    else:
        s = grid_of_scales(scales)
        with np.errstate(invalid="ignore"):
            u = np.where(np.isinf(s), 1.0, s / (1.0 + s))
        path = fixed_path(family, u, 1.0 / (1.0 + s))
    names = feature_names(getattr(pca, "feature_names_in_", None), family.size)
    return FactorTraces(*traced(family, path, q, names), scales=s, _fit=limited(pca, q))


def traced(
    family: Family, path: Path, q: int, features: tuple[str, ...]
) -> tuple[Doubles, Doubles, Positions, Positions, tuple[str, ...], Family, Path]:
    """The fields that all traces have in common."""
    places, breaks = path.shown(q)
    if (places == np.arange(q)).all():
        loadings = path.vectors[:, :, :q].copy()
    else:
        loadings = np.take_along_axis(path.vectors, places[:, None, :], axis=2)
    return path.u, loadings, places, breaks, features, family, path


def described(meeting: Meeting, q: int) -> dict[str, Any]:
    """The fields of a crossing where q components are shown."""
    i = meeting.place
    return {
        "u": meeting.u,
        "pair": (i, i + 1),
        "gap": meeting.gap,
        "relative_gap": meeting.gap / meeting.upper if meeting.upper > 0.0 else 0.0,
        "kind": meeting.kind,
        "touches": i < q,
        "changes_subspace": i == q - 1,
    }


def _growth(scales: Doubles) -> Doubles:
    """(1 + s)², by which K(s) is larger than its finite multiple; 1 where s is infinite."""
    return np.asarray(np.square(1.0 + np.where(np.isinf(scales), 0.0, scales)))
