"""DATA on the command line: a bundled name, a file or standard input."""

from __future__ import annotations

import sys
import warnings
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uapca.cli.bundled import BUNDLED, load_bundled
from uapca.cli.choices import Choices, split
from uapca.cli.errors import CommandError, no_such
from uapca.cli.labels import nearest, quoted, shown
from uapca.cli.say import note, progress

if TYPE_CHECKING:
    from uapca.uncertain import UncertainArray

__all__ = ["check_data", "read_data"]


def check_data(data: str) -> None:
    """Raise unless there is such a data set or file: known before anything is loaded."""
    if data == "-" or data.casefold() in BUNDLED or "://" in data or Path(data).exists():
        return
    if any(sign in data for sign in "*?["):
        from glob import iglob

        if next(iglob(data, recursive=True), None) is None:
            raise CommandError(f"no file matches {quoted(data)}.")
        return
    path = Path(data)
    if not path.suffix and path.parent == Path():
        raise no_such(
            "data set or file", data, list(BUNDLED), "uapca datasets lists what can be named."
        )
    siblings = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
    close = nearest(path.name, siblings)
    meant = f"; did you mean {quoted(path.with_name(close))}?" if close else "."
    raise CommandError(f"there is no file {quoted(data)}{meant}")


def read_data(data: str, choices: Choices) -> UncertainArray:
    """The uncertain rows in DATA; says on standard error how they were understood."""
    from uapca.uncertain.array import headline

    check_data(data)
    saved, said = data.endswith(".uapca"), list[str]()
    if data.casefold() in BUNDLED or saved:
        X = _known(data, saved, choices)
        what = "uncertain rows, as they were saved"
        what = what if saved else BUNDLED[data.casefold()].what.partition(";")[0]
        origin = f"{data}: {what}"
    else:
        X, said = _read(data, choices)
        origin = X.origin or data
    weights = choices.weights
    if weights is not None and Path(weights).is_file():
        X = X.reweighted(_read_weights(Path(weights), X))
    elif weights is not None and (saved or data.casefold() in BUNDLED):
        raise CommandError(f"there is no file {quoted(weights)} with weights (--weights).")
    lines = [*map(shown, origin.splitlines()), *said, f"→ {headline(X)}"]
    note("\n  ".join(lines))
    return X


def _read(data: str, choices: Choices) -> tuple[UncertainArray, list[str]]:
    """What `uapca.read` makes of a file, a folder, a pattern or standard input."""
    from uapca.inputs import read

    source: Any = data
    if data == "-":
        if choices.bins is not None:
            raise CommandError(
                "--bins reads the points twice and needs a file, not standard input."
            )
        source = BytesIO(sys.stdin.buffer.read())
        source.name = "standard input"
    given = choices.arguments()
    if choices.weights is not None and not Path(choices.weights).is_file():
        given["weights"] = choices.weights
    # Only points in files take so long that somebody would wait for a bar.
    grouped = bool(choices.by) or choices.bins is not None
    bar = progress("reading") if grouped else nullcontext(False)
    with warnings.catch_warnings(record=True) as caught, bar as report:
        warnings.simplefilter("always")
        X = read(source, progress=report, rng=0, **given)
    return X, [f"note: {shown(warning.message)}" for warning in caught]


def _known(data: str, saved: bool, choices: Choices) -> UncertainArray:
    """A bundled data set, or rows as they were saved."""
    what = "a .uapca file" if saved else f"the bundled data set {data.casefold()}"
    wrong = choices.given()
    if wrong or (saved and choices.by):
        option = wrong[0] if wrong else "--by"
        raise CommandError(f"{option} is for tables and has no meaning for {what}. Leave it out.")
    if saved:
        from uapca.uncertain import load

        X = load(data)
    else:
        X = load_bundled(data.casefold(), choices.by[0] if choices.by else None)
        if Path(data).is_file():
            note(f"the bundled data set, not the file; ./{data} is the file")
    if not choices.features:
        return X
    from uapca.inputs.read import expand

    known = X.features or tuple(f"x{j}" for j in range(X.shape[1]))
    return X[:, [known.index(name) for name in expand(split(choices.features), known, "features")]]


def _read_weights(path: Path, X: UncertainArray) -> Any:
    """One weight a line in the order of the rows, or a table of names and weights."""
    from uapca.inputs.files import open_table
    from uapca.inputs.frame import Table

    bare = Table({})
    lines = path.read_text(encoding="utf-8-sig").split() if path.suffix in (".txt", ".csv") else []
    numbers = [bare.number(line) for line in lines]
    if lines and None not in numbers:
        return _counted(numbers, path, X)
    table = open_table(path)
    table.resolve(table.names)
    columns = [name for name in table.names if table.is_number(name)]
    if len(columns) != 1:
        raise CommandError(
            f"{quoted(path)} must have one column of weights, and if it has another, the names of "
            f"the rows; it has {len(table.names)} columns."
        )
    values = table.block(columns)[:, 0].tolist()
    texts = [name for name in table.names if name != columns[0]]
    if not texts:
        return _counted(values, path, X)
    by_name = dict(zip(table.texts(texts[0]), values, strict=True))
    absent = [name for name in X.names or ("0",) if name not in by_name]
    if absent:
        raise CommandError(f"row {quoted(absent[0])} has no weight in {quoted(path)}. Add it.")
    return [by_name[name] for name in X.names or ()]


def _counted(values: list[Any], path: Path, X: UncertainArray) -> list[Any]:
    if len(values) != len(X):
        raise CommandError(
            f"{quoted(path)} holds {len(values)} weights for {len(X)} rows. Give one to each row."
        )
    return values
