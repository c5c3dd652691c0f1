"""Stated against measured coverage of `uapca.component_uncertainty`.

``python -m benchmarks.coverage`` prints all rows; everything is seeded. ``--write PAGE`` replaces
the tables of docs/coverage.md, ``--jobs 2`` uses two processes, and a text keeps the rows whose
arguments contain it. Rows in which stated intervals do not cover have an exclamation mark.
"""

from __future__ import annotations

import argparse
import itertools
import re
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.linalg import eigh

import uapca
from uapca.laws import Independent, Mixture, Normal, Samples, Uniform, Variable

__all__ = ["LEVELS", "Row", "groups_row", "rows", "truth_row", "values_row"]

Doubles = npt.NDArray[np.float64]
LEVELS = (0.9, 0.95, 0.99)
REDRAWS = 1000  # of the values of one data set
DATA_SETS = 400  # of groups; observations take half as many, since each has a Denoiser
MANY = 1200  # where few data sets state an interval
CONTINUED = 4  # times as many data sets where a coverage is beyond the promise, by chance or not
FEWEST = 20  # data sets that state an interval, for a coverage to be given
DRAWS = 199  # in each simulation of these: tails of 5, 2.5 and 0.5 % are whole numbers of draws


@dataclass(frozen=True)
class Row:
    """Measured coverage of one setting.

    Attributes
    ----------
    setting : str
    method : str
        Of the figures, or of most of them.
    stated : ndarray of shape (3,)
        Share of data sets for which an interval of λ₁, λ₂ and the share of λ₁ is stated; NaN for
        what one feature does not have.
    coverage : ndarray of shape (3, 3)
        Of these figures, at 90, 95 and 99 %; NaN where nothing is stated.
    runs : int
        Number of data sets or redraws.
    tilt : float
        Stated tilt of PC1 divided by that of the redraws or, root mean square over the data sets
        in which PC1 can be told apart, by that from the components of the population.
    """

    setting: str
    method: str
    stated: Doubles
    coverage: Doubles
    runs: int
    tilt: float

    def line(self) -> str:
        cells = [self.setting, self.method]
        for stated, found in zip(self.stated, self.coverage, strict=True):
            text = " / ".join(f"{100 * x:.1f}" for x in found)
            if 0.0 < stated < 0.995:
                text += f" (stated for {100 * stated:.{0 if stated > 0.1 else 1}f} %)"
            if np.isnan(stated):
                text = "–"
            elif stated * self.runs < FEWEST:
                text = "refused" + f" for {100 * (1 - stated):.1f} %" * bool(stated)
            cells.append(text)
        cells.append("–" if np.isnan(self.tilt) else f"{self.tilt:.2f}")
        return "| " + " | ".join(cells) + " |" + " !" * bool(self.faults())

    def faults(self, errors: float = 3.0) -> list[str]:
        """Where stated intervals cover otherwise, by more than 2.5 points and 3 standard errors."""
        found = []
        for figure, stated, each in zip(
            ("λ₁", "λ₂", "share"), self.stated, self.coverage, strict=True
        ):
            for p, covered in zip(LEVELS, each, strict=True):
                slack = 0.025 + errors * np.sqrt(p * (1.0 - p) / max(stated * self.runs, 1.0))
                if stated * self.runs >= FEWEST and abs(covered - p) > slack:
                    found.append(f"{figure} at {p:g}")
        return found


HEADER = (
    "| setting | method | λ₁ at 90 / 95 / 99 % | λ₂ | share of λ₁ | tilt, stated / measured |\n"
    "|---|---|---|---|---|---|"
)

_MEAN, _STD = stats.lognorm(0.5).mean(), stats.lognorm(0.5).std()
# Errors with mean 0 and standard deviation 1.
DRAWN: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Doubles]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "uniform": lambda rng, shape: rng.uniform(-np.sqrt(3), np.sqrt(3), shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1.0,
    "t5": lambda rng, shape: rng.standard_t(5, shape) * np.sqrt(0.6),
    "Laplace": lambda rng, shape: rng.laplace(size=shape) / np.sqrt(2.0),
    "log-normal": lambda rng, shape: (rng.lognormal(0.0, 0.5, shape) - _MEAN) / _STD,
    "Poisson": lambda rng, shape: (rng.poisson(2.0, shape) - 2.0) / np.sqrt(2.0),
    # Nine tenths near −1/3 and one tenth near 3.
    "mixture": lambda rng, shape: (
        (np.where(rng.random(shape) < 0.9, -1.0, 9.0) / 3.0 + 0.3 * rng.standard_normal(shape))
        / np.sqrt(1.09)
    ),
}


