"""DATA on the command line: a bundled name, or what `uapca.read` understands, and its fit."""

from __future__ import annotations

import csv
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, cast

import uapca
from uapca.cli.app import in_options
from uapca.cli.console import (
    CommandError,
    listed,
    no_such,
    note,
    plural,
    progress,
    quoted,
    shown,
    write_table,
)

__all__ = [
    "BUNDLED",
    "Data",
    "check_columns",
    "feature_names",
    "fitted",
    "read_model",
    "write_rows",
]


class Bundled(NamedTuple):
    """A data set with a name: what it is, its shape, its function, and its labels for --by."""

    what: str
    shape: str
    load: Callable[[str], uapca.UncertainArray]
    by: tuple[str, ...] = ("",)


BUNDLED = {
    "students": Bundled(
        "marks of six students: numbers, intervals, words",
        "6 × 4",
        lambda _: uapca.datasets.load_students(),
    ),
    "iris": Bundled(
        "Fisher's irises, one row per species",
        "3 × 4",
        lambda _: uapca.datasets.load_iris_groups(),
        ("species",),
    ),
    "anuran": Bundled(
        "calls of frogs and toads; --by family, genus or species; fetched once",
        "4, 8 or 10 × 22",
        lambda by: uapca.datasets.fetch_anuran(by),  # type: ignore[call-overload]
        ("family", "genus", "species"),
    ),
    "teaser": Bundled(
        "the paper's teaser: the first component turns with s",
        "4 × 2",
        lambda _: uapca.datasets.make_teaser(),
    ),
    "crossings": Bundled(
        "two avoided crossings of the eigenvalues",
        "6 × 3",
        lambda _: uapca.datasets.make_crossings(),
    ),
    "progression": Bundled(
        "two axes that turn around the third",
        "5 × 3",
        lambda _: uapca.datasets.make_progression(),
    ),
    "certain": Bundled(
        "error models: no errors", "6 × 2", lambda _: uapca.datasets.make_error_models().certain
    ),
    "isotropic": Bundled(
        "error models: one error for all",
        "6 × 2",
        lambda _: uapca.datasets.make_error_models().isotropic,
    ),
    "arbitrary": Bundled(
        "error models: each row its own",
        "6 × 2",
        lambda _: uapca.datasets.make_error_models().arbitrary,
    ),
}
# A feature with so much of the variance, so many times as wide as the middle one, may be in other
# units than the rest.
_ALONE, _UNLIKE = 0.95, 10.0
_WIDEST = 50  # features of a table with correlations


