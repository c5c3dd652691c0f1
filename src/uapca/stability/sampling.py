"""The sampling baseline: PCA of points drawn from the rows, and how it nears the closed form.

Paper, Sec. "Comparison To Sampling".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._progress import Progress, reported
from uapca._validation import Doubles, Seed, check_count, optional, rng_from
from uapca.compare import hellinger_to_each
from uapca.decomposition import UAPCA
from uapca.stability.simulation import check_data, draw_batches
from uapca.uncertain import UncertainArray

__all__ = [
    "SamplingConvergence",
    "fit_by_sampling",
    "make_sampling_experiment",
    "sampling_convergence",
]

_ROWS = 10  # distributions in the experiment of the paper


def fit_by_sampling(
    X: UncertainArray,
    n_samples: int,
    rng: Seed = None,
    *,
    n_components: int | float | None = None,
    progress: Progress = False,
) -> UAPCA:
    """The PCA of points drawn from every row: what `uapca.UAPCA` has in closed form.

    Each row is drawn ``n_samples`` times, from its law or as a normal, and an ordinary PCA (with
    divisor n) is done of all points together; a point weighs wₙ / n_samples. As n_samples grows
    this nears ``UAPCA().fit(X)``, with an error that falls like 1/√n_samples.

    Parameters
    ----------
    X : UncertainArray of shape (N, D)
    n_samples : int
        Draws from each row.
    rng : int, numpy.random.Generator or None
    n_components : int, float or None, default=None
        As in `uapca.UAPCA`.
    progress : bool or callable, default=False
        True shows a bar (needs tqdm); a function is called with (done, total).

    Returns
    -------
    UAPCA
        Fitted. ``get_covariance()`` is the covariance of all points; C and Ψ̄ are that between and
        within the rows' samples. The points themselves are not kept: memory is that of X.

    See Also
    --------
    sampling_convergence : How fast the two agree.
    simulate : One draw of each row at a time, each time a PCA.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.UncertainArray([[-2.0, 0.0], [0.0, 0.5], [2.0, -0.5]], std=[0.1, 3.0])
    >>> closed = uapca.UAPCA().fit(X)
    >>> uapca.hellinger(uapca.fit_by_sampling(X, 100, rng=0), closed) < 0.1
    True
    >>> uapca.hellinger(uapca.fit_by_sampling(X, 100_000, rng=0), closed) < 0.005
    True
    """
    X = check_data(X)
    n = check_count(n_samples, "n_samples")
    generator = rng_from(rng)
    with reported(progress, n, "samples") as done:
        return UAPCA(n_components).fit(_sampled(X, n, generator, done))


def _sampled(
    X: UncertainArray, n: int, rng: np.random.Generator, done: Callable[[int], None] | None = None
) -> UncertainArray:
    """Rows with the means of ``n`` draws of each, and with the covariance within the draws.

    By the law of total variance these rows have the mean and covariance of all the points.
    """
    d = X.shape[1]
    means, products = np.zeros(X.shape), np.zeros((d, d))
    roots = np.sqrt(X.weights)[:, None]
    for batch, points in draw_batches(X, n, rng):
        points -= X.mean  # deviations: their squares are as large as the result, and no larger
        means += points.sum(axis=0)
        points *= roots
        flat = points.reshape(-1, d)
        products += flat.T @ flat
        if done is not None:
            done(batch.stop - batch.start)
    means /= n
    shares = means * roots
    within = products / n - shares.T @ shares
    means += X.mean
    return UncertainArray(
        means, within, weights=X.given_weights, names=X.names, features=X.features, check=False
    )


@dataclass(frozen=True, slots=True, eq=False)
class SamplingConvergence:
    """Distances between sampled and closed-form PCA.

    Attributes
    ----------
    dims : ndarray of shape (d,)
        Numbers of features.
    n_samples : ndarray of shape (k,)
        Draws from each row.
    distances : ndarray of shape (d, k, n_runs)
        Hellinger distance of each run.

    See Also
    --------
    uapca.sampling_convergence : How many samples the baseline needs.

    Examples
    --------
    >>> import uapca
    >>> result = uapca.sampling_convergence(dims=[2], n_samples=[10, 1000], n_runs=3, rng=0)
    >>> result.distances.shape
    (1, 2, 3)
    >>> bool(result.distances[0, 0].mean() > result.distances[0, 1].mean())
    True
    """

    dims: npt.NDArray[np.int64]
    n_samples: npt.NDArray[np.int64]
    distances: Doubles

    @property
    def median(self) -> Doubles:
        """The median over the runs, shape (d, k)."""
        return np.asarray(np.median(self.distances, axis=2))

    def slopes(self) -> Doubles:
        """The slope of ln median over ln n_samples for each number of features, shape (d,).

        −½ is the rate of the law of large numbers.
        """
        if len(self.n_samples) < 2:
            raise ValueError(
                f"n_samples must have two or more values for a slope; got {len(self.n_samples)}"
            )
        return np.asarray(np.polyfit(np.log(self.n_samples), np.log(self.median).T, 1)[0])

    def to_frame(self) -> Any:
        """A pandas data frame with a row for each run: n_features, n_samples, run, distance."""
        pd = optional("pandas", "to_frame", "frames")
        i, j, run = (index.ravel() for index in np.indices(self.distances.shape))
        return pd.DataFrame(
            {
                "n_features": self.dims[i],
                "n_samples": self.n_samples[j],
                "run": run,
                "distance": self.distances.ravel(),
            }
        )

    def __repr__(self) -> str:
        runs = self.distances.shape[2]
        lines = [f"SamplingConvergence: median Hellinger distance of {runs} runs"]
        lines.append("  features" + "".join(f"{f'n={n}':>9}" for n in self.n_samples))
        for d, row in zip(self.dims, self.median, strict=True):
            lines.append(f"  {d:>8}" + "".join(f"{value:9.4f}" for value in row))
        return "\n".join(lines)


def sampling_convergence(
    dims: Iterable[int] = range(2, 13),
    n_samples: Sequence[int] = (10, 30, 100, 300, 1000, 3000),
    n_runs: int = 40,
    rng: Seed = None,
    *,
    progress: Progress = False,
) -> SamplingConvergence:
    """The experiment of the paper: how many samples it takes to match the closed form.

    For each number of features D there are 10 normal distributions: means from N(0, Σ), and one
    covariance for all, Σ with its elements reversed. Σ is a draw of BBᵀ/D with B a D × D matrix of
    standard normals. Every run draws new samples of each distribution, does an ordinary PCA of all
    samples, and takes its Hellinger distance to the closed form.

    Parameters
    ----------
    dims : iterable of int, default=range(2, 13)
        Numbers of features.
    n_samples : sequence of int, default=(10, 30, 100, 300, 1000, 3000)
        Draws from each distribution.
    n_runs : int, default=40
    rng : int, numpy.random.Generator or None
    progress : bool or callable, default=False
        True shows a bar (needs tqdm); a function is called with (done, total).

    Returns
    -------
    SamplingConvergence

    See Also
    --------
    uapca.fit_by_sampling : PCA of samples, the baseline.
    uapca.plot.convergence : Sampling against the closed form.

    Examples
    --------
    >>> import uapca
    >>> result = uapca.sampling_convergence(dims=[2, 8], n_samples=[10, 100, 1000], rng=0)
    >>> result
    SamplingConvergence: median Hellinger distance of 40 runs
      features     n=10    n=100   n=1000
             2   0.0483   0.0204   0.0049
             8   0.2056   0.0651   0.0196
    >>> result.slopes().round(1)
    array([-0.5, -0.5])
    """
    features = [check_count(d, "dims") for d in _listed(dims, "dims")]
    counts = [check_count(n, "n_samples") for n in _listed(n_samples, "n_samples")]
    runs = check_count(n_runs, "n_runs")
    generator = rng_from(rng)
    distances = np.empty((len(features), len(counts), runs))
    # Progress is counted in numbers drawn: the last counts take almost all of the time.
    total = sum(d * n for d in features for n in counts)
    with reported(progress, total, "numbers") as done:
        for i, d in enumerate(features):
            X = make_sampling_experiment(d, generator)
            closed = X.pooled()
            for j, n in enumerate(counts):
                moments = [_sampled(X, n, generator).pooled() for _ in range(runs)]
                means, covs = map(np.stack, zip(*moments, strict=True))
                distances[i, j] = hellinger_to_each(closed, means, covs)
                done(d * n)
    return SamplingConvergence(np.array(features), np.array(counts), distances)


def make_sampling_experiment(n_features: int, rng: Seed = None) -> UncertainArray:
    """Ten normals for the comparison with sampling, in any number of features.

    The means are drawn from N(0, Σ); every row has the covariance Σ with its elements reversed,
    ``Σ[::-1, ::-1]`` (paper, Sec. "Comparison"). Here Σ = B Bᵀ / D for a matrix B of independent
    standard normals.

    Parameters
    ----------
    n_features : int
        The paper uses 2 to 12.
    rng : None, int or numpy.random.Generator, optional

    Returns
    -------
    UncertainArray of shape (10, n_features)

    See Also
    --------
    uapca.sampling_convergence : How many samples the baseline needs.

    Examples
    --------
    >>> import uapca
    >>> uapca.datasets.make_sampling_experiment(4, rng=0).shape
    (10, 4)
    """
    d = check_count(n_features, "n_features")
    generator = rng_from(rng)
    factor = generator.standard_normal((d, d)) / np.sqrt(d)
    sigma = factor @ factor.T
    mean = generator.standard_normal((_ROWS, d)) @ factor.T
    return UncertainArray(mean, sigma[::-1, ::-1])


def _listed(values: Any, parameter: str) -> list[Any]:
    """The values as a list that is not empty."""
    items = list(values) if np.iterable(values) else [values]
    if not items:
        raise ValueError(f"{parameter} must have at least one value; got none")
    return items