def _law(name: str, mean: Doubles, std: Doubles) -> object:
    """The law of a row with independent errors."""
    half = np.sqrt(3.0)
    marginals: dict[str, Callable[[float, float], object]] = {
        "uniform": lambda x, s: Uniform(x - half * s, x + half * s),
        "exponential": lambda x, s: Variable(stats.expon(x - s, s)),
        "t5": lambda x, s: Variable(stats.t(5, x, s * np.sqrt(0.6))),
        "Laplace": lambda x, s: Variable(stats.laplace(x, s / np.sqrt(2.0))),
        "log-normal": lambda x, s: Variable(stats.lognorm(0.5), s / _STD, x - s * _MEAN / _STD),
    }
    if name in marginals:
        return Independent([marginals[name](x, s) for x, s in zip(mean, std, strict=True)])
    parts, weights = [], []
    for signs in itertools.product((0, 1), repeat=len(mean)):
        at = np.where(np.array(signs) == 0, -1.0, 9.0) / 3.0 / np.sqrt(1.09)
        parts.append(Normal(mean + std * at, np.diag(np.square(0.3 * std) / 1.09)))
        weights.append(0.9 ** signs.count(0) * 0.1 ** signs.count(1))
    return Mixture(weights, parts)


def values_row(
    n: int,
    d: int,
    noise: float,
    law: str = "normal",
    standardize: bool = False,
    weights: float = 1.0,
    correlated: bool = False,
    redraws: int = REDRAWS,
    runs: int = 1,
) -> Row:
    """Rows with known laws: the eigenvalues of the true values of some data sets.

    Rows weigh from 1 to ``weights``, evenly spaced.
    """
    w = np.linspace(1.0, weights, n)
    w = w / w.sum()
    rng = np.random.default_rng([n, d, int(10 * noise)])
    q = min(2, d)
    spread = np.full(d, 0.2)
    spread[:4] = [1.0, 0.7, 0.45, 0.3][:d]

    def data_set() -> tuple[str, Doubles, tuple[float, float]]:
        mean, std = rng.standard_normal((n, d)) * spread, noise * rng.uniform(0.7, 1.3, (n, d))
        laws = None if law == "normal" else [_law(law, *row) for row in zip(mean, std, strict=True)]
        X = uapca.UncertainArray(mean, std=std, weights=w, laws=laws)
        half = np.eye(d)
        if correlated:
            half = rng.standard_normal((n, d, d)) / np.sqrt(d)
            half = std[:, :, None] * half
            X = uapca.UncertainArray(mean, half @ half.transpose(0, 2, 1), weights=w)
        found = uapca.component_uncertainty(X, q, standardize=standardize)
        values, shares, square = np.empty((redraws, q)), np.empty((redraws, q)), 0.0
        for k in range(redraws):
            errors = DRAWN[law](rng, (n, d))
            points = mean + (np.einsum("nde,ne->nd", half, errors) if correlated else std * errors)
            points = (points - w @ points) * np.sqrt(w)[:, None]
            if standardize:
                points /= np.linalg.norm(points, axis=0)
            gram = points.T @ points if d <= n else points @ points.T
            figures, vectors = eigh(gram, subset_by_index=[len(gram) - q, len(gram) - 1])
            values[k], shares[k] = figures[::-1], figures[::-1] / np.square(points).sum()
            leading = vectors[:, -1] if d <= n else points.T @ vectors[:, -1]
            cosine = abs(leading @ found.components[0]) / np.linalg.norm(leading)
            square += np.arccos(min(cosine, 1.0)) ** 2
        hits = np.array([_inside(found, p, values, shares) for p in LEVELS]).transpose(1, 0, 2)
        return found.method, hits, (float(found.angle[0]), np.sqrt(square / redraws))

    name = f"N = {n}, D = {d}, noise {noise:g}, {law}" + ", standardized" * standardize
    name += f", weights 1 to {weights:g}" * (weights != 1.0) + ", correlated" * correlated
    return _measured(name, data_set, runs)