class Data:
    """DATA of a command, with the options that say how to read it.

    Parameters
    ----------
    name : str
        The name of a bundled data set, a path or pattern, or ``-``.
    reading : mapping of str to Any
        The options of `uapca.read`, and ``denoise``.
    """

    def __init__(self, name: str, reading: Mapping[str, Any]) -> None:
        self.name: str = name
        self.reading: Mapping[str, Any] = reading

    @cached_property
    def observed(self) -> uapca.UncertainArray:
        """The uncertain rows; says on standard error how they were understood."""
        data, name, options = self.name, self.name.casefold(), {**self.reading, "rng": 0}
        del options["denoise"]
        weights = Path(options["weights"] or "")
        saved = name in BUNDLED or Path(data).suffix.lower() == ".uapca"
        if weights.is_file():
            options["weights"] = None
        elif saved and options["weights"] is not None:
            raise CommandError(f"there is no file {quoted(weights)} with weights (--weights).")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if name in BUNDLED:
                X = uapca.read(_bundled(name, options.pop("by")), **options)
                origin = f"{name}: {BUNDLED[name].what.partition(';')[0]}"
                if Path(data).is_file():
                    origin += f"\nthe bundled data set, not the file; ./{name} is the file"
            else:
                X = _from_file(data, options)
                origin = (
                    f"{data}: uncertain rows, as they were saved" if saved else X.origin or data
                )
        if weights.is_file():
            X = X.reweighted(_weights_in(weights, X))
        said = [*origin.splitlines(), *(f"note: {warning.message}" for warning in caught)]
        size = repr(X).splitlines()[0].partition(": ")[2]
        note("\n  ".join([*(shown(in_options(text)) for text in said), f"→ {size}"]))
        return X

    @cached_property
    def denoiser(self) -> uapca.Denoiser | None:
        """The model of the true values with ``--denoise``; says how it was found."""
        X, wanted = self.observed, self.reading["denoise"]
        if wanted is None:
            return None
        with progress("denoising") as report:
            model = uapca.Denoiser(None if wanted == "all" else wanted).fit(X, progress=report)
        kind = "all features" if wanted == "all" else plural(wanted, "factor")
        empty = 0 if X.missing is None else int(X.missing.sum())
        filled = f", {plural(empty, 'empty cell')} filled" if empty else ""
        note(f"denoised with a model of {kind} in {plural(model.n_iter_, 'step')}{filled}")
        return model

    def rows(self, **options: Any) -> uapca.UncertainArray:
        """The rows to analyze: those observed, or posterior rows, which take ``options``."""
        model = self.denoiser
        return self.observed if model is None else model.transform(self.observed, **options)

    def column(self, name: str, X: uapca.UncertainArray) -> Column:
        """A column of the table, one entry for each row that was not left out."""
        from uapca.inputs.files import open_table

        reading = self.reading
        if reading["by"] or reading["bins"] or self.name == "-" or self.name.casefold() in BUNDLED:
            raise CommandError(
                "--groups needs a file with one line for each row and such a column."
            )
        how = ("sheet", "decimal", "thousands", "encoding")
        table = open_table(self.name, **{option: reading[option] for option in how})
        if name not in table.names:
            raise no_such("column", name, list(table.names))
        table.resolve([name])
        values = table.block([name])[:, 0].tolist() if table.is_number(name) else table.texts(name)
        if len(values) == len(X):
            return Column(values, name)
        # Rows were left out: those that are there are found by their names.
        for column in table.names if X.names is not None else ():
            by_name = dict(zip(table.texts(column), values, strict=True))
            if len(by_name) == len(values) and by_name.keys() >= {*(X.names or ())}:
                return Column((by_name[row] for row in X.names or ()), name)
        raise CommandError(
            f"--groups {quoted(name)} has {len(values)} entries for {len(X)} rows. Name the rows "
            "with --names COLUMN, so that those left out are known."
        )


class Column(list[Any]):
    """The entries of a column, with its name: pictures label a color bar with it."""

    def __init__(self, values: Iterable[Any], name: str) -> None:
        super().__init__(values)
        self.name = name


def _bundled(name: str, by: Any) -> uapca.UncertainArray:
    data = BUNDLED[name]
    if by is not None and data.by == ("",):
        raise CommandError(f"{name} holds no labeled points. Leave out --by.")
    label = data.by[0] if by is None else str(by).casefold()
    if label not in data.by:
        raise no_such(f"label of {name}", str(by), data.by)
    return data.load(label)


def _from_file(data: str, options: dict[str, Any]) -> uapca.UncertainArray:
    path, source = Path(data), cast(Any, data)
    if data == "-":
        if options["bins"] is not None:
            raise CommandError(
                "--bins reads the points twice and needs a file, not standard input."
            )
        source = BytesIO(sys.stdin.buffer.read())
        source.name = "standard input"
    elif not path.suffix and path.parent == Path() and not path.exists():
        remedy = "uapca datasets lists what can be named."
        raise no_such("data set or file", data, list(BUNDLED), remedy)
    elif path.suffix.lower() == ".json" and path.is_file():
        raise CommandError(
            f"{quoted(data)} is a model or another JSON file, not data. uapca project DATA --model "
            "and uapca compare take models."
        )
    if options["by"] is None and options["bins"] is None:
        return uapca.read(source, **options)
    with progress("reading") as report:
        return uapca.read(source, progress=report, **options)


def _weights_in(path: Path, X: uapca.UncertainArray) -> list[float]:
    """One weight a line in the order of the rows, or a table of names and weights."""
    lines = [row for row in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()) if row]
    with_header = bool(lines) and lines[0][-1].strip()[:1] not in {*"0123456789.+-"}
    try:
        weights = [(row[0].strip(), float(row[-1])) for row in lines[with_header:]]
    except ValueError as error:
        raise CommandError(f"{quoted(path)}: {error}.") from None
    if X.names is None or not lines or len(lines[0]) == 1:
        return [weight for _, weight in weights]
    by_name = dict(weights)
    absent = [name for name in X.names if name not in by_name]
    if absent:
        raise CommandError(f"{quoted(path)} has no weight for {listed(absent)}.")
    return [by_name[name] for name in X.names]


