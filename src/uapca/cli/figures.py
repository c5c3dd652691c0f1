"""``uapca figures``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from uapca.cli.app import force_option, subcommand

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
@click.option("-o", "--output", metavar="DIR", type=click.Path(), help="The folder to write into.")
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
    from uapca.cli.console import CommandError, check_folder, no_such
    from uapca.figures import NAMES

    if list_only:
        click.echo("\n".join(NAMES))
        return 0
    if output is None:
        raise CommandError("name a folder to write into: uapca figures -o DIR.")
    for name in names:
        if name not in NAMES:
            raise no_such("figure", name, list(NAMES))
    folder = check_folder(output)
    chosen = [name for name in NAMES if name in names or not names]
    wanted = [f"{name}.{suffix}" for name in chosen]
    wanted += ["contact-sheet.png"] * contact_sheet
    # Captions are added to those that are there, unless somebody else wrote the file.
    wanted += ["captions.md"] * (_kept_captions(folder) is None)
    _check_free(folder, wanted, force)
    return _draw_all(folder, chosen, f".{suffix}", contact_sheet)


def _check_free(folder: Path, names: Iterable[str], force: bool) -> None:
    from uapca.cli.console import CommandError, listed, quoted

    taken = [name for name in names if (folder / name).exists()]
    if taken and not force:
        exist, them = ("exists", "it") if len(taken) == 1 else ("exist", "them")
        where = f"{listed(taken, 3)} {exist} already in {quoted(folder)}"
        raise CommandError(f"{where}. Add --force to replace {them}.")


def _draw_all(folder: Path, names: list[str], suffix: str, contact: bool) -> int:
    from tempfile import TemporaryDirectory

    from uapca import figures as paper
    from uapca.cli.console import counted, note, progress, quoted
    from uapca.cli.plot import picture, without_window

    without_window()
    captions: dict[str, str] = {}
    missing: dict[str, str] = {}
    with TemporaryDirectory() as kept, progress("figures") as report:
        shown: dict[str, Path] = {}
        for i, name in enumerate(names):
            report(i, len(names), name)
            try:
                figure = paper.draw(name)
            except ConnectionError as error:
                if name not in paper.NEEDS_ANURAN:
                    raise
                missing[name] = str(error)
                continue
            small = picture(figure, ".png", close=False) if contact else b""
            _write(folder / f"{name}{suffix}", picture(figure, suffix))
            captions[name] = paper.caption(name)
            if contact:
                shown[name] = Path(kept) / f"{name}.png"
                shown[name].write_bytes(small)
        if shown:
            from uapca.figures.contact import contact_sheet

            _write(folder / "contact-sheet.png", picture(contact_sheet(shown), ".png"))
    if captions:
        sections = (_kept_captions(folder) or {}) | _captions(captions, suffix)
        parts = [sections[name] for name in paper.NAMES if name in sections]
        _write(folder / "captions.md", "\n".join([_TITLE, *parts]).encode())
        note(f"wrote {counted(len(captions), 'figure')} and captions.md to {quoted(folder)}")
    for name, why in missing.items():
        _say_missing(name, why)
    return _INCOMPLETE if missing else 0


def _write(path: Path, content: bytes) -> None:
    from uapca._files import replacing

    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(content)


def _captions(captions: dict[str, str], suffix: str) -> dict[str, str]:
    """The section of each figure in the file of captions."""
    return {
        name: f"## {name}\n\n![{name}]({name}{suffix})\n\n{text}\n"
        for name, text in captions.items()
    }


def _kept_captions(folder: Path) -> dict[str, str] | None:
    """Sections of figures that were drawn earlier and are there; None if the file is not ours."""
    path = folder / "captions.md"
    if not path.exists():
        return {}
    text = path.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")
    if not text.startswith(_TITLE):
        return None
    kept = {}
    for part in text.removeprefix(_TITLE).split("\n## ")[1:]:
        name, _, rest = part.partition("\n")
        found = re.search(r"!\[[^]]*\]\(([^)/\\]+)\)", rest)
        if found is not None and (folder / found[1]).is_file():
            kept[name] = f"## {name}\n{rest.rstrip()}\n"
    return kept


def _say_missing(name: str, why: str) -> None:
    """Not a remark that --quiet takes away: something that was asked for is not there."""
    from uapca.cli.console import shown

    sys.stderr.write(f"uapca: the figure {name} was not drawn: {shown(why)}\n")
