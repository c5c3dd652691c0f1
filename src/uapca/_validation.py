"""What every layer shares: checks of arguments and covariances, and the rule for signs.

Every error is one sentence: the parameter, the rule, what was received.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib import import_module
from numbers import Real
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from uapca._names import nearest, plural

__all__ = [
    "ROUNDING",
    "Doubles",
    "Floats",
    "Seed",
    "as_floats",
    "check_choice",
    "check_count",
    "check_finite",
    "check_labels",
    "check_nonnegative",
    "frame_of",
    "frozen",
    "linear_map",
    "listed",
    "normalized",
    "optional",
    "out_of_range",
    "plural",
    "rng_from",
    "root",
    "row_blocks",
    "scale_from",
    "semidefinite",
    "shown",
    "signed",
    "vector",
]

Floats = npt.NDArray[np.floating[Any]]
Doubles = npt.NDArray[np.float64]
Seed = int | np.random.SeedSequence | np.random.BitGenerator | np.random.Generator | None
Array = TypeVar("Array", bound=npt.NDArray[Any])

# In correlations: what printing to eight digits, or one matrix product in single precision, leaves.
_TOLERANCE = {8: 1e-8, 4: 1e-4}
#: Entries this small beside the largest variance are rounding errors; in units of eps.
ROUNDING = 512
# Up to this size matrices are checked before a second thread would have started.
_SMALL_BYTES = 4 << 20
# Up to this many features the matrices of many rows are factored together; rows that are brought
# into that form at a time.
_FEW_FEATURES, _TURNED = 24, 256
_LEAST_ROOT = 1e-15
_BLOCK_BYTES = 2 << 20  # the fastest size measured, with 0.5 MiB of L2 cache for each core


def check_choice(value: Any, choices: Iterable[Any], parameter: str) -> None:
    """Refuse a value that is not among the choices; the closest one is proposed."""
    known = list(choices)
    if (type(value), value) in zip(map(type, known), known, strict=True):  # True is not 1
        return
    close = nearest(str(value), map(str, known))
    choices = " or ".join(", ".join(map(repr, known)).rsplit(", ", 1))
    hint = f": perhaps {close!r} was meant" if close else ""
    raise ValueError(f"{parameter} must be {choices}; got {shown(value)}{hint}")


def out_of_range(parameter: str, flow: str = "overflows") -> str:
    """The message for finite data whose variances overflow or underflow float64."""
    return (
        f"{parameter} must have squares that fit into float64; the covariance {flow}: "
        "divide the data by its largest magnitude first"
    )


def shown(value: object) -> str:
    """A value in a message: as Python writes it, or its type and shape where that takes lines."""
    text = repr(value)
    if len(text) <= 200 and "\n" not in text:
        return text
    name, shape = type(value).__name__, getattr(value, "shape", None)
    article = "an" if name[0] in "AEIOUaeiou" else "a"
    return f"{article} {name}" + (f" of shape {tuple(shape)}" if shape is not None else "")


def listed(names: Sequence[str], most: int = 20) -> str:
    """Names in quotes; a long list is cut and says how many are left."""
    text = ", ".join(map(repr, names[:most]))
    return text if len(names) <= most else f"{text} and {len(names) - most} more"


def optional(library: str, what: str, extra: str | None = None) -> Any:
    """A library that is imported when it is needed; the error says how to install it."""
    try:
        return import_module(library)
    except ImportError:
        library = library.partition(".")[0]
        package = f'"uapca[{extra}]"' if extra else library
        raise ImportError(
            f"{what} needs {library}; install it with pip install {package}"
        ) from None


def library_of(data: Any) -> str | None:
    """The library of a data frame, if `frame_of` makes frames of it."""
    name = type(data).__module__.partition(".")[0]
    return name if name in ("pandas", "polars", "pyarrow") else None


def frame_of(
    columns: dict[str, Any],
    names: Sequence[str] | None,
    library: str = "pandas",
    called: str = "name",
) -> Any:
    """A data frame of named rows in pandas (names are its index), polars or pyarrow.

    ``called`` is the name of the index, or of the column that holds the names.
    """
    check_choice(library, ("pandas", "polars", "pyarrow"), "library")
    module = optional(library, "to_frame", "frames")
    if library == "pandas":
        index = None if names is None else module.Index(names, name=called)
        return module.DataFrame(columns, index=index)
    if names is not None:
        columns = {called: list(names), **columns}
    return module.DataFrame(columns) if library == "polars" else module.table(columns)


def as_floats(value: Any, parameter: str) -> Floats:
    """``value`` as a float32 or float64 array, without a copy where it already is one."""
    if np.ma.is_masked(value):
        place = ", ".join(map(str, np.argwhere(np.ma.getmaskarray(value))[0]))
        raise ValueError(
            f"{parameter} must have no masked values; the value at ({place}) is masked"
        )
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(
            f"{parameter} must have rows of the same length; got a ragged sequence"
        ) from None
    if array.dtype.kind == "O" and hasattr(value, "to_numpy"):  # pandas' nullable numbers
        with suppress(TypeError, ValueError):
            array = np.asarray(value.to_numpy(dtype=np.float64, na_value=np.nan))
    kind = array.dtype.kind
    if kind == "f":
        return array if array.dtype.itemsize in (4, 8) else array.astype(np.float64)
    if kind in "iub":
        return array.astype(np.float64)
    raise TypeError(f"{parameter} must be real numbers; got an array of dtype {array.dtype}")


def check_finite(array: Floats, parameter: str, where: Sequence[str]) -> None:
    """Raise unless every entry is finite; ``where`` names the axes, such as ``("row", "feature")``.

    One pass and no temporary: a finite sum proves the entries finite; only a sum that is not is
    looked into.
    """
    with np.errstate(all="ignore"):
        if np.isfinite(array.sum(dtype=np.float64)):
            return
    bad = np.argwhere(~np.isfinite(array))
    if not len(bad):
        return
    index = tuple(int(i) for i in bad[0])
    value = "NaN" if np.isnan(array[index]) else array[index]
    raise ValueError(
        f"{parameter} must be finite; got {value} at {_place(index, where)} "
        f"({len(bad)} such in all)"
    )


def vector(values: Any, parameter: str, of: str, size: int | None = None) -> Doubles:
    """Finite values as a copy of shape (size,), one for each ``of``; of any length without size."""
    array = as_floats(values, parameter).astype(np.float64)
    if size is not None and array.shape != (size,):
        raise ValueError(
            f"{parameter} must have one entry for each of the {size} {of}s; got shape {array.shape}"
        )
    if array.ndim != 1:
        raise ValueError(f"{parameter} must be one-dimensional; got shape {array.shape}")
    check_finite(array, parameter, (of,))
    return array


def check_nonnegative(array: Floats, parameter: str, where: Sequence[str]) -> None:
    """Raise unless every entry is at least 0; ``where`` names the axes, as for `check_finite`."""
    if array.size and array.min() < 0:
        lowest = np.unravel_index(array.argmin(), array.shape)
        which = f"{_place(lowest, where)} has" if array.ndim else "got"
        raise ValueError(f"{parameter} must not be negative; {which} {array[lowest]}")


def _place(index: Iterable[Any], where: Sequence[str]) -> str:
    return ", ".join(f"{axis} {i}" for axis, i in zip(where, index, strict=True))


def normalized(weights: Any, parameter: str, of: str, size: int) -> tuple[Doubles, float]:
    """Weights, one for each ``of``, scaled to sum to 1, and the sum they had."""
    array = vector(weights, parameter, of, size)
    check_nonnegative(array, parameter, (of,))
    if array.max() == 0:
        raise ValueError(f"{parameter} must have a positive sum; all {size} are zero")
    # The sum as it is, so that counts sum to a count; it may be larger than any float.
    with np.errstate(over="ignore"):
        total = min(float(array.sum()), float(np.finfo(np.float64).max))
    shares = array / array.max()
    shares /= shares.sum()
    # Weights that already sum to 1 keep every bit.
    return frozen(array if np.abs(shares - array).max() < 1e-12 else shares), total


def linear_map(A: Any, d: int) -> Doubles:
    """A finite matrix of shape (q, d), or (d,) for a factor on each axis."""
    matrix = as_floats(A, "A").astype(np.float64, copy=False)
    if matrix.ndim not in (1, 2) or matrix.shape[-1] != d or not len(matrix):
        raise ValueError(
            f"A must have shape (q, {d}), or ({d},) for a factor on each axis; "
            f"got shape {matrix.shape}"
        )
    check_finite(matrix, "A", ("row", "column")[-matrix.ndim :])
    return matrix


def semidefinite(
    matrices: Array, parameter: str | None = None, rounding: float = ROUNDING
) -> Array:
    """The matrices if all are valid; those invalid by rounding become the nearest valid ones.

    A covariance matrix is symmetric and positive semi-definite up to rounding. Both are checked on
    correlations, with a tolerance for numbers printed to eight digits (for float32, for one product
    in single precision). Matrices that are invalid by no more than rounding errors of the largest
    variance, such as a variance of −2e-15 beside 0.2, are replaced. Most matrices pass one cheap
    test; in blocks of rows that do not, matrices are tested one by one.

    Parameters
    ----------
    matrices : ndarray of shape (D, D) or (N, D, D)
    parameter : str, optional
        The name in the error if one is off by more than rounding. Without it every invalid matrix
        is replaced.
    rounding : float
        How far entries may be off, in rounding errors of the largest variance.
    """
    d, tolerance = matrices.shape[-1], _TOLERANCE[matrices.itemsize]
    stack = found = matrices.reshape(-1, d, d)
    suspects = _suspects(stack, tolerance)
    if suspects:
        check_finite(matrices, parameter or "cov", ("row", "feature", "feature")[-matrices.ndim :])
    for block in suspects:
        part = stack[block]
        variances, unit = part.diagonal(0, 1, 2), _units(part)
        with np.errstate(over="ignore"):
            correlations = part / unit[:, :, None] / unit[:, None, :]
        correlations = np.clip(correlations, -1e30, 1e30)  # far above 1 is wrong, however far
        turned = correlations.transpose(0, 2, 1)
        asymmetric = np.abs(correlations - turned).max(axis=(1, 2)) > tolerance
        indefinite = np.linalg.eigvalsh(correlations)[:, 0] < -tolerance * d
        bad = np.flatnonzero(asymmetric | indefinite | (variances.min(axis=1) < 0.0))
        # The nearest in correlations: small variances keep their digits.
        half = unit[bad, :, None] * root(0.5 * (correlations + turned)[bad])
        nearest = half @ half.transpose(0, 2, 1)
        away = np.abs(nearest - part[bad]).max(axis=(1, 2))
        allowed = rounding * np.finfo(part.dtype).eps * variances[bad].max(axis=1)
        faults = bad[away > allowed]
        if parameter is not None and len(faults):
            k = faults[0]
            rule, what = "positive semi-definite", "has the eigenvalue "
            size = np.linalg.eigvalsh(part[k])[0]
            if asymmetric[k]:
                rule, what = "symmetric", "differs from its transpose by "
                size = np.abs(part[k] - part[k].T).max()
            which = "it" if matrices.ndim == 2 else f"the matrix of row {block.start + k}"
            raise ValueError(f"{parameter} must be {rule}; {which} {what}{size:.3g}")
        if len(bad):
            found = stack.copy() if found is stack else found
            found[block.start + bad] = nearest
    return cast(Array, found.reshape(matrices.shape))


def _suspects(matrices: Floats, tolerance: float) -> list[slice]:
    """Blocks of matrices that do not pass the cheap test; in two threads if that is worth it."""
    d = matrices.shape[1]
    few = d <= _FEW_FEATURES
    # Larger blocks where each is a few calls to NumPy: two threads then seldom wait for each other.
    blocks = list(row_blocks(len(matrices), d**2 // 2 if few else d**2))

    def fine(block: slice) -> bool:
        part = matrices[block]
        return (few and _surely_definite(part)) or _surely_valid(part, tolerance)

    if matrices.nbytes <= _SMALL_BYTES:
        return [block for block in blocks if not fine(block)]
    # NumPy's loop over matrices leaves the interpreter free, which SciPy's LAPACK does not; BLAS
    # must not start threads of its own in each of ours.
    limited = _controller().limit(limits=1, user_api="blas")
    with limited, ThreadPoolExecutor(2) as pool:
        return [block for block, yes in zip(blocks, pool.map(fine, blocks), strict=True) if not yes]


@cache
def _controller() -> ThreadpoolController:
    """Made once, as it searches all libraries of the process, which takes milliseconds."""
    return ThreadpoolController()


def _surely_definite(part: Floats) -> bool:
    """Whether all matrices are symmetric and have Cholesky factors in float32, with some margin.

    LAPACK takes longer to start on a small matrix than to factor it, so all rows are factored
    together, entry by entry. The diagonal is lowered by more than the rounding errors of the
    factors amount to (Higham 2002, Theorem 10.5), so that success proves a matrix to be positive
    definite. Failure proves nothing.
    """
    n, d = part.shape[:2]
    entries = np.empty((d, d, n), dtype=part.dtype)
    for tile in (slice(k, k + _TURNED) for k in range(0, n, _TURNED)):
        entries[:, :, tile] = part[tile].transpose(1, 2, 0)
    with np.errstate(all="ignore"):
        factors = entries.astype(np.float32)
        for k, row in enumerate(factors):
            if not (entries[k, k + 1 :] == entries[k + 1 :, k]).all():
                return False
            row[k] *= np.float32(1.0 - d * (d + 4) * 2.0**-23)
            if k:
                row[k:] -= np.einsum("in,ijn->jn", factors[:k, k], factors[:k, k:])
            np.sqrt(row[k], out=row[k])
            row[k + 1 :] /= row[k]
        # A negative pivot has left NaN. Entries beside smaller ones have lost digits to underflow.
        roots = factors.diagonal()
        return bool(roots.min() > _LEAST_ROOT and roots.max() < np.inf)


def _surely_valid(part: Floats, tolerance: float) -> bool:
    """Whether all matrices are finite, symmetric, and have Cholesky factors.

    Singular ones have them with a diagonal that is 1 + tolerance times as large.
    """
    variances, transposed = part.diagonal(0, 1, 2), part.transpose(0, 2, 1)
    if not (variances.min() >= 0.0 and variances.max() < np.inf):
        return False
    if not (part == transposed).all():
        with np.errstate(invalid="ignore", over="ignore"):
            if not np.abs(part - transposed).max() <= tolerance * variances.min():
                return False
    if _have_factors(part):
        return True
    lifted, index = part.astype(np.float64), np.arange(part.shape[1])
    lifted[:, index, index] += tolerance * np.square(_units(part))
    return _have_factors(lifted)


def _have_factors(matrices: Floats) -> bool:
    """Whether all matrices have Cholesky factors; one with a value that is not finite has none."""
    try:
        # LAPACK takes NaN for a positive pivot, and then the last one is NaN too.
        return bool((np.linalg.cholesky(matrices)[:, -1, -1] > 0.0).all())
    except np.linalg.LinAlgError:
        return False


def _units(matrices: Floats) -> Doubles:
    """Standard deviations to measure each matrix in; certain features in the row's largest."""
    size = np.sqrt(np.abs(matrices.diagonal(0, 1, 2)), dtype=np.float64)
    largest = size.max(axis=1, keepdims=True, initial=0.0)
    return np.where(size > 0.0, size, np.where(largest > 0.0, largest, 1.0))