def feature_names(names: Iterable[str] | None, d: int) -> tuple[str, ...]:
    """The features, with names for those that have none."""
    return tuple(f"x{j}" for j in range(d)) if names is None else tuple(names)


# What commands do with the data


def fitted(X: uapca.UncertainArray, components: Any, **parameters: Any) -> uapca.UAPCA:
    """The fit, with remarks where it is less than was asked for, or one feature is all of it."""
    n, d = X.shape
    if n == 1:
        note("note: one row has no spread between rows: every variance is its own uncertainty")
    most = min(n, d) if X.cov.kind == "zero" else d
    if isinstance(components, int) and components > most:
        are = "is" if most == 1 else "are"
        note(f"note: there {are} {plural(most, 'component')}, not {components}")
        components = most
    pca = uapca.UAPCA(components, **parameters).fit(X)
    if not pca.standardize and pca.solver_ == "eigh" and d > 1:
        variances = pca.get_covariance().diagonal()
        largest, middle = variances.max(), sorted(variances)[d // 2]
        if largest >= max(_ALONE * variances.sum(), _UNLIKE**2 * middle) > 0.0:
            share = largest / variances.sum()
            how_much = "nearly all" if share > 0.9995 else f"{100 * share:.3g} %"
            alone = shown(feature_names(X.features, d)[variances.argmax()])
            note(
                f"note: {alone} alone has {how_much} of the variance; if that is due to its unit, "
                "--standardize gives all features the same say"
            )
    return pca


def read_model(path: str) -> uapca.UAPCA:
    """The fit in a file."""
    from uapca.decomposition.io import load_fit

    if not Path(path).is_file():
        raise CommandError(f"there is no file {quoted(path)}. uapca fit DATA -o FILE writes one.")
    return load_fit(path)


def write_rows(
    X: uapca.UncertainArray, target: Path | None, what: str, *, weights: bool = False
) -> None:
    """Write rows: a .uapca file with everything known of them, or a table that is DATA again.

    It has columns ``x`` and ``x_err`` for each feature, ``x_y_corr`` for each pair that is
    correlated in some row, ``name`` if rows have names, and on demand ``uapca_weight``: the
    weights, summing to the total they had.
    """
    from uapca.inputs.columns import WEIGHT
    from uapca.uncertain import array

    if target is not None and target.suffix.lower() == ".uapca":
        X.save(target)
        note(f"wrote {quoted(target)} ({what})")
        return
    d, correlated = X.shape[1], array.has_correlations(X)
    if d > _WIDEST and correlated:
        raise CommandError(
            f"{d} features with their correlations would make {d * (d + 3) // 2:,} columns. "
            "Write a .uapca file."
        )
    names: dict[str, Any] = {} if X.names is None else {"name": X.names}
    extra: dict[str, Any] = {WEIGHT: X.weights * X.total_weight} if weights else {}
    check_columns(feature_names(X.features, d), [*names, *extra], correlated)
    values = {k: v.astype(float) for k, v in array.columns_of_rows(X, corr=True).items()}
    write_table(target, names | values | extra, what)


def check_columns(features: Sequence[str], extra: Sequence[str], correlated: bool) -> None:
    """Raise if two columns of a table would have one name, or a feature that of a correlation."""
    from uapca.uncertain.array import CORRELATION, ERROR

    columns = Counter([*extra, *features, *map(ERROR.format, features)])
    pairs = combinations(features, 2) if len(features) <= _WIDEST else ()
    correlations = Counter(CORRELATION.format(*pair) for pair in pairs)
    twice = [name for name, count in columns.items() if count > 1 or name in correlations]
    twice += [name for name, count in correlations.items() if correlated and count > 1]
    if twice:
        raise CommandError(
            f"two columns of the table would be called {quoted(twice[0])}, or read back as the "
            "same. Write a .uapca file, or rename the columns of the data."
        )
