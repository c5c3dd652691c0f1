"""Frog calls: the paper's large aggregated data set, fetched when first asked for."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, NamedTuple, overload
from zipfile import BadZipFile, ZipFile

import numpy as np
import numpy.typing as npt

from uapca._files import replacing
from uapca._validation import Floats
from uapca.inputs import from_groups
from uapca.inputs.files import Text
from uapca.uncertain import UncertainArray

__all__ = ["AnuranPoints", "data_folder", "fetch_anuran"]

URL = "https://archive.ics.uci.edu/static/public/406/anuran+calls+mfccs.zip"
FILE = "anuran_calls.csv"
FEATURES = tuple(f"MFCCs_{k}" for k in range(1, 23))
FAMILIES = {"Leptodactylidae": 4420, "Hylidae": 2165, "Dendrobatidae": 542, "Bufonidae": 68}
# Copies in circulation differ in spacing, separators and the number of digits printed, so the
# content is compared: SHA-256 of the values times 10⁶ as rounded little-endian 64-bit integers.
DIGEST = "d361b3c91ed6693e9cdbe7d97b23aa6762933f77d398f421323ea0e8f93a7393"

_LABELS = {"family": "Family", "genus": "Genus", "species": "Species"}


class AnuranPoints(NamedTuple):
    """The frog calls themselves.

    Attributes
    ----------
    points : ndarray of shape (7195, 22)
        Mel-frequency cepstral coefficients of each syllable.
    labels : ndarray of str, shape (7195,)
    features : tuple of 22 str

    See Also
    --------
    uapca.datasets.fetch_anuran : Returns them with ``as_points=True``.

    Examples
    --------
    >>> import uapca
    >>> calls = uapca.datasets.fetch_anuran(as_points=True)  # doctest: +SKIP
    >>> calls.points.shape  # doctest: +SKIP
    (7195, 22)
    """

    points: Floats
    labels: npt.NDArray[np.str_]
    features: tuple[str, ...]


@overload
def fetch_anuran(
    by: Literal["family", "genus", "species"] = ..., *, as_points: Literal[False] = ...
) -> UncertainArray: ...
@overload
def fetch_anuran(
    by: Literal["family", "genus", "species"] = ..., *, as_points: Literal[True]
) -> AnuranPoints: ...
def fetch_anuran(
    by: Literal["family", "genus", "species"] = "family", *, as_points: bool = False
) -> UncertainArray | AnuranPoints:
    """Calls of frogs and toads (Anuran Calls, UCI id 406), one row for each family.

    7195 syllables of 60 recordings, described by 22 mel-frequency cepstral coefficients. The file
    ``anuran_calls.csv`` is looked for in the folder that the environment variable ``UAPCA_DATA``
    names (by default ``~/.cache/uapca``); if it is not there it is downloaded and kept there. Its
    content is verified either way.

    Parameters
    ----------
    by : {"family", "genus", "species"}, default="family"
        What makes a row: four families, eight genera or ten species.
    as_points : bool, default=False
        Return the points and their labels instead.

    Returns
    -------
    UncertainArray or AnuranPoints

    See Also
    --------
    uapca.datasets.load_iris_groups : Three species of iris.

    References
    ----------
    J. Colonna, E. Nakamura, M. Cristo and M. Gordo, "Anuran Calls (MFCCs)", UCI Machine Learning
    Repository, 2015, doi:10.24432/C5CC9H, license CC BY 4.0.

    Examples
    --------
    >>> import uapca
    >>> X = uapca.datasets.fetch_anuran("species")  # doctest: +SKIP
    >>> X.shape  # doctest: +SKIP
    (10, 22)
    """
    if by not in _LABELS:
        raise ValueError(f"by must be 'family', 'genus' or 'species'; got {by!r}")
    path = data_folder() / FILE
    if path.is_file():
        columns = _columns(path.read_bytes(), str(path))
        values = _verified(columns, str(path))
    else:
        content = _downloaded(path)
        columns = _columns(content, URL)
        values = _verified(columns, URL)
        _keep(content, path)
    labels = np.array([label.strip() for label in columns[_LABELS[by]]])
    if as_points:
        return AnuranPoints(values, labels, FEATURES)
    return from_groups(values, labels, features=FEATURES)


def data_folder() -> Path:
    """The folder in which fetched data sets are kept and looked for first."""
    given = os.environ.get("UAPCA_DATA")
    return Path(given).expanduser() if given else Path.home() / ".cache" / "uapca"


def _columns(content: bytes, source: str) -> dict[str, list[str]]:
    """The columns, their names without the spaces some copies have."""
    columns = Text(content, source).columns
    return {name.replace(" ", "").strip('"'): cells for name, cells in columns.items()}


def _verified(columns: Mapping[str, Sequence[str]], source: str) -> Floats:
    """The values of a file that holds the data set, whatever its formatting."""
    absent = [name for name in (*FEATURES, *_LABELS.values()) if name not in columns]
    if absent:
        raise _other_content(source, f"it has no column {absent[0]!r}")
    try:
        values = np.array([columns[name] for name in FEATURES], dtype=np.float64).T.copy()
    except ValueError as error:
        raise _other_content(source, f"a value is not a number ({error})") from None
    if values.shape != (7195, 22):
        raise _other_content(source, f"it has {len(values)} rows, not 7195")
    counts = Counter(label.strip() for label in columns["Family"])
    kinds = [len({label.strip() for label in columns[key]}) for key in ("Genus", "Species")]
    if counts != FAMILIES or kinds != [8, 10]:
        raise _other_content(source, "its families, genera or species differ")
    if digest(values) != DIGEST:
        raise _other_content(source, "its values differ")
    return values


def digest(values: Floats) -> str:
    """SHA-256 of the values, rounded to six decimals."""
    return hashlib.sha256(np.rint(values * 1e6).astype("<i8").tobytes()).hexdigest()


def _other_content(source: str, found: str) -> ValueError:
    return ValueError(
        f"{FILE} must hold the 7195 anuran calls of the UCI repository (id 406); {source} does "
        f"not: {found} (remove the file to have it downloaded again from {URL})"
    )


def urlopen(url: str, timeout: float) -> Any:
    """The answer to a request; the library for it is loaded when first needed."""
    from urllib import request

    return request.urlopen(url, timeout=timeout)


def _downloaded(path: Path) -> bytes:
    """The CSV file inside the archive of the UCI repository."""
    try:
        with urlopen(URL, timeout=60) as response:
            archive = ZipFile(BytesIO(response.read()))
        names = [name for name in archive.namelist() if name.lower().endswith(".csv")]
        if not names:
            raise BadZipFile("the archive holds no CSV file")
        return archive.read(names[0])
    except (OSError, BadZipFile) as error:
        raise ConnectionError(
            f"the anuran calls could not be downloaded from {URL} ({error}). Download the archive "
            f"there by other means and put its CSV file at {str(path)!r}, or set the environment "
            f"variable UAPCA_DATA to a folder that holds it as {FILE!r}."
        ) from None


def _keep(content: bytes, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(content)
