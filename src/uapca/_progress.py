"""Progress of long work: silent, a bar, or a function of the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from uapca._validation import optional, shown

__all__ = ["Progress", "reported"]

Progress = bool | Callable[[int, int], Any]


@contextmanager
def reported(progress: Progress, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of units just done.

    ``progress`` is False for silence, True for a bar (needs tqdm), or a function that is called
    with the number done so far and the total.
    """
    if progress is False:
        yield lambda step: None
    elif progress is True:
        tqdm = optional("tqdm.auto", "progress=True", "progress").tqdm
        with tqdm(total=total, unit=f" {unit}") as bar:
            yield lambda step: bar.update(step)
    elif callable(progress):
        done = 0

        def report(step: int) -> None:
            nonlocal done
            done += step
            progress(done, total)

        yield report
    else:
        raise TypeError(
            f"progress must be False, True or a function of (done, total); got {shown(progress)}"
        )
