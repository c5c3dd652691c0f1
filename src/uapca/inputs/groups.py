"""Labelled points: one uncertain row for each label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from uapca._progress import Progress
from uapca._validation import (
    Floats,
    as_floats,
    check_finite,
    check_labels,
    complaint,
    rng_from,
)
from uapca.aggregate import Moments
from uapca.aggregate.binning import binning_of
from uapca.aggregate.keys import Keyed, ordered
from uapca.aggregate.labels import Factor, compressed
from uapca.inputs.clusters import check_engine, engine_of, gathered
from uapca.inputs.columns import columns_of, is_frame
from uapca.inputs.labelled import (
    LabelledPoints,
    check_choice,
    checked,
    feature_columns,
    group_points,
    labelled_points,
)
from uapca.inputs.plan import chunk_rows, planned
from uapca.inputs.sources import is_streamed, sources_of
from uapca.inputs.streams import collected, learned, say
from uapca.laws import Samples
from uapca.uncertain import UncertainArray

__all__ = ["from_groups"]


def from_groups(
    points: Any,
    by: Any = None,
    spread: Literal["std", "sem"] = "std",
    *,
    bins: Any = None,
    keep_samples: bool = False,
    missing: Literal["raise", "drop"] = "raise",
    nulls: Literal["raise", "drop"] = "raise",
    bad_files: Literal["raise", "skip"] = "raise",
    features: Sequence[str] | None = None,
    chunk: int = 262_144,
    progress: Progress = False,
    rng: Any = None,
) -> UncertainArray:
    """One row for each label: the mean of its points and their covariance, weighted by their count.

    Parameters
    ----------
    points : array-like of shape (n, D), data frame, path, Arrow dataset or reader, Dask, Spark
        Any frame `from_frame` reads; or the points where they are: a Parquet, CSV or Arrow file, a
        folder, a pattern such as ``"folder/*.parquet"``, a list of these, a
        ``pyarrow.dataset.Dataset`` or a ``pyarrow.RecordBatchReader``. These are read a chunk at
        a time and only in the columns that are needed, and may be larger than memory.
        Or a Dask array, a Dask or a Spark data frame: these are summed where they are, and only
        the sums travel.
    by : array-like of shape (n,), str or list of str
        The label of each point; for a frame or a file the column that holds it, or several columns
        whose combinations are the labels. Columns of pandas frames that are named by numbers are
        asked for by their number.
    spread : {"std", "sem"}, default="std"
        What the rows are to stand for. ``"std"``: the points themselves, with their population
        covariance (÷ n). The rows then have exactly the moments of all points (law of total
        variance), for any labelling; a label with one point is certain. ``"sem"``: the mean of
        replicates, with the covariance of that mean, the unbiased covariance ÷ n; a label with
        one point has none and is refused.
    bins : int or dict, optional
        For points without labels, in place of ``by``. A number: that many clusters, found by
        mini-batch k-means in features of unit variance. A number of cells for some features,
        such as ``{"x": 20, "y": 25}`` (columns of an array by ``"0"``, ``"1"``, …): the occupied
        cells of a grid between their extremes. Files are read twice.
    keep_samples : bool, default=False
        Whether to keep the points as the law of their row, so that its density shows their
        shape. For points in memory and ``spread="std"`` only.
    missing : {"raise", "drop"}, default="raise"
        What to do with points whose label is missing (None, NaN): refuse, or leave them out.
    nulls : {"raise", "drop"}, default="raise"
        What to do with points of which a value is missing (null, NaN): refuse, or leave the whole
        point out and say how many in a `DroppedRowsWarning`. Never a value alone: covariances
        of pairs of columns from different points need not be positive semi-definite.
    bad_files : {"raise", "skip"}, default="raise"
        What to do with a file that is damaged or unlike the first, or breaks one of the two
        rules above: refuse, or leave the whole file out and say which in a `SkippedFilesWarning`
        (then a file must be like most of them, not like the first).
    features : sequence of str, optional
        For a frame or a file, the columns to use: by default all columns of numbers other than
        ``by``. For an array, the names of its columns.
    chunk : int, default=262144
        Rows of a file in memory at a time; up to five chunks are, besides the D² numbers for each
        label.
    progress : bool or callable, default=False
        True shows a bar for files (needs tqdm); a function is called with what is done and the
        total.
    rng : int, numpy.random.Generator or None
        Seed of the clusters of ``bins``.

    Returns
    -------
    UncertainArray
        Rows named by their labels, in rising order, or that of the categories of a categorical
        (pandas' categories, polars' Enum, Arrow's dictionaries); ``total_weight`` is the number
        of points.

    See Also
    --------
    uapca.Aggregator : For points that come over time.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.from_groups([[0.0, 1.0], [2.0, 1.0], [5.0, 5.0]], by=["a", "a", "b"])
    >>> X
    UncertainArray: 2 rows × 2 features, a covariance for each row, weights 0.333 to 0.667
      a  1 ± 1  1 ± 0
      b  5 ± 0  5 ± 0
    >>> X.total_weight
    3.0
    """
    check_choice("spread", spread)
    check_choice("missing", missing)
    check_choice("nulls", nulls)
    check_choice("bad_files", bad_files)
    engine = engine_of(points)
    if engine is not None:
        check_engine(
            engine, bins=bins, keep_samples=keep_samples, bad_files=bad_files, progress=progress
        )
        rows = chunk_rows(chunk)
        return gathered(points, by, features, missing, nulls, rows).to_uncertain(spread)
    streamed = is_streamed(points)
    _check_samples(keep_samples, spread, streamed)
    if bins is not None and by is not None:
        raise ValueError(
            complaint(
                "bins",
                "be left out where by gives the labels",
                "got both",
                "Leave one out",
            )
        )
    if streamed:
        return _streamed(
            points, by, features, bins, rng, missing, nulls, bad_files, chunk, progress
        ).to_uncertain(spread)
    if bins is not None:
        data, dropped = _binned(points, bins, features, nulls, rng)
    else:
        data, dropped = _complete(labelled_points(points, by, features, missing), nulls)
    codes, labels = data.factor
    try:
        moments = Moments.of(
            data.points, Keyed(codes, labels, (labels,)), features=data.features, missing="drop"
        )
    except ValueError:
        _check_named(data)
        raise
    say(dropped, None, stacklevel=3)
    X = moments.to_uncertain(spread)
    if not keep_samples:
        return X
    return UncertainArray(
        X.mean,
        X.cov,
        weights=moments.sums.counts,
        counts=moments.sums.counts,
        names=labels,
        features=data.features,
        laws=_samples(data),
        check=False,
    )


def _streamed(
    points: Any,
    by: Any,
    features: Any,
    bins: Any,
    rng: Any,
    missing: str,
    nulls: str,
    bad_files: str,
    chunk: Any,
    progress: Progress,
) -> Moments:
    """The moments of points in files."""
    named = isinstance(by, str) or (
        isinstance(by, list | tuple) and by and all(isinstance(key, str) for key in by)
    )
    if bins is None and not named:
        raise TypeError(
            complaint(
                "by",
                "name a column of the files, or several",
                f"got {by!r}" if by is None else f"got {type(by).__name__}",
                "Labels must be in the files; pass bins= for points that have none",
            )
        )
    rows = chunk_rows(chunk)
    sources = sources_of(points)
    skipped: list[str] | None = [] if bad_files == "skip" else None
    plan = planned(sources, by, features, missing=missing, nulls=nulls, rows=rows, skipped=skipped)
    if bins is None:
        return collected(plan, skipped=skipped, progress=progress)
    if any(source.once for source in sources):
        raise TypeError(
            complaint(
                "points",
                "be readable twice for bins",
                "got a stream that can be read once",
                "Pass the files, or a pyarrow.dataset.Dataset",
            )
        )
    binning = binning_of(bins, plan.features, rng_from(rng))
    plan = learned(plan, binning, skipped)
    return collected(plan, labelled=binning, skipped=skipped, progress=progress)


def _binned(
    points: Any, bins: Any, features: Any, nulls: str, rng: Any
) -> tuple[LabelledPoints, dict[str, int]]:
    """Points in memory with the labels that a binning gives them."""
    if is_frame(points):
        columns = columns_of(points, "points")
        chosen = feature_columns(columns, [], features)
        array: Floats = columns.block(chosen)
    else:
        array = checked(as_floats(points, "points"))
        d = array.shape[1]
        named = check_labels(features, "features", d, "feature")
        chosen = list(named or map(str, range(d)))
        features = named
    none = Factor(np.zeros(len(array), dtype=np.int64), ("all",))
    whole, dropped = _complete(LabelledPoints(array, none, None), nulls)
    array = whole.points
    check_finite(array, "points", ("row", "feature"))
    binning = binning_of(bins, chosen, rng_from(rng))
    binning.learn([array])
    found = binning(array)
    # In the order of the bins, without those that have no points.
    factor = ordered(found.values, found.categories)
    codes = compressed(Factor(factor.codes[found.codes], factor.labels))
    return LabelledPoints(array, codes, chosen if is_frame(points) else features), dropped


def _complete(data: LabelledPoints, nulls: str) -> tuple[LabelledPoints, dict[str, int]]:
    """The points that are to be used, and how many are left out for what they lack."""
    unlabelled = int((data.factor.codes < 0).sum())
    if nulls == "raise":
        return data, {"label": unlabelled}
    whole = np.asarray(~np.isnan(data.points).any(axis=1))
    lost = int((~whole & (data.factor.codes >= 0)).sum())
    if not lost:
        return data, {"label": unlabelled}
    if not whole.any():
        raise ValueError(
            complaint(
                "points",
                "have at least one row without missing values",
                f"all {len(whole)} have some",
                "Fill the values first, or choose other features",
            )
        )
    codes, labels = data.factor
    kept = data._replace(points=data.points[whole], factor=compressed(Factor(codes[whole], labels)))
    return kept, {"label": unlabelled, "value": lost}


def _check_named(data: LabelledPoints) -> None:
    """Raise with the name of the column if a value is missing."""
    absent = np.isnan(data.points) & (data.factor.codes >= 0)[:, None]
    if data.features is not None and absent.any():
        row, column = (int(i) for i in np.argwhere(absent)[0])
        raise ValueError(
            complaint(
                f"column {data.features[column]!r}",
                "have a value in every row",
                f"there is none in row {row} ({int(absent.sum())} such in all)",
                "Pass nulls='drop' to leave such rows out",
            )
        ) from None


def _samples(data: LabelledPoints) -> list[Samples]:
    return [Samples(part) for part in group_points(data)]


def _check_samples(keep_samples: bool, spread: str, streamed: bool) -> None:
    if keep_samples and (spread == "sem" or streamed):
        raise ValueError(
            complaint(
                "keep_samples",
                "be left out with spread='sem'" if not streamed else "be left out for files",
                "got keep_samples=True",
                "The points show the spread of replicates, not the error of their mean"
                if not streamed
                else "Only their moments are kept; read the points first to keep them",
            )
        )