def groups_row(
    groups: int,
    n: int | tuple[int, ...],
    d: int,
    law: str = "normal",
    keep: bool = False,
    normal: bool | None = None,
    variances: tuple[float, ...] | None = None,
    standardize: bool = False,
    runs: int = DATA_SETS,
) -> Row:
    """Groups of n points: the eigenvalues of the population; of one group with given variances.

    Groups of several sizes n weigh as many points as they have.
    ``normal`` is whether the points are said to be normal, by default if they are and not kept.
    """
    known = (law == "normal" and not keep) if normal is None else normal
    sizes = np.broadcast_to(n, groups)
    w = sizes / sizes.sum()
    rng = np.random.default_rng([groups, sizes[0], d])
    axes = np.linalg.qr(rng.standard_normal((d, d)))[0]
    mean = rng.standard_normal((groups, d)) * np.array([3.0, 1.0, *[0.2] * d])[:d]
    half = axes * np.array([1.0, 0.6, 0.3, *[0.2] * d])[:d]
    if variances is not None:
        half = np.diag(np.sqrt(variances))
    centered = mean - w @ mean
    population = (centered.T * w) @ centered + half @ half.T

    def found() -> uapca.stability.ComponentUncertainty:
        points = np.repeat(mean, sizes, axis=0) + DRAWN[law](rng, (sizes.sum(), d)) @ half.T
        points = np.split(points, np.cumsum(sizes)[:-1])
        X = uapca.UncertainArray(
            [p.mean(axis=0) for p in points],
            [np.cov(p.T, ddof=0).reshape(d, d) for p in points],
            weights=w,
            counts=sizes,
            laws=[Samples(p) for p in points] if keep else None,
        )
        return uapca.component_uncertainty(
            X, min(2, d), normal=known, standardize=standardize, n_draws=DRAWS, rng=rng
        )

    tied = f", λ = {', '.join(f'{x:g}' for x in variances)}" if variances else ""
    listed = ", ".join(map(str, sizes)) if np.ptp(sizes) else str(sizes[0])
    name = f"{groups} group{'s' * (groups > 1)} of {listed}, D = {d}, {law}{tied}"
    name += ", points kept" if keep else "" if known else ", neither kept nor called normal"
    return _sampled(name, population, found, runs, standardize)


def truth_row(
    n: int,
    noise: float,
    law: str = "normal",
    standardize: bool = False,
    missing: float = 0.0,
    runs: int = DATA_SETS // 2,
) -> Row:
    """Noisy observations through `Denoiser`: the eigenvalues of the population of truths.

    Normal truths are said to be so.
    """
    rng = np.random.default_rng([n, int(10 * noise)])
    half = np.diag([2.0, 1.0, 0.5])
    if standardize:  # features with correlations
        half = np.array([[2.0, 0.0, 0.0], [1.5, 1.0, 0.0], [1.0, -0.5, 0.5]])

    def found() -> uapca.stability.ComponentUncertainty:
        truth = DRAWN[law](rng, (n, 3)) @ half.T
        std = noise * rng.uniform(0.7, 1.3, truth.shape)
        seen = truth + std * rng.standard_normal(truth.shape)
        if missing:
            seen[rng.random(seen.shape) < missing] = np.nan
        rows = uapca.Denoiser().fit_transform(seen, std=std)
        return uapca.component_uncertainty(
            rows, normal=law == "normal", standardize=standardize, n_draws=DRAWS, rng=rng
        )

    name = f"N = {n}, D = 3, noise {noise:g}, {law} truths"
    name += f", {100 * missing:.0f} % of the cells missing" * (missing > 0.0)
    return _sampled(name, half @ half.T, found, runs, standardize)


def _sampled(
    setting: str,
    population: Doubles,
    found: Callable[[], uapca.stability.ComponentUncertainty],
    runs: int,
    standardize: bool,
) -> Row:
    """The row of a population from which data sets are drawn."""
    if standardize:
        units = np.sqrt(population.diagonal())
        population, setting = population / units / units[:, None], f"{setting}, standardized"
    values, vectors = np.linalg.eigh(population)
    values, leading = values[::-1], vectors[:, -1]

    def data_set() -> tuple[str, Doubles, tuple[float, float]]:
        result = found()
        q = len(result.eigenvalues)
        figures = values[:q], values[:q] / values.sum()
        hits = np.array([[_inside(result, p, *figures) for p in LEVELS]])
        tilts = float("nan"), float("nan")
        if result.verdict and result.verdict[0].startswith("PC1 is known to"):
            cosine = min(abs(float(result.components[0] @ leading)), 1.0)
            tilts = float(result.angle[0]), float(np.arccos(cosine))
        return result.method, hits, tilts

    return _measured(setting, data_set, runs)


