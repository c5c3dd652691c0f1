"""``uapca figures``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from click.shell_completion import CompletionItem

from uapca.cli.app import force_option, subcommand
from uapca.cli.console import (
    CommandError,
    check_writable,
    complain,
    line,
    listed,
    no_such,
    note,
    plural,
    progress,
    quoted,
    shown,
    write_bytes,
)
from uapca.cli.plot import drawing, picture

__all__ = ["figures"]

# The exit code if everything else was drawn.
_INCOMPLETE = 3
_TITLE = "# The figures of the paper, re-created\n"


def _complete(ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
    from uapca.figures import NAMES

    return [CompletionItem(name) for name in NAMES if name.startswith(incomplete)]


@subcommand(
    "figures",
    ("uapca figures -o paper", "all of them, as SVG, with their captions"),
    ("uapca figures -o paper teaser student --format pdf", ""),
    ("uapca figures -o paper --format png --contact-sheet", "and one page that shows them all"),
    ("uapca figures --list", ""),
)
@click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=_complete)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="The folder to write into.",
)
@click.option(
    "--format",
    "suffix",
    type=click.Choice(["svg", "png", "pdf"]),
    default="svg",
    show_default=True,
)
@click.option(
    "--contact-sheet", is_flag=True, help="Also write contact-sheet.png: all on one page."
)
@click.option("--list", "list_only", is_flag=True, help="Only list the names.")
@force_option
def figures(
    names: tuple[str, ...],
    output: str | None,
    suffix: str,
    contact_sheet: bool,
    list_only: bool,
    force: bool,
) -> int:
    """The figures of the paper, re-created with this library.

    Without a NAME all of them. captions.md says what to see in each. The figure of the frog calls
    needs a file that has to be fetched; if that fails, the others are drawn, and the exit code is
    3.
    """
    from uapca.figures import NAMES

    if list_only:
        line("\n".join(NAMES))
        return 0
    if output is None:
        raise CommandError("name a folder to write into: uapca figures -o DIR.")
    for name in names:
        if name not in NAMES:
            raise no_such("figure", name, list(NAMES))
    folder, captions = Path(output), Path(output) / "captions.md"
    chosen = [name for name in NAMES if name in names or not names]
    wanted = [f"{name}.{suffix}" for name in chosen] + ["contact-sheet.png"] * contact_sheet
    # Captions are written anew for what is in the folder, unless somebody else wrote the file.
    if captions.exists() and not captions.read_bytes().startswith(_TITLE.encode()):
        wanted.append("captions.md")
    taken = [name for name in wanted if (folder / name).exists()]
    if taken and not force:
        exist, them = ("exists", "it") if len(taken) == 1 else ("exist", "them")
        where = f"{listed(taken, 3)} {exist} already in {quoted(folder)}"
        raise CommandError(f"{where}. Add --force to replace {them}.")
    check_writable(folder)
    return _draw_all(folder, chosen, f".{suffix}", contact_sheet)


def _draw_all(folder: Path, names: Sequence[str], suffix: str, contact: bool) -> int:
    from uapca import figures as paper
    from uapca.figures.contact import contact_sheet

    missing: dict[str, str] = {}
    with TemporaryDirectory() as kept, progress("figures") as report:
        small: dict[str, Path] = {}
        for i, name in enumerate(names):
            report(i, len(names), name)
            with drawing():
                try:
                    figure = paper.draw(name)
                except ConnectionError as error:
                    if name not in paper.NEEDS_ANURAN:
                        raise
                    missing[name] = str(error)
                    continue
                folder.mkdir(parents=True, exist_ok=True)
                if contact:
                    small[name] = Path(kept) / f"{name}.png"
                    small[name].write_bytes(picture(figure, ".png"))
                write_bytes(folder / f"{name}{suffix}", picture(figure, suffix))
        if small:
            with drawing():
                write_bytes(folder / "contact-sheet.png", picture(contact_sheet(small), ".png"))
    drawn = len(names) - len(missing)
    if drawn:
        write_bytes(folder / "captions.md", _captions(folder).encode())
        note(f"wrote {plural(drawn, 'figure')} and captions.md to {quoted(folder)}")
    for name, why in missing.items():
        # --quiet does not take it away: something that was asked for is not there.
        complain(f"uapca: the figure {name} was not drawn: {shown(why)}")
    return _INCOMPLETE if missing else 0


def _captions(folder: Path) -> str:
    """The captions of all figures that are in a folder, drawn now or earlier."""
    from uapca import figures as paper

    sections = [_TITLE]
    for name in paper.NAMES:
        files = [f"{name}.{e}" for e in ("svg", "png", "pdf") if (folder / f"{name}.{e}").is_file()]
        if files:
            sections.append(f"## {name}\n\n![{name}]({files[0]})\n\n{paper.caption(name)}\n")
    return "\n".join(sections)
