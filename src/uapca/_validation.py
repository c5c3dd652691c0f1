"""What every layer shares: checks of arguments, and the rule for signs of directions.

Every error is one sentence: the parameter, the rule, what was received.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from uapca._columns import nearest, plural

__all__ = [
    "Doubles",
    "Floats",
    "Seed",
    "as_floats",
    "check_choice",
    "check_finite",
    "check_labels",
    "frame_of",
    "frozen",
    "listed",
    "optional",
    "out_of_range",
    "plural",
    "restore_frozen",
    "rng_from",
    "scale_from",
    "shown",
    "signed",
]

Floats = npt.NDArray[np.floating[Any]]
Doubles = npt.NDArray[np.float64]
Seed = int | np.random.SeedSequence | np.random.BitGenerator | np.random.Generator | None
Array = TypeVar("Array", bound=npt.NDArray[Any])


def check_choice(value: Any, choices: Iterable[Any], parameter: str) -> None:
    """Refuse a value that is not among the choices; the closest one is proposed."""
    known = list(choices)
    if any(
        value is choice or (type(value) is type(choice) and value == choice) for choice in known
    ):
        return
    close = nearest(str(value), map(str, known))
    choices = " or ".join(", ".join(map(repr, known)).rsplit(", ", 1))
    hint = f": perhaps {close!r} was meant" if close else ""
    raise ValueError(f"{parameter} must be {choices}; got {shown(value)}{hint}")


def out_of_range(parameter: str, flow: str = "overflows") -> str:
    """The message about finite data whose variances are infinite, or lost below the smallest."""
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
    array = _as_array(value, parameter)
    kind = array.dtype.kind
    if kind == "f":
        return array if array.dtype.itemsize in (4, 8) else array.astype(np.float64)
    if kind in "iub":
        return array.astype(np.float64)
    raise TypeError(f"{parameter} must be real numbers; got an array of dtype {array.dtype}")


def _as_array(value: Any, parameter: str) -> npt.NDArray[Any]:
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(
            f"{parameter} must have rows of the same length; got a ragged sequence"
        ) from None
    if array.dtype.kind == "O" and hasattr(value, "to_numpy"):  # pandas' nullable numbers
        try:
            return np.asarray(value.to_numpy(dtype=np.float64, na_value=np.nan))
        except (TypeError, ValueError):
            return array
    return array


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
    place = ", ".join(f"{axis} {i}" for axis, i in zip(where, index, strict=True))
    value = "NaN" if np.isnan(array[index]) else array[index]
    raise ValueError(f"{parameter} must be finite; got {value} at {place} ({len(bad)} such in all)")


def check_labels(labels: Any, parameter: str, count: int, of: str) -> tuple[str, ...] | None:
    """Names of rows or features as a tuple of distinct strings, one for each of ``count``."""
    if labels is None:
        return None
    if isinstance(labels, str):
        raise TypeError(
            f"{parameter} must be a sequence of strings, one for each {of}; "
            f"got the single string {labels!r}"
        )
    try:
        result = tuple(map(str, labels))
    except TypeError:
        raise TypeError(
            f"{parameter} must be a sequence of strings, one for each {of}; got {labels!r}"
        ) from None
    if len(result) != count:
        raise ValueError(
            f"{parameter} must have one entry for each {of}; got {len(result)} for {count} {of}s"
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
    """A read-only view: whoever owns the array can still write to it, we cannot."""
    view = array.view()
    view.flags.writeable = False
    return view


def restore_frozen(target: object, state: tuple[Any, dict[str, Any]]) -> None:
    """``__setstate__`` for classes with slots: arrays come back read-only, as they were."""
    for name, value in state[1].items():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        object.__setattr__(target, name, value)


def rng_from(rng: Seed) -> np.random.Generator:
    """A generator from a seed, a ``numpy.random.Generator`` or None; no global state is touched."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise type(error)(
            "rng must be None, a non-negative integer seed or a numpy.random.Generator; "
            f"got {shown(rng)}"
        ) from None


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