def _measured(
    setting: str, data_set: Callable[[], tuple[str, Doubles, tuple[float, float]]], runs: int
) -> Row:
    """The row of so many data sets, or more where a coverage is beyond the promise.

    A data set gives its method, hits of shape (redraws, 3, 2q) of eigenvalues and shares, and the
    stated and measured tilt.
    """
    found = [data_set() for _ in range(runs)]
    if _row(setting, found).faults(0.0):
        found += [data_set() for _ in range((CONTINUED - 1) * runs)]
    return _row(setting, found)


def _inside(
    found: uapca.stability.ComponentUncertainty, p: float, values: Doubles, shares: Doubles
) -> Doubles:
    """Whether eigenvalues and shares are in their intervals; NaN where none is stated."""
    bounds = np.concatenate([found.eigenvalue_interval(p), found.share_interval(p)])
    figures = np.concatenate([values, shares], axis=-1)
    low, high = bounds.T
    slack = 1e-9 * np.abs(high)
    hit = (figures >= low - slack) & (figures <= high + slack)
    return np.where(np.isnan(low), np.nan, hit)


def _row(setting: str, found: list[tuple[str, Doubles, tuple[float, float]]]) -> Row:
    methods = [method for method, _, _ in found]
    hits = np.concatenate([each for _, each, _ in found])
    runs, _, figures = hits.shape
    chosen = [0, 1, 2] if figures == 4 else [0]
    stated, coverage = np.full(3, np.nan), np.full((3, 3), np.nan)
    stated[: len(chosen)] = (~np.isnan(hits[:, 0, chosen])).mean(axis=0)
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # nothing stated
        coverage[: len(chosen)] = np.nanmean(hits[:, :, chosen], axis=0).T
        tilts = np.sqrt(np.nanmean(np.square([tilt for _, _, tilt in found]), axis=0))
        tilt = float(tilts[0] / tilts[1])
    return Row(setting, max(set(methods), key=methods.count), stated, coverage, runs, tilt)


VALUES = [
    *itertools.product(((10, 1), (10, 5), (10, 50), (10, 300), (100, 5), (100, 50)), (0.1, 0.5, 2)),
    *itertools.product(((500, 20),), (0.1, 0.5, 2)),
    *itertools.product(((500, 300),), (0.1, 1)),
    ((100, 1), 0.5),
    ((500, 1), 2),
    ((20, 150), 1),
    ((200, 40), 0.2),
    ((100, 300), 2),
]
GROUPS = [
    (3, 5, 1),
    (3, 5, 4),
    (3, 10, 4),
    (3, 20, 4),
    (3, 50, 4),
    (3, 500, 4),
    (10, 5, 4),
    (10, 50, 10),
    (12, 20, 6),
    (30, 5, 3),
    (30, 20, 10),
    (1, 40, 12),
]


