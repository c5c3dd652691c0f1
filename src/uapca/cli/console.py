"""What the program prints and writes: safe text, tables that fit, whole files."""

from __future__ import annotations

import csv
import errno
import math
import os
import re
import shutil
import sys
import tempfile
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO

import click

from uapca._names import guarded, nearest, plural, several

__all__ = [
    "STDOUT",
    "TABLES",
    "CommandError",
    "Run",
    "check_output",
    "check_writable",
    "complain",
    "line",
    "listed",
    "no_such",
    "note",
    "percent",
    "plural",
    "progress",
    "quoted",
    "rounded",
    "show",
    "shown",
    "significant",
    "width_of",
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
class Run:
    """What holds for one run, kept in its context: show tracebacks, be quiet."""

    debug: bool = False
    quiet: bool = False


def _current_run() -> Run:
    context = click.get_current_context(silent=True)
    return (context and context.find_object(Run)) or Run()


# Text


def shown(text: object, width: int | None = None) -> str:
    """The text on one line with every control character made visible.

    Cut to a width in the middle: long names often differ at their ends.

    Examples
    --------
    >>> shown("a\\x1b[31mb\\nc")
    'a␛[31mb␊c'
    """
    safe = "".join(_visible(c) for c in str(text))
    if width is None or len(safe) <= width:
        return safe
    return f"{safe[: width // 2]}…{safe[len(safe) - (width - 1) // 2 :]}"


def _visible(character: str) -> str:
    if character in _KEPT or unicodedata.category(character) not in _UNSAFE:
        return character
    code = ord(character)
    if code < 0x20 or code == 0x7F:
        return chr(0x2400 + min(code, 0x21))  # the pictures of control characters, such as ␛
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def quoted(text: object, width: int = 300) -> str:
    """The text in quotes, for messages; long ones are cut."""
    return f"'{shown(text, width)}'"


def listed(names: Iterable[object], most: int = 8) -> str:
    """Names one after the other, safe to print; a long list is cut."""
    return several([shown(name, 40) for name in names], most)


def significant(value: float, digits: int = 4) -> str:
    """A number with so many digits."""
    return "∞" if value == math.inf else f"{value + 0.0:.{digits}g}"


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
    if not 0.0 < error < math.inf:
        return f"{significant(value)} ± {significant(error, 2)}"
    places = 1 - int(f"{error:.1e}".partition("e")[2])
    if abs(places) > 12:
        return f"{value:.4g} ± {error:.2g}"
    digits = max(places, 0)
    return f"{round(value, places) + 0.0:.{digits}f} ± {round(error, places):.{digits}f}"


def no_such(what: str, name: str, known: Sequence[str], remedy: str = "") -> CommandError:
    """There is no such thing, and the one that was probably meant."""
    close = nearest(name, known)
    meant = f"; did you mean {quoted(close)}?" if close is not None else "."
    rest = remedy or f"There are {listed(known)}."
    return CommandError(f"there is no {what} {quoted(name)}{meant} {rest}")


# Printing


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def width_of(stream: TextIO | None) -> int | None:
    """The columns of a terminal, or those that COLUMNS says; None for no limit."""
    if _is_terminal(stream) or os.environ.get("COLUMNS", "").isdigit():
        return max(24, shutil.get_terminal_size().columns)
    return None


def _folded(text: str, stream: TextIO | None) -> str:
    width = width_of(stream)
    if width is None or len(text) <= width:
        return text
    key = re.match(r"\S+ {2,}", text)  # a word and what it means
    indent = key.end() if key else len(text) - len(text.lstrip()) + 2
    return "\n".join(textwrap.wrap(text, width, subsequent_indent=" " * indent))


def _print(text: str | bytes, **style: Any) -> None:
    """Print on standard output; ``style`` is for terminals."""
    if style and _is_terminal(sys.stdout) and not os.environ.get("NO_COLOR"):
        text = click.style(text, **style)
    try:
        click.echo(text, sys.stdout, nl=isinstance(text, str), color=True)
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from None


def complain(text: str) -> None:
    """Print on standard error, if somebody is there to read it."""
    with suppress(OSError):
        click.echo(text, sys.stderr, err=True)


def note(text: str, run: Run | None = None) -> None:
    """A remark on standard error; none with ``--quiet``."""
    if not (run or _current_run()).quiet:
        complain("\n".join(_folded(part, sys.stderr) for part in text.split("\n")))


def line(text: str = "", **style: Any) -> None:
    """A line of the report, folded where a terminal is narrow."""
    _print(_folded(text, sys.stdout), **style)


def show(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> None:
    """Print a table, in parts below each other where a terminal is too narrow.

    Labels stand on the left and are repeated in each part.
    """
    width = width_of(sys.stdout)
    numbers = [max(map(len, cells)) + _GAP for cells in zip(header, *rows, strict=True)][1:]
    # Labels are cut to a third of the width, unless there is room beside the rest.
    most = _LABEL if width is None else max(10, min(_LABEL, max(width // 3, width - sum(numbers))))
    table = [[shown(cell, most) for cell in header]]
    table += [[shown(row[0], most), *map(shown, row[1:])] for row in rows]
    sizes = [max(map(_columns_of, cells)) for cells in zip(*table, strict=True)]
    first = 1
    while first < len(sizes):
        ends = list(accumulate((_GAP + size for size in sizes[first:]), initial=sizes[0]))
        fitting = len(ends) - 1 if width is None else sum(end <= width for end in ends[1:])
        last = first + max(1, fitting)
        if first > 1:
            line()
        if title:
            line(shown(title) + " (continued)" * (first > 1), bold=True, underline=True)
        for i, row in enumerate(table):
            cells = []
            for j in (0, *range(first, last)):
                space = " " * (sizes[j] - _columns_of(row[j]))
                cells.append(space + row[j] if j else row[j] + space)
            _print((" " * _GAP).join(cells).rstrip(), **({} if i else {"bold": True}))
        first = last


def _columns_of(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


@contextmanager
def progress(what: str) -> Iterator[Callable[..., None]]:
    """A bar on standard error, if it is a terminal.

    Yields a function of how much is done, of the total, and if there is one of the step at hand.
    """
    bar: Any
    with click.progressbar(
        length=1, label=what, file=sys.stderr, show_eta=False, update_min_steps=0,
        hidden=_current_run().quiet or not _is_terminal(sys.stderr),
        item_show_func=lambda step: shown(step, 30) if step else None,
    ) as bar:  # fmt: skip

        def report(done: int, total: int, step: Any = None) -> None:
            bar.length = total
            bar.update(done - bar.pos, step)

        yield report


# Files: looked at before anything is computed, written whole or not at all


STDOUT = Path("-")
"""Named as a file to write, it is standard output."""


def check_output(path: str | None, suffixes: Sequence[str], force: bool) -> Path | None:
    """The file to write, after all that can be known about it before; None if none was named."""
    if path is None or path == "-":
        return None if path is None else STDOUT
    target = Path(path)
    if target.is_dir():
        raise CommandError(f"-o {quoted(path)} is a folder. Add a file name to it.")
    if target.suffix.lower() not in suffixes:
        ending = f"ends in {quoted(target.suffix)}" if target.suffix else "has no ending"
        raise CommandError(
            f"-o {quoted(path)} {ending}. The ending says what is written: {choices(suffixes)}."
        )
    if target.exists() and not force:
        raise CommandError(f"{quoted(path)} exists already. Add --force to replace it.")
    parent = target.resolve().parent
    if not parent.is_dir():
        raise CommandError(f"there is no folder {quoted(parent)}. Create it first.")
    check_writable(parent)
    return target


def choices(names: Sequence[str]) -> str:
    """Names of which one is to be chosen: ``.svg, .png or .pdf``."""
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def check_writable(folder: Path) -> None:
    """Raise unless files can be made in a folder, or in what is there of the way to it."""
    folder = folder.resolve()
    while not folder.exists():
        folder = folder.parent
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


def write_bytes(path: Path | None, content: bytes, what: str = "") -> None:
    """Write a whole file and say ``what`` it is, or write to standard output."""
    path = None if path == STDOUT else path
    if path is None and _is_terminal(sys.stdout):
        # What a file keeps as it is must not steer a terminal.
        for row in content.decode("utf-8", errors="replace").splitlines():
            _print(shown(row))
    elif path is None:
        _print(content)
    else:
        from uapca._files import replacing

        with replacing(path) as file:
            file.write(content)
        if what:
            note(f"wrote {quoted(path)} ({what})")


TABLES = (".csv", ".tsv", ".parquet", ".feather", ".xlsx")
"""Endings of tables that can be written."""


def write_table(path: Path | None, columns: Mapping[str, Sequence[Any]], what: str) -> None:
    """Columns of equal length as a table, by the ending of the path."""
    from uapca._validation import optional

    suffix = ".csv" if path is None or path == STDOUT else path.suffix.lower()
    # Python's numbers: their text is the shortest that reads back the same.
    plain = {
        name: column.tolist() if hasattr(column, "tolist") else list(column)
        for name, column in columns.items()
    }
    rows = [[guarded(c) for c in row] for row in (plain, *zip(*plain.values(), strict=True))]
    stream = BytesIO()
    try:
        if suffix in (".csv", ".tsv"):
            lines: list[str] = []
            separator = "," if suffix == ".csv" else "\t"
            # With its own line ends csv quotes both of their characters where names hold them.
            csv.writer(SimpleNamespace(write=lines.append), delimiter=separator).writerows(rows)
            text = "".join(line.removesuffix("\r\n") + os.linesep for line in lines)
            # A file name may hold what is no text; so may, through it, a label.
            stream.write(text.encode("utf-8", errors="backslashreplace"))
        elif suffix == ".xlsx":
            book = optional("openpyxl", "writing Excel files", "frames").Workbook(write_only=True)
            illegal = import_module("openpyxl.cell.cell").ILLEGAL_CHARACTERS_RE
            sheet = book.create_sheet("uapca")
            for row in rows:
                # Characters that no workbook can hold are shown as in a terminal.
                legal = [illegal.sub(lambda c: shown(c[0]), str(cell)) for cell in row]
                cells = zip(row, legal, strict=True)
                sheet.append([text if isinstance(cell, str) else cell for cell, text in cells])
            book.save(stream)
        else:
            table = optional("pyarrow", f"writing {suffix} files", "frames").table(plain)
            module = import_module(f"pyarrow.{suffix[1:]}")
            write = module.write_table if suffix == ".parquet" else module.write_feather
            write(table, stream)
    except OSError as error:  # openpyxl needs room for temporary files
        raise OSError(error.errno, error.strerror, str(path)) from error
    write_bytes(path, stream.getvalue(), what)
