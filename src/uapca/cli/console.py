"""What the program prints and writes: tables on standard output, remarks on standard error, files.

A terminal gets rich tables; a pipe gets plain text, with no colors and no limit on its width.
Labels and file content are data: nothing in them may steer a terminal or end a line.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any, Literal, TextIO

from uapca._names import nearest

__all__ = [
    "TABLES",
    "CommandError",
    "Grid",
    "Settings",
    "check_folder",
    "check_output",
    "counted",
    "line",
    "listed",
    "no_such",
    "note",
    "percent",
    "progress",
    "quoted",
    "rounded",
    "settings",
    "show",
    "shown",
    "significant",
    "write_bytes",
    "write_table",
]

# Controls, invisible formatting (text direction among it), halves of pairs, private characters,
# line and paragraph ends. U+200C and U+200D join or part letters in several scripts and stay.
_UNSAFE = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
_KEPT = "\u200c\u200d"
_GAP = 2
_LABEL = 40  # longest label in a table that is not limited by a terminal


class CommandError(Exception):
    """Something a user can mend: the message is one line and says how."""


@dataclass
class Settings:
    """What holds for one run: whether to show tracebacks, whether to be quiet."""

    debug: bool = False
    quiet: bool = False


settings: Settings = Settings()


# Text


def shown(text: object, width: int | None = None) -> str:
    """The text on one line with every control character made visible; cut to a width.

    Examples
    --------
    >>> shown("a\\x1b[31mb\\nc")
    'a␛[31mb␊c'
    """
    safe = "".join(_visible(c) for c in str(text))
    return safe if width is None or len(safe) <= width else safe[: width - 1] + "…"


def _visible(character: str) -> str:
    if character in _KEPT or unicodedata.category(character) not in _UNSAFE:
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)  # the pictures of control characters, such as ␛
    if code == 0x7F:
        return "␡"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def quoted(text: object, width: int = 300) -> str:
    """The text in quotes, for messages; long ones are cut."""
    return f"'{shown(text, width)}'"


def listed(names: Iterable[object], most: int = 8) -> str:
    """Names one after the other; a long list is cut and says how many are left.

    Examples
    --------
    >>> listed("abc", most=2)
    'a, b and 1 more'
    """
    texts = [shown(name, 40) for name in names]
    left = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {left} more" if left > 0 else "")


def counted(number: int, noun: str) -> str:
    """A number of things: ``1 row``, ``1,200 rows``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def significant(value: float, digits: int = 4) -> str:
    """A number with so many digits."""
    return "∞" if value == float("inf") else f"{value:.{digits}g}"


def percent(share: float) -> str:
    """A share of one."""
    return f"{100 * share:.1f} %"


def rounded(value: float, error: float) -> str:
    """A value and its standard error, both to two digits of the error.

    Examples
    --------
    >>> rounded(42.7183, 2.96), rounded(0.68, 0.049), rounded(1234.5, 310.0)
    ('42.7 ± 3.0', '0.680 ± 0.049', '1230 ± 310')
    """
    if not 0.0 < error < float("inf"):
        return f"{significant(value)} ± {significant(error, 2)}"
    places = 1 - int(f"{error:.1e}".partition("e")[2])
    if places > 12 or places < -12:
        return f"{value:.4g} ± {error:.2g}"
    value, error = round(value, places) + 0.0, round(error, places)
    return f"{value:.{max(places, 0)}f} ± {error:.{max(places, 0)}f}"


def no_such(what: str, name: str, known: Sequence[str], remedy: str = "") -> CommandError:
    """There is no such thing, and the one that was probably meant."""
    close = nearest(name, known)
    meant = f"; did you mean {quoted(close)}?" if close is not None else "."
    rest = remedy or f"There are {listed(known)}."
    return CommandError(f"there is no {what} {quoted(name)}{meant} {rest}".rstrip())