def root(matrix: Floats) -> Doubles:
    """R with R Rᵀ = matrix, for a positive semi-definite matrix or a stack of them."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.clip(values, 0.0, None))[..., None, :])


def row_blocks(rows: int, width: int, least: int = 1) -> Iterator[slice]:
    """Slices of ``rows`` rows such that a block of ``width`` doubles a row stays in cache.

    Large temporaries cost more in page faults than in arithmetic.
    """
    size = max(_BLOCK_BYTES // (8 * max(width, 1)), least)
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


def check_labels(labels: Any, parameter: str, count: int, of: str) -> tuple[str, ...] | None:
    """Names of rows or features as a tuple of distinct strings, one for each of ``count``."""
    if labels is None:
        return None
    if isinstance(labels, str) or not hasattr(labels, "__iter__"):
        raise TypeError(
            f"{parameter} must be a sequence of strings, one for each {of}; got {shown(labels)}"
        )
    result = tuple(map(str, labels))
    if len(result) != count:
        raise ValueError(
            f"{parameter} must have one entry for each {of}; got {len(result)} for "
            f"{plural(count, of)}"
        )
    if len(set(result)) != count:
        twice = max(result, key=Counter(result).__getitem__)
        raise ValueError(
            f"{parameter} must be distinct; {twice!r} occurs {result.count(twice)} times"
        )
    return result


def signed(rows: Doubles) -> Doubles:
    """Directions, of shape (q, D), with their signs fixed: the largest entry is positive.

    The first of those within 1e-8 of the largest magnitude decides, so that ±1/√2 does not flip
    with rounding. This is scikit-learn's rule apart from the tolerance.
    """
    size = np.abs(rows)
    first = (size >= (1.0 - 1e-8) * size.max(axis=1, keepdims=True)).argmax(axis=1)
    leading = rows[np.arange(len(rows)), first]
    return np.asarray(rows * np.copysign(1.0, leading)[:, None])


def frozen(array: Array) -> Array:
    """A read-only view; the owner of the array can still write to it."""
    view = array.view()
    view.flags.writeable = False
    return view


def rng_from(rng: Seed) -> np.random.Generator:
    """A generator from a seed, a ``numpy.random.Generator`` or None; no global state is touched."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise type(error)(
            "rng must be None, a non-negative integer seed or a numpy.random.Generator; "
            f"got {shown(rng)}"
        ) from None


def probability(value: Any, parameter: str = "level") -> float:
    """One probability, between 0 and 1."""
    if isinstance(value, Real) and 0.0 < float(value) < 1.0:
        return float(value)
    raise ValueError(f"{parameter} must be between 0 and 1; got {shown(value)}")


def check_count(value: object, parameter: str, most: int | None = None, of: str = "") -> int:
    """A positive integer, at most ``most``, which is the number of ``of``."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if whole and value >= 1 and (most is None or value <= most):  # type: ignore[operator]
        return int(value)  # type: ignore[call-overload, no-any-return]
    rule = "a positive integer" if most is None else f"an integer from 1 to the {most} {of}"
    raise ValueError(f"{parameter} must be {rule}; got {shown(value)}")


def scale_from(scale: Any, parameter: str = "scale") -> float:
    """A scale s in [0, ∞]."""
    try:
        s = float(scale)
    except (TypeError, ValueError):
        s = float("nan")
    if not s >= 0:
        raise ValueError(f"{parameter} must be a number from 0 to infinity; got {shown(scale)}")
    # The square of a larger scale does not fit into float64.
    return s if s < 1e150 else float("inf")
