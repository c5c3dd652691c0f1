"""Factor traces: the original axes as the picture shows them, for every scale."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Generic

import numpy as np
import numpy.typing as npt
from sklearn.pipeline import Pipeline

from uapca._validation import Doubles, as_floats, scale_from, shown
from uapca.decomposition import UAPCA, LabeledArray, unwrap
from uapca.decomposition.spectrum import settled, tie_tolerance
from uapca.sensitivity.crossings import AnyCrossing, Crossing, WeightCrossing, crossings
from uapca.sensitivity.family import Family, over_scale
from uapca.sensitivity.tracking import Path, Positions, adaptive_path, fixed_path
from uapca.uncertain import UncertainArray

__all__ = ["FactorTraces", "TraceSummary", "Traces", "factor_traces"]

# How well a crossing is located, in u.
_NEAR = 1e-8


class TraceSummary(LabeledArray):
    """How far each feature lies from the center of the factor map, and how far it moves; D × 5.

    Distances at three points of the path, such as ``s = 0``, ``s = 1`` and ``s = ∞``: the length of
    the projected unit vector of the feature, from 0 (nothing of the feature is left in the
    picture) to 1 (all of it is). Then the lengths of its trace from the first point to the second
    and from the second to the third; a jump where the trace is broken does not count.

    Attributes
    ----------
    features : tuple of str
        D names.
    marks : tuple of str
        The three points.
    distances : ndarray of shape (D, 3)
    lengths : ndarray of shape (D, 2)
    most_preserved, least_preserved : str
        The features farthest from the center, and nearest to it, at the second point.

    See Also
    --------
    uapca.sensitivity.FactorTraces : Its ``summary()`` returns this table.

    Examples
    --------
    >>> import uapca
    >>> traces = uapca.factor_traces(uapca.datasets.load_students())
    >>> traces.summary().most_preserved
    'P1'
    """

    @property
    def features(self) -> tuple[str, ...]:
        return self.rows or ()

    @property
    def marks(self) -> tuple[str, ...]:
        return tuple(column.removeprefix("distance ") for column in self.columns[:3])

    @property
    def distances(self) -> Doubles:
        return self.values[:, :3]

    @property
    def lengths(self) -> Doubles:
        return self.values[:, 3:]

    @property
    def most_preserved(self) -> str:
        return self.features[int(self.distances[:, 1].argmax())]

    @property
    def least_preserved(self) -> str:
        return self.features[int(self.distances[:, 1].argmin())]

    def __repr__(self) -> str:
        best, worst = self.most_preserved, self.least_preserved
        return f"{super().__repr__()}\nmost preserved at {self.marks[1]}: {best}; least: {worst}"


@dataclass(frozen=True, eq=False, repr=False)
class Traces(ABC, Generic[AnyCrossing]):
    """What traces over the scale and over a weight have in common; see `FactorTraces`."""

    features: tuple[str, ...]
    ranks: Positions
    breaks: Positions
    _family: Family
    _path: Path
    _crossing: ClassVar[type[Crossing] | type[WeightCrossing]]

    @property
    def n_components(self) -> int:
        """How many components are shown, q."""
        return int(self.ranks.shape[1])

    @property
    def u(self) -> Doubles:
        return self._path.u

    @cached_property
    def positions(self) -> Doubles:
        return np.take_along_axis(self._path.vectors, self.ranks[:, None, :], axis=2)

    @property
    def eigenvectors(self) -> Doubles:
        """All eigenvectors as columns, each followed in its own column all along; (S, D, D).

        Column i is the one that has rank i at the first point of the grid.
        """
        return self._path.followed()

    @property
    def segments(self) -> tuple[slice, ...]:
        """The parts of the grid between the breaks: draw one line for each."""
        ends = [0, *map(int, self.breaks), len(self.u)]
        return tuple(slice(a, b) for a, b in pairwise(ends))

    @cached_property
    def crossings(self) -> tuple[AnyCrossing, ...]:
        """Every local minimum of the gap between neighboring eigenvalues of K, in their order.

        Found from the family itself, whatever the grid; computed when first asked for.
        """
        return crossings(self._family, self.n_components, self._crossing)  # type: ignore[arg-type]

    @cached_property
    def _broken_at(self) -> Doubles:
        """Where on the path, in u, the trace is broken.

        At the crossing of the last component shown with the next; the grid only tells between which
        of its points that is, and a crossing may lie on the first of them.
        """
        last, found = self.n_components - 1, []
        for k in self.breaks:
            low, high = self.u[k - 1] - _NEAR, self.u[k] + _NEAR
            near = [c for c in self.crossings if c.pair[0] == last and low <= c.u <= high]
            found.append(min(near, key=lambda c: c.gap).u if near else self.u[k])
        return np.array(found, dtype=np.float64)

    @abstractmethod
    def at(self, value: float, /) -> UAPCA:
        """The fit at one scale or weight."""

    def _summary(
        self, marks: tuple[str, str, str], middle: float, library: str | None
    ) -> TraceSummary:
        """The summary with marks at u = 0, ``middle`` and 1.

        Distances are those of the trace where a mark is on the grid, otherwise those of a fit
        there, at the ends those of the one-sided limit.
        """
        distances: list[Doubles] = []
        for mark in (0.0, middle, 1.0):
            at = np.array([mark])
            found = np.flatnonzero(self.u == mark)
            if len(found):
                leading = self.positions[found[0]]
            else:
                pairs = self._family.eigenpairs(1.0 - at, at)
                leading = pairs.vectors[0]
                if 0.0 < mark < 1.0:
                    leading = settled(pairs.values[0], leading.T).vectors.T
            distances.append(np.asarray(np.linalg.norm(leading[:, : self.n_components], axis=1)))
        steps = np.linalg.norm(np.diff(self.positions, axis=0), axis=2)
        steps[self.breaks - 1] = 0.0
        below = 0.5 * (self.u[:-1] + self.u[1:]) < middle
        lengths = np.stack([steps[below].sum(axis=0), steps[~below].sum(axis=0)], axis=1)
        names = [f"distance {mark}" for mark in marks]
        names += [f"length {a} to {b.rpartition(' ')[2]}" for a, b in pairwise(marks)]
        values = np.column_stack([*distances, lengths])
        return TraceSummary(values, self.features, tuple(names), "feature", library)

    def _text(self, values: Doubles, over: str, broken: Sequence[str]) -> str:
        count, d, q = self.positions.shape
        ends = f"{over} from {values[0]:.4g} to {values[-1]:.4g}"
        lines = [f"{type(self).__name__}: {d} features in {q} components, {count} {ends}"]
        lines.append("  features  " + ", ".join(self.features[:6]) + ", …" * (d > 6))
        return "\n".join(lines + [f"  broken at {', '.join(broken)}"] * bool(broken))


@dataclass(frozen=True, eq=False, repr=False)
class FactorTraces(Traces[Crossing]):
    """The projected unit vectors of the original axes for every scale s in [0, ∞].

    Returned by `factor_traces`.

    Attributes
    ----------
    scales : ndarray of shape (S,)
        s, increasing; the last may be infinite.
    u : ndarray of shape (S,)
        s / (1 + s), from 0 to 1: the axis on which the whole path has finite length.
    positions : ndarray of shape (S, D, q)
        ``positions[k, j]`` is that of the unit vector of feature j at ``scales[k]``. The q
        columns are the q leading eigenvectors of K(s), each in the column it had at the point
        before and with the sign it had there.
    ranks : ndarray of shape (S, q)
        The rank of each column's eigenvalue, from 0. It differs from 0, …, q - 1 only beyond a
        true crossing of two components that are both shown.
    breaks : ndarray of int
        Points k at which the trace starts anew: between ``scales[k - 1]`` and ``scales[k]`` the
        set of the q leading components changes at once, at a true crossing (or at an avoided one
        narrower than 1e-10 in u, which float64 cannot follow). ``broken_at`` has the scale; at a
        crossing on ``scales[k - 1]`` itself that point shows the side before it.
    features : tuple of str

    See Also
    --------
    uapca.factor_traces : The features in the picture as the uncertainty counts more.
    uapca.sensitivity.Crossing : Where two eigenvalues come close.

    Examples
    --------
    >>> import uapca
    >>> traces = uapca.factor_traces(uapca.datasets.load_students())
    >>> traces.positions.shape
    (139, 4, 2)
    >>> for crossing in traces.crossings:
    ...     print(crossing)
    <avoided crossing of λ2 and λ3 at s = 0.7784, relative gap 0.21>
    <avoided crossing of λ1 and λ2 at s = 2.272, relative gap 0.501>
    <avoided crossing of λ3 and λ4 at s = 2.751, relative gap 0.366>
    """

    scales: Doubles
    _fit: UAPCA
    _crossing = Crossing

    @cached_property
    def eigenvalues(self) -> Doubles:
        """Eigenvalues of K(s), decreasing; shape (S, D).

        At s = ∞ their limits: infinite, or where Ψ̄ has no variance, that of C.
        """
        values, infinite = self._path.values, np.isinf(self.scales)
        growth = np.square(1.0 + np.where(infinite, 0.0, self.scales))  # K(s) = (1 + s)² M(u)
        with np.errstate(over="ignore"):
            out = np.where(infinite[:, None], np.inf, values * growth[:, None])
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

    def at(self, s: float, /) -> UAPCA:
        """The fit at one scale, from C and Ψ̄ alone: a fitted `UAPCA` with q components.

        Fewer if the rows are certain and there are less than q of them: a fit has no more, while
        ``positions`` continues with directions that have no variance. Exactly at a true crossing,
        where two components are equally good, the fit follows the rule for ties and ``positions``
        shows the side before the crossing.
        """
        return self._fit.rescale(scale_from(s, "s"))

    def summary(self) -> TraceSummary:
        """Distances from the center at s = 0, 1 and ∞ and lengths of the traces, by feature.

        Lengths are those on the grid: with ``scales`` given, of what lies between them. Where a
        true crossing falls exactly on a mark, distances are those of the side below it, as in
        ``positions``.
        """
        library = getattr(self._fit, "_library", None)
        return self._summary(("s = 0", "s = 1", "s = ∞"), 0.5, library)

    def __repr__(self) -> str:
        return self._text(self.scales, "scales", [f"s = {s:.4g}" for s in self.broken_at])


def factor_traces(
    X: UncertainArray | UAPCA | Pipeline,
    n_components: int = 2,
    scales: npt.ArrayLike | None = None,
) -> FactorTraces:
    """Follow the projected unit vectors of the features as the uncertainty grows.

    At every scale s the q leading eigenvectors of K(s) = C + s²Ψ̄ span a picture, and the unit
    vector of each original axis has a position in it (a factor map). As s goes from 0, ordinary
    PCA, through 1, the data as given, to infinity, these positions draw the factor traces
    (Görtler et al. 2020, Sec. "Factor Traces").

    Parameters
    ----------
    X : UncertainArray, fitted UAPCA, or Pipeline that ends in one
        A fit brings its own units (``standardize``) and its scale: at that scale the trace has the
        fit's components, signs included.
    n_components : int, default=2
        How many components q the picture shows, from 2 to D.
    scales : array-like of shape (S,), optional
        Where to compute, increasing, from 0 to ``numpy.inf``; scales from 1e150 on, whose squares
        do not fit into float64, count as infinite. By default the grid is adaptive: so fine that
        no component shown turns by more than two degrees between neighboring points, with 0, 1 and
        infinity on it. A fixed grid that steps over a sharp avoided crossing cannot tell it from a
        true one and breaks the trace there; `FactorTraces.crossings` can.

    Returns
    -------
    FactorTraces

    See Also
    --------
    uapca.weight_traces : The same as one row counts more.
    uapca.plot.factor_traces : The features as the uncertainty counts more.
    uapca.plot.eigenvalues : Eigenvalues over the scale.

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
    >>> traces.positions.shape == (len(traces.scales), 3, 2)
    True
    >>> traces.at(np.inf).components_.round(2) + 0.0
    array([[0., 1., 0.],
           [0., 0., 1.]])
    >>> [(c.kind, c.pair) for c in traces.crossings]
    [('avoided', (1, 2)), ('avoided', (0, 1)), ('avoided', (1, 2))]
    """
    if isinstance(X, UAPCA | Pipeline):
        pca = unwrap(X)[0]
    else:
        pca = UAPCA(solver="eigh").fit(uncertain(X, "an UncertainArray or a fitted UAPCA"))
    if not hasattr(pca, "between_covariance_"):
        raise ValueError(
            f"X must be fitted with solver='eigh' to have C and Ψ̄; it used {pca.solver_!r}"
        )
    pca._check_all_scales()
    family = over_scale(pca.between_covariance_, pca.within_covariance_)
    q = shown_count(n_components, family.size)
    anchor = 1.0 if np.isinf(pca.scale) else pca.scale / (1.0 + pca.scale)
    if scales is None:
        path = adaptive_path(family, q, (0.0, 0.5, 1.0, anchor), anchor=anchor)
        with np.errstate(divide="ignore"):
            s = path.u / path.complement
    else:
        grid = increasing(scales, "scales", np.inf)
        s = np.array([scale_from(value, "scales") for value in grid])
        if np.isinf(s).sum() > 1:
            raise ValueError(
                "scales must have infinity only once, and scales from 1e150 on count as infinite; "
                f"got {grid[np.isinf(s)].tolist()}"
            )
        with np.errstate(invalid="ignore"):
            u = np.where(np.isinf(s), 1.0, s / (1.0 + s))
        path = fixed_path(family, u, 1.0 / (1.0 + s), anchor)
    names = feature_names(getattr(pca, "feature_names_in_", None), family.size)
    return FactorTraces(names, *path.shown(q), family, path, s, limited(pca, q))


def limited(pca: UAPCA, q: int) -> UAPCA:
    """The fit with q components; certain rows may have fewer."""
    new = copy.copy(pca)
    new.n_components = min(q, new._bound)
    return new


def uncertain(X: object, wanted: str = "an UncertainArray") -> UncertainArray:
    """``X`` itself, if it is an UncertainArray."""
    if not isinstance(X, UncertainArray):
        raise TypeError(f"X must be {wanted}; got {type(X).__name__}")
    return X


def shown_count(n_components: int, d: int) -> int:
    """The number of components shown: from 2 to D."""
    if d < 2:
        raise ValueError(f"X must have at least 2 features; got {d}")
    whole = isinstance(n_components, int | np.integer) and not isinstance(n_components, bool)
    if not whole or not 2 <= n_components <= d:
        raise ValueError(
            f"n_components must be an integer from 2 to the number of features, {d}; "
            f"got {shown(n_components)}"
        )
    return int(n_components)


def feature_names(names: Sequence[str] | npt.NDArray[np.str_] | None, d: int) -> tuple[str, ...]:
    """The features' names, x0, x1, … where there are none."""
    return tuple(f"x{j}" for j in range(d)) if names is None else tuple(map(str, names))


def increasing(values: npt.ArrayLike, parameter: str, highest: float) -> Doubles:
    """A grid: one or more numbers from 0 to ``highest``, each larger than the one before."""
    grid = as_floats(values, parameter).astype(np.float64)
    if grid.ndim != 1 or not len(grid):
        raise ValueError(f"{parameter} must be a list of numbers; got shape {grid.shape}")
    bad = np.flatnonzero(~((grid >= 0.0) & (grid <= highest)))
    if len(bad):
        raise ValueError(
            f"{parameter} must be from 0 to {highest:g}; got {grid[bad[0]]:g} at position {bad[0]}"
        )
    with np.errstate(invalid="ignore"):
        falls = np.flatnonzero(~(grid[1:] > grid[:-1]))
    if len(falls):
        a, b = grid[falls[0] : falls[0] + 2]
        raise ValueError(f"{parameter} must increase, each number once; got {b:g} after {a:g}")
    return grid
