"""Labelled points in files and streams, a chunk at a time."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from uapca._progress import Progress, reported
from uapca._validation import Floats, complaint
from uapca.aggregate import Moments
from uapca.aggregate.collector import Collector
from uapca.aggregate.labels import Binning, Keyed
from uapca.aggregate.moments import Overflow
from uapca.exceptions import DroppedRowsWarning, SkippedFilesWarning
from uapca.inputs.plan import Plan, ahead
from uapca.inputs.sources import FileError, Source

__all__ = ["DroppedRowsWarning", "SkippedFilesWarning", "collected", "learned", "say"]


# Rows that are summed at a time where files are smaller than chunks.
_ROWS = 262_144
# To copy as much as half of them takes longer than to merge their sums once more.
_DIRECT = 0.5


def collected(
    plan: Plan,
    *,
    labelled: Callable[[Floats], Keyed] | None = None,
    skipped: list[str] | None = None,
    progress: Progress = False,
) -> Moments:
    """The moments of all sources of a plan.

    Parameters
    ----------
    labelled : callable, optional
        What gives points their labels where no column does.
    skipped : list of str, optional
        Takes what is wrong with sources that are left out; without it they raise.
    """
    dropped: Counter[str] = Counter()
    total, unit = _extent(plan.usable)

    def run(sources: Sequence[Source], report: Callable[[int], None]) -> Moments:
        rows = min(plan.rows, _ROWS)
        collector = Collector(
            len(plan.features), rows, features=tuple(plan.features), direct=_DIRECT
        )
        lost: Counter[str] = Counter()
        try:
            for piece in ahead(plan.pieces(sources)):
                lost += piece.dropped
                labels = piece.labels if labelled is None else labelled(piece.points)
                if labels is not None:
                    collector.add(piece.points, labels)
                report(piece.read if unit == "rows" else 0)
            moments = collector.moments()
        except Overflow as error:
            raise _farthest(plan, sources) or error from None
        _check_still(plan, sources)
        dropped.update(lost)
        return moments

    with reported(progress, total, unit) as report:
        if skipped is None:
            moments = run(plan.usable, report)
            report(0 if unit == "rows" else len(plan.usable))
        else:
            moments = Moments.empty(len(plan.features), features=plan.features)
            for source in plan.usable:
                # A file counts when all of it could be read.
                try:
                    moments = moments.merge(run([source], report))
                except FileError as error:
                    skipped.append(str(error))
                report(0 if unit == "rows" else 1)
    say(dropped, skipped)
    return moments


def learned(plan: Plan, binning: Binning, skipped: list[str] | None) -> Plan:
    """The plan for the sources that a binning could be learned from."""
    usable: list[Source] = []
    marks = {source.name: source.mark() for source in plan.usable}

    def points() -> Iterator[Floats]:
        for source in plan.usable:
            try:
                for piece in ahead(plan.pieces([source])):
                    yield piece.points
            except FileError as error:
                if skipped is None:
                    raise
                skipped.append(str(error))
                continue
            usable.append(source)

    binning.learn(points())
    return replace(plan, usable=usable, marks=marks)


def _check_still(plan: Plan, sources: Sequence[Source]) -> None:
    """Raise if a file is not what it was when the bins were learned from it."""
    for source in sources:
        if plan.marks.get(source.name) not in (None, source.mark()):
            raise FileError(
                complaint(
                    "every file",
                    "stay as it is while it is read",
                    f"{source.name!r} has changed since the bins were found",
                    "Read it when nothing writes to it any more",
                )
            )


def _farthest(plan: Plan, sources: Sequence[Source]) -> FileError | None:
    """What to say of the value that is too large to be squared; None if it cannot be found."""
    if any(source.once for source in sources):
        return None
    found = (0.0, "", "", 0)
    for source in sources:
        start = 0
        for piece in plan.pieces([source]):
            sizes = abs(piece.points)
            if sizes.size and sizes.max() > found[0]:
                row, column = divmod(int(sizes.argmax()), len(plan.features))
                found = (float(sizes.max()), source.name, plan.features[column], start + row)
            start += piece.read
    return FileError(
        complaint(
            f"column {found[2]!r}",
            "have squares that fit into float64",
            f"{found[1]!r} has {found[0]:g} about row {found[3]}",
            "Divide the data by its largest magnitude first, or pass bad_files='skip'",
        )
    )


def _extent(sources: Sequence[Source]) -> tuple[int, str]:
    """How much there is to do: rows where all sources know their number, files otherwise."""
    try:
        counts = [source.count() for source in sources]
    except FileError:  # which will be met again
        counts = [None]
    known = [count for count in counts if count is not None]
    return (sum(known), "rows") if len(known) == len(sources) else (len(sources), "files")


def say(dropped: Mapping[str, int], skipped: list[str] | None, stacklevel: int = 5) -> None:
    """Warn of what was left out, and how much of it."""
    parts = [f"{n} without a {what}" for what, n in sorted(dropped.items()) if n]
    if parts:
        total = sum(dropped.values())
        warnings.warn(
            f"left out {total} row{'s' * (total != 1)}, as asked for: {' and '.join(parts)}.",
            DroppedRowsWarning,
            stacklevel=stacklevel,
        )
    if skipped:
        warnings.warn(
            f"left out {len(skipped)} file{'s' * (len(skipped) != 1)}, as asked for: "
            + " ".join(skipped[:5])
            + (f" And {len(skipped) - 5} more." if len(skipped) > 5 else ""),
            SkippedFilesWarning,
            stacklevel=stacklevel,
        )
