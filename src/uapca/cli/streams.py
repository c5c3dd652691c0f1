"""Points that need not fit into memory: folders, patterns, large files, bins."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uapca.cli.choices import Choices, Reading
from uapca.cli.errors import CommandError, no_such
from uapca.cli.labels import listed, quoted, shown
from uapca.cli.say import progress

if TYPE_CHECKING:
    from uapca.uncertain import UncertainArray

__all__ = ["is_large", "is_pattern", "only_one_file", "streamed"]

# Files above this size are read a chunk at a time.
_LARGE = 64 << 20
_KINDS = ("text", "Parquet", "Feather")


def is_pattern(data: str) -> bool:
    """Whether a name stands for several files."""
    return any(sign in data for sign in "*?[")


def is_large(path: Path, kind: str) -> bool:
    """Whether labelled points in a file are better read a chunk at a time."""
    return kind in _KINDS and path.stat().st_size > _LARGE


def streamed(data: str, choices: Choices) -> Reading:
    """Aggregate points where they are, by label or into bins."""
    from uapca.inputs import from_groups

    _check(data, choices)
    keys = [part.strip() for value in choices.by for part in value.split(",")]
    features = [part.strip() for value in choices.features for part in value.split(",")]
    by: Any = (keys if len(keys) > 1 else keys[0]) if keys else None
    rule = "drop" if choices.drop else "raise"
    with warnings.catch_warnings(record=True) as caught, progress("reading") as report:
        warnings.simplefilter("always")
        try:
            X = from_groups(
                data,
                by,
                spread=choices.spread,  # type: ignore[arg-type]
                bins=bins_of(choices.bins),
                missing=rule,  # type: ignore[arg-type]
                nulls=rule,  # type: ignore[arg-type]
                bad_files=choices.bad_files,  # type: ignore[arg-type]
                features=features or None,
                progress=report,
                rng=0,
            )
        except ValueError as error:
            raise _with_nearest(error) from error
    details = [_how(keys, choices), f"points: {X.total_weight:,.0f}; features: {_features(X)}"]
    details += [str(warning.message) for warning in caught]
    return Reading(X, "points, read a chunk at a time", details)


def _with_nearest(error: ValueError) -> Exception:
    """The same complaint; one of a column that is not there, with the one that was meant."""
    found = re.search(r"no '([^']*)'.*\. (?:Its columns|The features) are (.*)\.$", str(error))
    if found is None:
        return error
    known = re.findall(r"'([^']*)'", found[2])
    return no_such("column", found[1], known, f"There are {listed(known, 12)}.")


def bins_of(text: str | None) -> Any:
    """A number of clusters, or cells for each feature: ``500`` or ``x=20,y=25``."""
    if text is None:
        return None
    if text.strip().isdigit():
        return int(text)
    cells: dict[str, int] = {}
    for part in text.split(","):
        name, sign, count = part.rpartition("=")
        if not sign or not count.strip().isdigit():
            raise CommandError(
                f"--bins {quoted(text)} must be a number of clusters, or cells by feature such as "
                "x=20,y=25."
            )
        cells[name.strip()] = int(count)
    return cells


def _check(data: str, choices: Choices) -> None:
    if not choices.by and choices.bins is None:
        raise CommandError(
            f"{quoted(data)} stands for points in several files: --by COLUMN says how they are "
            "labelled."
        )
    for option in ("--errors", "--corr", "--names", "--words", "--keep-points"):
        if option in choices.given():
            raise CommandError(f"{option} has no meaning for points in files. Leave it out.")
    if choices.fill is not None:
        raise CommandError("for points in files --missing can only be drop.")
    if choices.bad_files == "skip" and Path(data).is_file():
        raise only_one_file(data)


def only_one_file(data: str) -> CommandError:
    """There is nothing to go on with."""
    return CommandError(
        f"--bad-files is for a folder or a pattern, and {quoted(data)} is one file. Leave it out."
    )


def _how(keys: list[str], choices: Choices) -> str:
    meaning = {"std": "the spread of its points", "sem": "the standard error of its mean"}
    rows = f"each {' and '.join(map(shown, keys))}"
    if choices.bins is not None:
        clusters = choices.bins.strip().isdigit()
        rows = f"each of {choices.bins} clusters" if clusters else f"each cell of {choices.bins}"
    return f"one row for {rows}, with {meaning[choices.spread]}; weights are counts"


def _features(X: UncertainArray) -> str:
    return listed(X.features or ())
