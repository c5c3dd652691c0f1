"""DATA on the command line: a bundled name, a file or standard input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from uapca.cli.bundled import BUNDLED, load_bundled
from uapca.cli.choices import Choices, Reading
from uapca.cli.errors import CommandError, no_such
from uapca.cli.labels import counted, nearest, quoted, shown
from uapca.cli.say import note

if TYPE_CHECKING:
    from uapca.uncertain import UncertainArray

__all__ = ["check_data", "read_data"]


def check_data(data: str) -> None:
    """Raise unless there is such a data set or file: known before anything is loaded."""
    from uapca.cli.streams import is_pattern

    if data == "-" or data.casefold() in BUNDLED or Path(data).exists():
        return
    if is_pattern(data):
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
    if choices.weights is not None:
        _check_weights_file(data, choices.weights)
    if data.casefold() in BUNDLED:
        reading = _bundled(data.casefold(), choices)
    else:
        reading = _from_file(data, choices)
    X = reading.X if reading.weighted else _weighted(reading.X, choices)
    source = "standard input" if data == "-" else shown(data)
    note("\n  ".join([f"{source}: {reading.how}", *reading.details, f"→ {headline(X)}"]))
    return X


def _bundled(name: str, choices: Choices) -> Reading:
    _refuse_table_options(choices, f"the bundled data set {name}")
    by = choices.by[0] if choices.by else None
    X = load_bundled(name, by)
    details = []
    if Path(name).is_file():
        details.append(f"the bundled data set, not the file; ./{name} is the file")
    return Reading(_selected(X, choices), BUNDLED[name].what.partition(";")[0], details)


def _from_file(data: str, choices: Choices) -> Reading:
    from uapca.cli.streams import is_large, only_one_file, streamed
    from uapca.cli.tables import read_frame
    from uapca.inputs.paths import kind_of

    if data == "-" and choices.bins is not None:
        raise CommandError("--bins reads the points twice and needs a file, not standard input.")
    if data != "-" and (not Path(data).is_file() or choices.bins is not None):
        return streamed(data, choices)
    kind = "text" if data == "-" else kind_of(Path(data))
    if data != "-" and choices.by and is_large(Path(data), kind):
        return streamed(data, choices)
    if choices.bad_files == "skip":
        raise only_one_file(data)
    if kind == "model":
        raise CommandError(
            f"{quoted(data)} is a model or another JSON file, not data. uapca project DATA --model "
            "and uapca compare take models."
        )
    if kind == "uapca":
        from uapca.uncertain import load

        _refuse_table_options(choices, "a .uapca file")
        if choices.by:
            raise CommandError("--by has no meaning for a .uapca file. Leave it out.")
        return Reading(_selected(load(data), choices), "uncertain rows, as they were saved")
    from uapca.cli.interpret import interpreted

    table = read_frame(data, kind)
    reading = interpreted(table, choices)
    size = f"{counted(len(table), 'row')} × {counted(len(table.names), 'column')}"
    reading.how = f"{table.kind}, {size}, read as {reading.how}"
    return reading


def _selected(X: UncertainArray, choices: Choices) -> UncertainArray:
    if not choices.features:
        return X
    known = X.features or tuple(f"x{j}" for j in range(X.shape[1]))
    chosen: list[int] = []
    for value in choices.features:
        parts = [value] if value in known else [part.strip() for part in value.split(",")]
        for part in parts:
            if part not in known:
                raise no_such("feature", part, list(known))
            chosen.append(known.index(part))
    return X[:, chosen]


def _refuse_table_options(choices: Choices, what: str) -> None:
    wrong = list(choices.given())
    if wrong:
        raise CommandError(f"{wrong[0]} is for tables and has no meaning for {what}. Leave it out.")


# Weights in a file of their own


def _check_weights_file(data: str, weights: str) -> None:
    """Weights may be a column; where there are no columns they must be a file."""
    if Path(weights).is_file():
        return
    if data.casefold() in BUNDLED or data.endswith(".uapca"):
        raise CommandError(f"there is no file {quoted(weights)} with weights (--weights).")


def _weighted(X: UncertainArray, choices: Choices) -> UncertainArray:
    if choices.weights is None or not Path(choices.weights).is_file():
        return X
    return X.reweighted(_read_weights(Path(choices.weights), X))


def _read_weights(path: Path, X: UncertainArray) -> Any:
    """One weight a line in the order of the rows, or a table of names and weights."""
    from uapca.cli.tables import read_frame, unreadable
    from uapca.inputs.numbers import is_number
    from uapca.inputs.paths import kind_of

    if kind_of(path) == "text":
        lines = [row.strip() for row in path.read_text(encoding="utf-8-sig").splitlines()]
        lines = [row for row in lines if row]
        if lines and all(map(is_number, lines)):
            return _counted([float(row) for row in lines], path, X)
    table = read_frame(str(path), kind_of(path))
    columns = [name for name in table.names if table.is_numeric(name)]
    if len(columns) != 1:
        raise CommandError(
            f"{quoted(path)} must have one column of weights, and if it has another, the names of "
            f"the rows; it has {len(table.names)} columns."
        )
    values = table.frame[columns[0]].tolist()
    texts = [name for name in table.names if name != columns[0]]
    if not texts:
        return _counted(values, path, X)
    names = [str(cell).strip() for cell in table.frame[texts[0]]]
    by_name = dict(zip(names, values, strict=True))
    absent = [name for name in X.names or () if name not in by_name]
    if X.names is None or absent:
        row = absent[0] if absent else "1"
        raise unreadable([(quoted(row), columns[0], "has no weight")], f"Add it to {quoted(path)}.")
    return [by_name[name] for name in X.names]


def _counted(values: list[float], path: Path, X: UncertainArray) -> list[float]:
    if len(values) != len(X):
        raise CommandError(
            f"{quoted(path)} holds {len(values)} weights for {len(X)} rows. Give one to each row."
        )
    return values
