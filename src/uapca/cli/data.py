"""DATA on the command line: a bundled name, a file, a folder or standard input."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from uapca.cli.console import (
    CommandError,
    counted,
    listed,
    no_such,
    note,
    progress,
    quoted,
    shown,
)

if TYPE_CHECKING:
    from uapca.decomposition import UAPCA
    from uapca.uncertain import UncertainArray

__all__ = [
    "BUNDLED",
    "check_columns",
    "check_data",
    "columns_of_rows",
    "denoised",
    "feature_names",
    "fitted",
    "read_data",
    "read_model",
]


class Bundled(NamedTuple):
    """A data set with a name.

    Attributes
    ----------
    what : str
        What it is, in a few words.
    shape : str
    load : callable
        Takes the module ``uapca.datasets`` and what ``--by`` says, and returns the data.
    by : tuple of str
        What it can be aggregated by; the first is the default.
    """

    what: str
    shape: str
    load: Callable[[Any, str], UncertainArray]
    by: tuple[str, ...] = ()


BUNDLED = {
    "students": Bundled(
        "marks of six students: numbers, intervals, words", "6 × 4", lambda d, _: d.load_students()
    ),
    "iris": Bundled(
        "Fisher's irises, one row for each species",
        "3 × 4",
        lambda d, _: d.load_iris_groups(),
        ("species",),
    ),
    "anuran": Bundled(
        "calls of frogs and toads; --by family, genus or species; fetched once",
        "4, 8 or 10 × 22",
        lambda d, by: d.fetch_anuran(by),
        ("family", "genus", "species"),
    ),
    "teaser": Bundled(
        "the paper's teaser: the first component turns with s",
        "4 × 2",
        lambda d, _: d.make_teaser(),
    ),
    "crossings": Bundled(
        "two avoided crossings of the eigenvalues", "6 × 3", lambda d, _: d.make_crossings()
    ),
    "progression": Bundled(
        "two axes that turn around the third", "5 × 3", lambda d, _: d.make_progression()
    ),
    "certain": Bundled(
        "error models: no errors", "6 × 2", lambda d, _: d.make_error_models().certain
    ),
    "isotropic": Bundled(
        "error models: one error for all", "6 × 2", lambda d, _: d.make_error_models().isotropic
    ),
    "arbitrary": Bundled(
        "error models: each row its own", "6 × 2", lambda d, _: d.make_error_models().arbitrary
    ),
}
# What a .uapca file and a bundled data set have settled already.
_OF_TABLES = ("bins", "errors", "corr", "names", "words", "fill", "decimal", "thousands", "sheet")
# A feature with so much of the variance, so many times as wide as the middle one, may be in other
# units than the rest.
_ALONE, _UNLIKE = 0.95, 10.0
_WIDEST = 50  # features of a table with correlations


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
    from uapca._names import nearest

    close = nearest(path.name, siblings)
    meant = f"; did you mean {quoted(path.with_name(close))}?" if close else "."
    raise CommandError(f"there is no file {quoted(data)}{meant}")


def read_data(data: str, reading: Mapping[str, Any], denoise: str | None = None) -> UncertainArray:
    """The uncertain rows in DATA; says on standard error how they were understood."""
    check_data(data)
    if reading["missing"] == "keep" and denoise is None and not reading["by"]:
        raise CommandError("--missing keep is for --denoise, which can use rows with empty cells.")
    name = data.casefold()
    if name in BUNDLED:
        X = _bundled(name, reading)
        origin = BUNDLED[name].what.partition(";")[0]
        if Path(data).is_file():
            origin += f"\nthe bundled data set, not the file; ./{name} is the file"
        origin = f"{name}: {origin}"
    else:
        X, origin = _from_file(data, reading)
    weights = reading["weights"]
    if weights is not None and Path(weights).is_file():
        X = X.reweighted(_weights_in(Path(weights), X))
    elif weights is not None and (name in BUNDLED or data.endswith(".uapca")):
        raise CommandError(f"there is no file {quoted(weights)} with weights (--weights).")
    lines = [shown(line) for line in origin.splitlines()]
    note("\n  ".join([*lines, f"→ {_headline(X)}"]))
    return X


def _headline(X: UncertainArray) -> str:
    """The size and kind of the data, as its first line has them."""
    return repr(X).splitlines()[0].partition(": ")[2]


def _bundled(name: str, reading: Mapping[str, Any]) -> UncertainArray:
    _refuse(reading, _OF_TABLES, f"the bundled data set {name}")
    data, given = BUNDLED[name], _parts(reading["by"])
    if given and not data.by:
        raise CommandError(f"{name} holds no labelled points. Leave out --by.")
    by = given[0].casefold() if given else (*data.by, "")[0]
    if given and by not in data.by:
        raise no_such(f"label of {name}", given[0], data.by)
    from uapca import datasets

    return _selected(data.load(datasets, by), reading)


def _from_file(data: str, reading: Mapping[str, Any]) -> tuple[UncertainArray, str]:
    import uapca

    suffix = Path(data).suffix.lower()
    if suffix == ".json" and Path(data).is_file():
        raise CommandError(
            f"{quoted(data)} is a model or another JSON file, not data. uapca project DATA --model "
            "and uapca compare take models."
        )
    if suffix == ".uapca":
        _refuse(reading, ("by", *_OF_TABLES), "a .uapca file")
        X = uapca.load(data)
        assert isinstance(X, uapca.UncertainArray)
        return _selected(X, reading), f"{data}: uncertain rows, as they were saved"
    source: Any = data
    if data == "-":
        if reading["bins"] is not None:
            raise CommandError(
                "--bins reads the points twice and needs a file, not standard input."
            )
        source = BytesIO(sys.stdin.buffer.read())
        source.name = "standard input"
    options = _options(reading)
    many = options["by"] is not None or options["bins"] is not None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if many:
            with progress("reading") as report:
                X = uapca.read(source, progress=report, **options)
        else:
            X = uapca.read(source, **options)
    said = [f"note: {shown(warning.message)}" for warning in caught]
    return X, "\n".join([X.origin or data, *said])


def _options(reading: Mapping[str, Any]) -> dict[str, Any]:
    """The options in the words of `uapca.read`."""
    by, errors, fill = _parts(reading["by"]), reading["errors"], reading["fill"]
    pairs = [part.partition("=") for text in errors for part in text.split(",") if "{}" not in text]
    laws = [_law(text) for text in fill]
    if len(fill) > 1 and not all(sign for _, sign, _ in laws):
        raise CommandError("--fill takes one law for all cells, or COLUMN=LAW several times.")
    sheet = reading["sheet"]
    weights = reading["weights"]
    options = {
        "by": (by if len(by) > 1 else by[0]) if by else None,
        "bins": _bins(reading["bins"]),
        "errors": {a.strip(): b.strip() for a, sign, b in pairs if sign}
        or (list(errors) if len(errors) > 1 else errors[0] if errors else None),
        "features": _parts(reading["features"]) or None,
        "exclude": _parts(reading["exclude"]) or None,
        "weights": None if weights is None or Path(weights).is_file() else weights,
        "words": _words(reading["words"]),
        "fill": {column.strip(): law.strip() for column, sign, law in laws if sign}
        or (fill[0] if fill else None),
        "sheet": int(sheet) if sheet and sheet.isdigit() else sheet,
        "keep_samples": reading["keep_points"],
        "rng": 0,
    }
    for name in ("corr", "names", "spread", "missing", "bad_cells", "bad_files", "decimal"):
        options[name] = reading[name]
    for name in ("thousands", "equal_weights"):
        options[name] = reading[name]
    return options


def _parts(values: Sequence[str]) -> list[str]:
    """Names that are separated by commas or given one by one."""
    return [part.strip() for value in values for part in value.split(",")]


def _law(text: str) -> tuple[str, str, str]:
    """The column and the law of COLUMN=LAW; no column where there is a law alone."""
    column, sign, law = text.partition("=")
    return (column, sign, law) if sign and "(" not in column else ("", "", text)


def _words(path: str | None) -> Any:
    """The meaning of words, from a TOML file; ``grades`` are those of the student grades."""
    if path == "grades":
        from uapca.datasets import GRADES

        return GRADES
    if path is not None and not Path(path).is_file():
        raise CommandError(f"there is no file {quoted(path)} with the meaning of words (--words).")
    return path


def _bins(text: str | None) -> Any:
    """A number of clusters, or cells for each feature: ``500`` or ``x=20,y=25``."""
    if text is None or text.strip().isdigit():
        return None if text is None else int(text)
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


def _selected(X: UncertainArray, reading: Mapping[str, Any]) -> UncertainArray:
    """The features asked for, by name or pattern."""
    from uapca.inputs.read import expand

    known = feature_names(X)
    chosen = expand(_parts(reading["features"]), known, "features") or known
    left = expand(_parts(reading["exclude"]), known, "exclude")
    if chosen == known and not left:
        return X
    return X[:, [known.index(name) for name in chosen if name not in left]]


def _refuse(reading: Mapping[str, Any], names: Sequence[str], what: str) -> None:
    wrong = [name for name in names if reading[name]]
    wrong += ["spread"] * (reading["spread"] != "std") + ["keep_points"] * reading["keep_points"]
    if wrong:
        option = wrong[0].replace("_", "-")
        raise CommandError(f"--{option} is for tables and has no meaning for {what}. Leave it out.")


def _weights_in(path: Path, X: UncertainArray) -> list[float]:
    """One weight a line in the order of the rows, or a table of names and weights."""
    import csv

    lines = [row for row in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()) if row]
    names, values = [], []
    for i, row in enumerate(lines):
        try:
            values.append(float(row[-1]))
        except ValueError:
            if i == 0:  # a head
                continue
            raise CommandError(
                f"{quoted(path)}, line {i + 1}: {quoted(row[-1])} is no number."
            ) from None
        names.append(row[0].strip())
    if X.names is not None and lines and len(lines[0]) == 2:
        by_name = dict(zip(names, values, strict=True))
        absent = [name for name in X.names if name not in by_name]
        if absent:
            raise CommandError(f"{quoted(path)} has no weight for {listed(absent)}.")
        return [by_name[name] for name in X.names]
    if len(values) != len(X):
        raise CommandError(
            f"{quoted(path)} holds {len(values)} weights for {len(X)} rows. Give one to each row."
        )
    return values


def feature_names(X: UncertainArray) -> tuple[str, ...]:
    """The features, with names for those that have none."""
    return X.features or tuple(f"x{j}" for j in range(X.shape[1]))


# What commands do with the data


def denoised(X: UncertainArray, wanted: str | None) -> UncertainArray:
    """The posterior rows of the true values, if they were asked for; says how they were found."""
    if wanted is None:
        return X
    from uapca.posterior import Denoiser

    if wanted != "all" and not (wanted.isdigit() and int(wanted)):
        raise CommandError(
            f"--denoise takes a number of factors, or nothing; got {quoted(wanted)}."
        )
    model = Denoiser(None if wanted == "all" else int(wanted)).fit(X)
    rows = model.transform(X)
    kind = "all features" if wanted == "all" else counted(int(wanted), "factor")
    empty = 0 if X.missing is None else int(X.missing.sum())
    filled = f", {counted(empty, 'empty cell')} filled" if empty else ""
    note(f"denoised with a model of {kind} in {counted(model.n_iter_, 'step')}{filled}")
    return rows


def fitted(
    X: UncertainArray,
    components: Any,
    scale: float,
    *,
    ddof: float = 0.0,
    standardize: bool = False,
) -> UAPCA:
    """The fit, with remarks where it is less than was asked for, or one feature is all of it."""
    import numpy as np

    from uapca.decomposition import UAPCA

    n, d = X.shape
    if n == 1:
        note("note: one row has no spread between rows: every variance is its own uncertainty")
    most = min(n, d) if X.cov.kind == "zero" else d
    if isinstance(components, int) and components > most:
        are = "is" if most == 1 else "are"
        note(f"note: there {are} {counted(most, 'component')}, not {components}")
        components = most
    pca = UAPCA(components, scale=scale, ddof=ddof, standardize=standardize).fit(X)
    if not standardize and pca.solver_ == "eigh" and d > 1:
        variances = pca.get_covariance().diagonal()
        largest = int(variances.argmax())
        share = variances[largest] / variances.sum() if variances[largest] > 0.0 else 0.0
        if share >= _ALONE and variances[largest] >= _UNLIKE**2 * np.median(variances):
            how_much = "nearly all" if share > 0.9995 else f"{100 * share:.3g} %"
            note(
                f"note: {shown(feature_names(X)[largest])} alone has {how_much} of the variance; "
                "if that is due to its unit, --standardize gives all features the same say"
            )
    return pca


def read_model(path: str) -> UAPCA:
    """The fit in a file; whatever is wrong with it is said in one line."""
    from uapca.decomposition.io import load_fit

    if not Path(path).is_file():
        raise CommandError(f"there is no file {quoted(path)}. uapca fit DATA -o FILE writes one.")
    return load_fit(path)


def columns_of_rows(X: UncertainArray, *, weights: bool = False) -> dict[str, Any]:
    """Means, standard deviations and correlations, in columns that are read back as such.

    Columns ``x`` and ``x_err`` for each feature, ``x_y_corr`` for each pair that is correlated in
    some row, ``name`` if rows have names, and on demand ``uapca_weight``: the weights, summing to
    the total they had.
    """
    from uapca.inputs.read import WEIGHT
    from uapca.uncertain import array

    d, correlated = X.shape[1], array.has_correlations(X)
    if d > _WIDEST and correlated:
        raise CommandError(
            f"{d} features with their correlations would make {d * (d + 3) // 2:,} columns. "
            "Write a .uapca file."
        )
    check_columns(feature_names(X), X.names is not None, weights, correlated=correlated)
    columns: dict[str, Any] = {
        name: values.astype(float) for name, values in array.columns_of_rows(X, corr=True).items()
    }
    if X.names is not None:
        columns = {"name": list(X.names), **columns}
    if weights:
        columns[WEIGHT] = X.weights * X.total_weight
    return columns


def check_columns(
    features: Sequence[str], named: bool, weights: bool, *, correlated: bool = False
) -> None:
    """Raise if two columns of a table would have one name, or a feature that of a correlation."""
    from itertools import combinations

    from uapca.inputs.read import WEIGHT
    from uapca.uncertain.array import CORRELATION, ERROR

    columns = [("name", "the names of the rows")] * named + [(WEIGHT, "the weights")] * weights
    for feature in features:
        columns.append((feature, f"the feature {quoted(feature)}"))
        columns.append((ERROR.format(feature), f"the errors of {quoted(feature)}"))
    pairs = list(combinations(features, 2)) if len(features) <= _WIDEST else []
    for first, second in pairs if correlated else ():
        both = f"{quoted(first)} and {quoted(second)}"
        columns.append((CORRELATION.format(first, second), f"the correlations of {both}"))
    taken: dict[str, str] = {}
    remedy = "Write a .uapca file, or rename the columns of the data."
    for name, meaning in columns:
        if name in taken:
            raise CommandError(
                f"the table would have two columns {quoted(name)}: {taken[name]}, and {meaning}. "
                f"{remedy}"
            )
        taken[name] = meaning
    for pair in pairs:
        name = CORRELATION.format(*pair)
        if name in features:
            raise CommandError(
                f"the feature {quoted(name)} would be read back as the correlations of "
                f"{quoted(pair[0])} and {quoted(pair[1])}. {remedy}"
            )