def _width_of(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


# Printing


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


def _is_terminal(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _is_rich(stream: TextIO) -> bool:
    return _is_terminal(stream) and find_spec("rich") is not None


def _columns() -> int | None:
    """The columns there are; None for no limit."""
    if _is_terminal(sys.stdout) or os.environ.get("COLUMNS", "").isdigit():
        return max(24, shutil.get_terminal_size().columns)
    return None


def note(text: str) -> None:
    """A remark on standard error; none with ``--quiet``."""
    if not settings.quiet:
        sys.stderr.write(f"{text}\n")


def line(text: str = "", style: str = "") -> None:
    """A line of the report, folded where a terminal is narrow; ``style`` is for terminals."""
    width = _columns() if _is_terminal(sys.stdout) else None
    if width is not None and len(text) > width:
        text = "\n".join(textwrap.wrap(text, width, subsequent_indent="  "))
    if style and _is_rich(sys.stdout):
        _console(sys.stdout).print(_text(text, style))
    else:
        sys.stdout.write(f"{text}\n")


def show(grid: Grid) -> None:
    """Print a table, in parts below each other where a terminal is too narrow."""
    width = _columns()
    most = _LABEL if width is None else max(10, min(_LABEL, width // 3))
    header = [grid.header[0], *(shown(cell, most) for cell in grid.header[1:])]
    rows = [[shown(row[0], most), *map(shown, row[1:])] for row in grid.rows]
    for i, part in enumerate(_parts(Grid(header, rows, shown(grid.title), grid.left), width)):
        if i:
            line()
        _show_rich(part) if _is_rich(sys.stdout) else _show_plain(part)


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
    return [max(map(_width_of, cells)) for cells in zip(grid.header, *grid.rows, strict=True)]


def _show_plain(grid: Grid) -> None:
    sizes = _sizes(grid)
    if grid.title:
        sys.stdout.write(f"{grid.title}\n")
    for row in (grid.header, *grid.rows):
        cells = []
        for i, (cell, size) in enumerate(zip(row, sizes, strict=True)):
            space = " " * (size - _width_of(cell))
            cells.append(cell + space if i < grid.left else space + cell)
        sys.stdout.write((" " * _GAP).join(cells).rstrip() + "\n")


def _show_rich(grid: Grid) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    for i, head in enumerate(grid.header):
        justify: Literal["left", "right"] = "left" if i < grid.left else "right"
        table.add_column(_text(head), justify=justify, no_wrap=True, overflow="ellipsis")
    for row in grid.rows:
        cells = [cell.partition(" ± ") for cell in row[1:]]
        numbers = [_text(v).append(f"{sign}{error}", style="dim") for v, sign, error in cells]
        table.add_row(_text(row[0], "cyan"), *numbers)
    console = _console(sys.stdout)
    if grid.title:
        console.print(_text(grid.title, "bold underline"))
    console.print(table)


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


# Files: looked at before anything is computed, written whole or not at all


def check_output(path: str | None, suffixes: Sequence[str], force: bool) -> Path | None:
    """The file to write, after all that can be known about it before; None for the terminal."""
    if path is None or path == "-":
        return None
    target = Path(path)
    if target.is_dir():
        raise CommandError(f"-o {quoted(path)} is a folder. Add a file name to it.")
    if target.suffix.lower() not in suffixes:
        ending = f"ends in {quoted(target.suffix)}" if target.suffix else "has no ending"
        known = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}" if suffixes[1:] else suffixes[0]
        raise CommandError(f"-o {quoted(path)} {ending}. The ending says what is written: {known}.")
    if target.exists() and not force:
        raise CommandError(f"{quoted(path)} exists already. Add --force to replace it.")
    parent = target.resolve().parent
    if not parent.is_dir():
        raise CommandError(f"there is no folder {quoted(parent)}. Create it first.")
    _check_writable(parent)
    return target


def check_folder(path: str) -> Path:
    """The folder to write into, which may have to be made; nothing is made yet."""
    target = Path(path)
    if target.exists() and not target.is_dir():
        raise CommandError(f"-o {quoted(path)} is a file. Name a folder.")
    existing = target.resolve()
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir():
        raise CommandError(f"{quoted(existing)} is a file, so there can be no folder in it.")
    _check_writable(existing)
    return target


def _check_writable(folder: Path) -> None:
    # Tried, not asked: permissions do not tell of read-only disks.
    try:
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        # Some folders, such as those of the kernel, exist and say that they do not.
        absent = error.errno == errno.ENOENT
        reason = "no file can be made there" if absent else error.strerror or str(error)
        raise CommandError(
            f"the folder {quoted(folder)} cannot be written to ({reason}). "
            "Choose another one with -o."
        ) from None


def write_bytes(path: Path | None, content: bytes, what: str) -> None:
    """Write a whole file, or to standard output, and say so."""
    if path is None and _is_terminal(sys.stdout):
        # What a file keeps as it is must not steer a terminal.
        text = content.decode("utf-8", errors="replace").splitlines()
        sys.stdout.write("".join(f"{shown(row)}\n" for row in text))
        return
    if path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return
    from uapca._files import replacing

    with replacing(path) as file:
        file.write(content)
    note(f"wrote {quoted(path)} ({what})")


TABLES = (".csv", ".tsv", ".parquet", ".feather", ".xlsx")
"""Endings of tables that can be written."""


def write_table(path: Path | None, columns: Mapping[str, Sequence[Any]], what: str) -> None:
    """Columns of equal length as a table, by the ending of the path."""
    suffix = ".csv" if path is None else path.suffix.lower()
    write_bytes(path, _content(columns, suffix), what)


def _content(columns: Mapping[str, Sequence[Any]], suffix: str) -> bytes:
    # Python's numbers: their text is the shortest that reads back the same.
    plain = {
        name: column.tolist() if hasattr(column, "tolist") else list(column)
        for name, column in columns.items()
    }
    if suffix in (".csv", ".tsv"):
        import csv

        stream = StringIO(newline="")
        separator = "," if suffix == ".csv" else "\t"
        writer = csv.writer(stream, delimiter=separator, lineterminator=os.linesep)
        writer.writerow(map(_guarded, plain))
        writer.writerows(zip(*(map(_guarded, cells) for cells in plain.values()), strict=True))
        # A file name may hold what is no text; so may, through it, a label.
        return stream.getvalue().encode("utf-8", errors="backslashreplace")
    from io import BytesIO

    out = BytesIO()
    try:
        if suffix == ".xlsx":
            from openpyxl import Workbook

            book = Workbook(write_only=True)
            sheet = book.create_sheet("uapca")
            sheet.append([_guarded(name) for name in plain])
            for row in zip(*plain.values(), strict=True):
                sheet.append([_guarded(cell) for cell in row])
            book.save(out)
        else:
            import pyarrow as pa
            from pyarrow import feather, parquet

            write = parquet.write_table if suffix == ".parquet" else feather.write_feather
            write(pa.table(plain), out)
    except ImportError as error:
        raise CommandError(
            f"writing {suffix} files needs {error.name}. Install it with "
            'pip install "uapca[frames]", or use CSV.'
        ) from None
    return out.getvalue()


def _guarded(cell: Any) -> Any:
    """Text that a spreadsheet would take for a formula gets an apostrophe, which keeps it text."""
    if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{cell}"
    return cell
