"""What is printed: tables on standard output, remarks and progress on standard error.

A terminal gets rich tables; a pipe gets plain text, with no colours and no limit on its width.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal, TextIO

from uapca.cli import settings
from uapca.cli.labels import shown, width_of

__all__ = ["Grid", "is_terminal", "line", "note", "progress", "show"]

_GAP = 2
# Longest label in a table that is not limited by a terminal.
_LABEL = 40


@dataclass(frozen=True)
class Grid:
    """A table: labels on the left, numbers to the right of them.

    Attributes
    ----------
    header : sequence of str
        The first is the title of the labels.
    rows : sequence of sequences of str
    title : str
    left : int
        How many columns, from the first, hold text.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    left: int = 1


def is_terminal(stream: TextIO) -> bool:
    """Whether somebody is looking."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _is_rich(stream: TextIO) -> bool:
    """Whether tables may have colours: for a terminal, where rich is installed."""
    return is_terminal(stream) and find_spec("rich") is not None


def note(text: str) -> None:
    """A remark on standard error; none with ``--quiet``."""
    if not settings.quiet:
        sys.stderr.write(f"{text}\n")


def line(text: str = "", style: str = "") -> None:
    """A line of the report; ``style`` is what a terminal makes of it."""
    if style and _is_rich(sys.stdout):
        _console(sys.stdout).print(_text(text, style))
    else:
        sys.stdout.write(f"{text}\n")


def show(grid: Grid) -> None:
    """Print a table, in parts side by side below each other where a terminal is too narrow."""
    rich = _is_rich(sys.stdout)
    width = _width(is_terminal(sys.stdout))
    for i, part in enumerate(_parts(_safe(grid, width), width)):
        if i:
            line()
        if rich:
            _show_rich(part)
        else:
            _show_plain(part)


def _width(terminal: bool) -> int | None:
    """Columns there are; None for no limit."""
    if not terminal and not os.environ.get("COLUMNS", "").isdigit():
        return None
    return max(24, shutil.get_terminal_size().columns)


def _safe(grid: Grid, width: int | None) -> Grid:
    most = _LABEL if width is None else max(10, min(_LABEL, width // 3))
    header = [grid.header[0], *(shown(cell, most) for cell in grid.header[1:])]
    rows = [[shown(row[0], most), *map(shown, row[1:])] for row in grid.rows]
    return Grid(header, rows, shown(grid.title), grid.left)


def _parts(grid: Grid, width: int | None) -> Iterator[Grid]:
    """The table cut into such as fit; each repeats the labels."""
    sizes = _sizes(grid)
    if width is None or sum(sizes) + _GAP * (len(sizes) - 1) <= width:
        yield grid
        return
    start, title = 1, grid.title
    while start < len(sizes):
        stop, used = start + 1, sizes[0] + _GAP + sizes[start]
        while stop < len(sizes) and used + _GAP + sizes[stop] <= width:
            used += _GAP + sizes[stop]
            stop += 1
        rows = [[row[0], *row[start:stop]] for row in grid.rows]
        header = [grid.header[0], *grid.header[start:stop]]
        yield Grid(header, rows, title, max(1, grid.left - start + 1))
        start, title = stop, f"{grid.title} (continued)" if grid.title else ""


def _sizes(grid: Grid) -> list[int]:
    return [max(map(width_of, cells)) for cells in zip(grid.header, *grid.rows, strict=True)]


def _show_plain(grid: Grid) -> None:
    sizes = _sizes(grid)
    if grid.title:
        sys.stdout.write(f"{grid.title}\n")
    for row in (grid.header, *grid.rows):
        cells = []
        for i, (cell, size) in enumerate(zip(row, sizes, strict=True)):
            space = " " * (size - width_of(cell))
            cells.append(cell + space if i < grid.left else space + cell)
        sys.stdout.write((" " * _GAP).join(cells).rstrip() + "\n")


def _show_rich(grid: Grid) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    for i, head in enumerate(grid.header):
        justify: Literal["left", "right"] = "left" if i < grid.left else "right"
        table.add_column(_text(head), justify=justify, no_wrap=True, overflow="ellipsis")
    for row in grid.rows:
        table.add_row(_text(row[0], "cyan"), *(_number(cell) for cell in row[1:]))
    console = _console(sys.stdout)
    if grid.title:
        console.print(_text(grid.title, "bold underline"))
    console.print(table)


def _number(cell: str) -> Any:
    """A value stands out from its error."""
    value, sign, error = cell.partition(" ± ")
    text = _text(value)
    return text.append(f"{sign}{error}", style="dim")


def _text(text: str, style: str = "") -> Any:
    """Text as it is: brackets are no markup."""
    from rich.text import Text

    return Text(text, style=style)


def _console(stream: TextIO) -> Any:
    from rich.console import Console

    return Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=False)


@contextmanager
def progress(what: str) -> Iterator[Callable[..., None]]:
    """A bar on standard error, if it is a terminal.

    Yields a function of how much is done, of the total, and if there is one of the step at hand.
    """
    if settings.quiet or not _is_rich(sys.stderr):
        yield lambda done, total, step="": None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=_console(sys.stderr), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def report(done: float, total: float, step: str = "") -> None:
            description = f"{what}: {shown(step, 30)}" if step else what
            bar.update(task, completed=done, total=total, description=description)

        yield report