def rows() -> Iterator[tuple[str, Callable[[], Row]]]:
    """Names of the tables with their rows."""
    for (n, d), noise in VALUES:
        yield (
            "values",
            partial(values_row, n, d, noise, redraws=REDRAWS // (4 if d * n > 1e5 else 1)),
        )
    for law in ("uniform", "exponential", "t5", "mixture"):
        for n, d, noise in ((10, 1, 0.5), (10, 3, 2.0), (100, 3, 0.5), (100, 3, 2.0)):
            yield "values", partial(values_row, n, d, noise, law)
        for n, d, noise in ((15, 2, 0.1), (500, 2, 0.3)):
            yield "values", partial(values_row, n, d, noise, law)
        if law != "mixture":  # of 2^D parts
            yield "values", partial(values_row, 10, 20, 2.0, law)
            yield "values", partial(values_row, 300, 10, 2.0, law)
    for n, d, noise in ((10, 5, 0.5), (40, 5, 0.3), (100, 5, 0.5), (100, 5, 2.0)):
        yield "values", partial(values_row, n, d, noise, standardize=True)
    yield "values", partial(values_row, 37, 7, 0.8, "Laplace", weights=15.0)
    yield "values", partial(values_row, 23, 3, 0.9, "log-normal")
    yield "values", partial(values_row, 61, 9, 0.5, correlated=True)
    yield "values", partial(values_row, 19, 29, 0.4, weights=6.0, correlated=True)
    for groups, n, d in GROUPS:
        runs = MANY if (groups, n) in ((3, 10), (10, 5)) else DATA_SETS
        yield "groups", partial(groups_row, groups, n, d, runs=runs)
    for groups, n, d, runs in (
        (1, 25, 3, 200),
        (2, 15, 6, 200),
        (3, 500, 12, 150),
        (5, 30, 3, 600),
        (8, 12, 3, 300),
        (25, 10, 8, 150),
    ):
        yield "groups", partial(groups_row, groups, n, d, runs=runs)
    for variances in ((3.0, 1.4, 0.7, 0.3), (3.0, 1.0, 1.0, 0.3)):
        yield "groups", partial(groups_row, 1, 60, 4, variances=variances, runs=MANY)
    for groups, n, d in ((3, 20, 4), (3, 50, 4), (30, 5, 3), (30, 20, 10)):
        yield "groups", partial(groups_row, groups, n, d, standardize=True, runs=DATA_SETS // 4)
    for law in ("normal", "exponential"):
        for groups in (1, 3):
            row = partial(groups_row, groups, 500, 3, law, keep=True, runs=DATA_SETS // 4)
            yield "groups", partial(row, standardize=True)
    for law in ("normal", "uniform", "exponential", "t5", "mixture"):
        for groups, n in ((1, 500), (3, 500), (30, 20)):
            runs = 1000 if (groups, law) == (1, "exponential") else DATA_SETS
            yield "groups", partial(groups_row, groups, n, 3, law, keep=True, runs=runs)
    for groups, n, d, law, runs in (
        (1, 500, 1, "exponential", 300),
        (1, 500, 6, "t5", 300),
        (2, 250, 5, "uniform", 300),
        (5, 100, 4, "mixture", 300),
        (20, 25, 2, "exponential", 300),
    ):
        yield "groups", partial(groups_row, groups, n, d, law, keep=True, runs=runs)
    unequal = (5, 9, 20, 60, 150, 300)
    yield "groups", partial(groups_row, 6, unequal, 5)
    for law in ("Laplace", "Poisson"):
        yield "groups", partial(groups_row, 6, unequal, 4, law, keep=True)
    yield "groups", partial(groups_row, 2, 400, 3, "log-normal", keep=True)
    yield "groups", partial(groups_row, 5, (7, 11, 17, 29, 41), 3)
    for law in ("uniform", "exponential", "t5"):
        yield "groups", partial(groups_row, 3, 50, 3, law, keep=True, runs=DATA_SETS // 4)
    for law in ("normal", "exponential"):
        yield "groups", partial(groups_row, 3, 500, 3, law, normal=False)
    for n, noise in ((50, 0.5), (50, 1.5), (200, 0.5)):
        runs = MANY // 2 if noise == 1.5 else DATA_SETS // 2
        yield "truth", partial(truth_row, n, noise, runs=runs)
    for n, noise, runs in ((80, 0.2, 150), (120, 1.0, 100)):
        yield "truth", partial(truth_row, n, noise, runs=runs)
    for n in (50, 200):
        yield "truth", partial(truth_row, n, 0.5, standardize=True)
    for n, law in ((200, "exponential"), (500, "uniform"), (500, "exponential"), (500, "t5")):
        runs = MANY if law == "t5" else DATA_SETS // 2
        yield "truth", partial(truth_row, n, 0.5, law, runs=runs)
    for noise, law in ((1.0, "exponential"), (0.1, "t5")):
        yield "truth", partial(truth_row, 600, noise, law, runs=400)
    yield "truth", partial(truth_row, 151, 0.5, missing=0.1)
    yield "truth", partial(truth_row, 701, 0.5, "Laplace", missing=0.1)


def _line(k: int) -> str:
    """The row at position k as a line of a table."""
    warnings.simplefilter("ignore", uapca.SeparationWarning)
    return next(itertools.islice(rows(), k, None))[1]().line()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", nargs="?", default="")
    parser.add_argument("--write", type=Path, help="page of which the tables are replaced")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    tables = [
        (table, k)
        for k, (table, make) in enumerate(rows())
        if options.text in f"{table} {make.args} {make.keywords}"  # type: ignore[attr-defined]
    ]
    written: dict[str, list[str]] = {}
    with ProcessPoolExecutor(options.jobs) as pool:
        lines = pool.map(_line, [k for _, k in tables])
        for (table, _), line in zip(tables, lines, strict=True):
            if table not in written:
                print(f"\n{table}\n\n{HEADER}")
            print(line, flush=True)
            written.setdefault(table, []).append(line.removesuffix(" !"))
    if options.write and not options.text:
        parts = re.split(
            r"^\| setting .*\n(?:\|.*\n)+", options.write.read_text(), flags=re.MULTILINE
        )
        for k, found in enumerate(written.values()):
            parts[k] += HEADER + "\n" + "\n".join(found) + "\n"
        options.write.write_text("".join(parts))


if __name__ == "__main__":
    main()
