"""Data sets that can be named instead of a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from uapca.uncertain import UncertainArray

__all__ = ["BUNDLED", "Bundled", "anuran_hint", "load_bundled"]


class Bundled(NamedTuple):
    """A data set with a name.

    Attributes
    ----------
    what : str
        What it is, in a few words.
    shape : str
    load : callable
        Takes what ``--by`` says and returns the data.
    by : tuple of str
        What it can be aggregated by; the first is the default.
    """

    what: str
    shape: str
    load: Callable[[str | None], UncertainArray]
    by: tuple[str, ...] = ()


def _students(by: str | None) -> UncertainArray:
    from uapca import datasets

    return datasets.load_students()


def _iris(by: str | None) -> UncertainArray:
    from uapca import datasets

    return datasets.load_iris_groups()


def _anuran(by: str | None) -> UncertainArray:
    from uapca import datasets

    return datasets.fetch_anuran(by or "family")  # type: ignore[call-overload, no-any-return]


def _teaser(by: str | None) -> UncertainArray:
    from uapca import datasets

    return datasets.make_teaser()


def _crossings(by: str | None) -> UncertainArray:
    from uapca import datasets

    return datasets.make_crossings()


def _progression(by: str | None) -> UncertainArray:
    from uapca import datasets

    return datasets.make_progression()


def _error_model(kind: str) -> Callable[[str | None], UncertainArray]:
    def load(by: str | None) -> UncertainArray:
        from uapca import datasets

        found: UncertainArray = getattr(datasets.make_error_models(), kind)
        return found

    return load


BUNDLED = {
    "students": Bundled("marks of six students: numbers, intervals, words", "6 × 4", _students),
    "iris": Bundled("Fisher's irises, one row for each species", "3 × 4", _iris, ("species",)),
    "anuran": Bundled(
        "calls of frogs and toads; --by family, genus or species; fetched once",
        "4, 8 or 10 × 22",
        _anuran,
        ("family", "genus", "species"),
    ),
    "teaser": Bundled("the paper's teaser: the first component turns with s", "4 × 2", _teaser),
    "crossings": Bundled("two avoided crossings of the eigenvalues", "6 × 3", _crossings),
    "progression": Bundled("two axes that turn around the third", "5 × 3", _progression),
    "certain": Bundled("error models: no errors", "6 × 2", _error_model("certain")),
    "isotropic": Bundled("error models: one error for all", "6 × 2", _error_model("isotropic")),
    "arbitrary": Bundled("error models: each row its own", "6 × 2", _error_model("arbitrary")),
}


def load_bundled(name: str, by: str | None) -> UncertainArray:
    """The data set of that name."""
    from uapca.cli.errors import CommandError, no_such

    data = BUNDLED[name]
    if by is not None and by.casefold() not in data.by:
        if not data.by:
            raise CommandError(f"{name} holds no labelled points. Leave out --by.")
        raise no_such(f"label of {name}", by, list(data.by))
    return data.load(by.casefold() if by is not None else None)


def anuran_hint() -> str:
    """How to get the one data set that is not here."""
    from uapca.datasets.anuran import FILE, URL, data_folder

    return (
        f"download the archive {URL} and put its CSV file at {data_folder() / FILE}, or set "
        f"UAPCA_DATA to a folder that holds it as {FILE}"
    )
