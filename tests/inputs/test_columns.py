"""Every kind of frame gives the same rows, and no library is loaded for the user."""

import subprocess
import sys

import numpy as np
import pytest

import uapca
from uapca.inputs.frame import table_of as columns_of

VALUES = {
    "x": [1.0, 2.0, 4.0],
    "x_err": [0.1, 0.2, 0.3],
    "y": [5, 6, 8],
    "y_err": [0.5, 0.0, 1.5],
    "kind": ["b", "a", "b"],
}


class Stream:
    """A frame known only by the Arrow stream interface."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


class Interchange:
    """A frame known only by the interchange interface."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, *args, **options):
        return self._frame.__dataframe__(*args, **options)


def _structured():
    rows = list(zip(*VALUES.values(), strict=True))
    kinds = [("x", float), ("x_err", float), ("y", int), ("y_err", float), ("kind", "U1")]
    return np.array(rows, dtype=kinds)


FRAMES = {
    "mapping": lambda: VALUES,
    "structured": _structured,
    "pandas": lambda: pytest.importorskip("pandas").DataFrame(VALUES),
    "pandas nullable": lambda: pytest.importorskip("pandas").DataFrame(VALUES).convert_dtypes(),
    "polars": lambda: pytest.importorskip("polars").DataFrame(VALUES),
    "arrow table": lambda: pytest.importorskip("pyarrow").table(VALUES),
    "arrow batch": lambda: pytest.importorskip("pyarrow").RecordBatch.from_pydict(VALUES),
    "astropy": lambda: pytest.importorskip("astropy.table").Table(VALUES),
    "stream": lambda: Stream(pytest.importorskip("pyarrow").table(VALUES)),
    "interchange": lambda: Interchange(pytest.importorskip("pyarrow").table(VALUES)),
}


@pytest.fixture(params=FRAMES)
def frame(request):
    return FRAMES[request.param]()


def test_every_frame_gives_the_same_rows(frame):
    X = uapca.from_frame(frame, features=["x", "y"])
    np.testing.assert_array_equal(X.mean, np.column_stack([VALUES["x"], VALUES["y"]]))
    np.testing.assert_array_equal(X.std, np.column_stack([VALUES["x_err"], VALUES["y_err"]]))
    assert X.features == ("x", "y")


def test_every_frame_is_grouped_the_same(frame):
    X = uapca.from_groups(frame, "kind", features=["x", "y"])
    assert X.names == ("a", "b")
    assert X.mean.tolist() == [[2.0, 6.0], [2.5, 6.5]]
    assert X.total_weight == 3


def test_numbers_are_told_from_text(frame):
    columns = columns_of(frame)
    assert [columns.kind(name) for name in columns.names] == ["number"] * 4 + ["text"]
    assert len(columns) == 3


def test_flags_are_not_numbers():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    for frame in (pandas.DataFrame({"f": [True]}), polars.DataFrame({"f": [True]}), {"f": [True]}):
        assert columns_of(frame).kind("f") == "flag"


def test_single_precision_is_kept():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.ones((2, 2), dtype=np.float32), columns=["x", "x_err"])
    assert uapca.from_frame(frame).mean.dtype == np.float32


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_missing_value_is_named(library):
    pandas = pytest.importorskip("pandas")
    values = {"x": [1.0, None], "x_err": [0.1, 0.1]}
    frame = {
        "pandas": lambda: pandas.DataFrame(values),
        "polars": lambda: pytest.importorskip("polars").DataFrame(values),
        "pyarrow": lambda: pytest.importorskip("pyarrow").table(values),
    }[library]()
    with pytest.raises(ValueError) as error:
        uapca.from_frame(frame)
    assert str(error.value) == (
        "values must not be missing; row 1, column 'x' is empty or nan; pass missing='drop' to "
        "leave such rows out, or missing='keep'"
    )


def test_astropy_masks_and_units():
    table = pytest.importorskip("astropy.table")
    units = pytest.importorskip("astropy.units")
    t = table.QTable({"ra": [10.0, 11.0] * units.deg, "ra_error": [3.6, 7.2] * units.arcsec})
    X = uapca.from_frame(t)
    np.testing.assert_allclose(X.std[:, 0], [0.001, 0.002], rtol=1e-12)
    plain = table.Table(t)
    np.testing.assert_allclose(uapca.from_frame(plain).std, X.std, rtol=1e-12)
    masked = table.Table({"x": table.MaskedColumn([1.0, 2.0], mask=[False, True]), "x_err": [1, 1]})
    with pytest.raises(ValueError, match=r"row 1, column 'x' is empty or nan"):
        uapca.from_frame(masked)


def test_units_that_cannot_be_converted():
    table = pytest.importorskip("astropy.table")
    units = pytest.importorskip("astropy.units")
    t = table.QTable({"ra": [10.0] * units.deg, "ra_error": [3.6] * units.km})
    with pytest.raises(ValueError) as error:
        uapca.from_frame(t)
    assert str(error.value) == (
        "errors must have the unit of their values; 'ra_error' is in km and 'ra' in deg, which "
        "does not convert"
    )


def test_what_is_not_a_table():
    with pytest.raises(TypeError) as error:
        uapca.from_frame(3)
    assert str(error.value) == (
        "source must be a table with named columns or the path of one; got an object of type int"
    )


def test_unequal_columns():
    with pytest.raises(ValueError) as error:
        uapca.from_frame({"x": [1.0, 2.0], "x_err": [0.1]})
    assert str(error.value) == (
        "columns must have equal lengths; 'x' has 2 entries and 'x_err' has 1"
    )


def test_columns_with_one_name():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError) as error:
        uapca.from_frame(pandas.DataFrame([[1.0, 2.0]], columns=["x", "x"]))
    assert str(error.value) == ("column names must be distinct; 'x' occurs twice")


def test_a_library_that_is_not_there(monkeypatch):
    class Foreign:
        def __arrow_c_stream__(self, requested_schema=None):
            raise AssertionError

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError) as error:
        uapca.from_frame(Foreign())
    assert str(error.value) == (
        "reading an object of type Foreign needs pyarrow; install it with "
        'pip install "uapca[frames]"'
    )


def test_import_and_use_load_nothing_heavy():
    # scikit-learn itself loads pandas where it is installed.
    code = """
import sys, sklearn.base, sklearn.datasets
before = set(sys.modules)
import uapca
uapca.from_frame({"x": [1.0], "x_err": [0.1]})
uapca.from_groups([[1.0], [2.0]], ["a", "b"])
uapca.datasets.load_students()
heavy = "pandas polars pyarrow astropy xarray arviz uncertainties matplotlib dask pyspark".split()
print([name for name in heavy if name in set(sys.modules) - before])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_nothing_heavy_is_needed():
    code = """
import sys
for name in "pandas polars pyarrow astropy xarray arviz uncertainties matplotlib".split():
    sys.modules[name] = None
import uapca
uapca.from_frame({"x": [1.0], "x_err": [0.1]})
uapca.from_groups({"x": [1.0, 2.0], "kind": ["a", "b"]}, "kind")
uapca.from_draws([[[1.0]], [[2.0]]])
print(uapca.from_table(uapca.datasets.load_students(as_table=True), uapca.datasets.GRADES).shape)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "(6, 4)"
