"""One way in: any real table is understood, and the understanding is said."""

import contextlib
import gzip
import json
import os
import time
from decimal import Decimal

import numpy as np
import pytest
from scipy.special import ndtri

import uapca
from uapca.exceptions import (
    CorrelationWarning,
    DroppedRowsWarning,
    FileError,
    SkippedFilesWarning,
)
from uapca.inputs.columns import find_errors, find_roles
from uapca.inputs.frame import Table


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def refused(*args, kind=ValueError, reader=uapca.read, **options):
    with pytest.raises(kind) as error:
        reader(*args, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


def same(X, Y):
    np.testing.assert_allclose(X.mean, Y.mean, rtol=1e-12)
    np.testing.assert_allclose(X.cov.dense(), Y.cov.dense(), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(X.weights, Y.weights, rtol=1e-12)
    assert (X.names, X.features) == (Y.names, Y.features)


# Every reader gives the same array for every kind of table

COLUMNS = {
    "star": ["HD 1", "HD 2", "HD 3"],
    "x": [1.5, 2.5, 4.0],
    "x_err": [0.1, 0.2, 0.3],
    "y": [5.0, 6.5, 8.0],
    "e_y": [0.5, 0.25, 1.5],
    "x_y_corr": [0.5, -0.25, 0.0],
    "kind": ["b", "a", "b"],
}
CELLS = {"name": ["p", "q"], "a": ["14±2", "[1; 3]"], "b": ["T(1; 2; 3; 4)", "7"]}
BOUNDS = {"name": ["p", "q"], "a": [1.5, 2.5], "b": [-3.0, 4.0]}
HIGHER = {"name": ["q", "p"], "b": [5.0, -1.0], "a": [3.5, 2.0]}
POINTS = {"kind": ["b", "a", "b", "a"], "x": [1.5, 2.5, 4.0, 1.0], "y": [5.0, 6.5, 8.0, 7.0]}
READERS = {
    "from_intervals": (BOUNDS, lambda low: uapca.from_intervals(low, HIGHER), {}),
    "from_mixtures": (POINTS, uapca.from_mixtures, {"by": "kind", "n_components": 1}),
    "read": (COLUMNS, uapca.read, {}),
    "from_frame": (COLUMNS, uapca.from_frame, {}),
    "read by": (COLUMNS, uapca.read, {"by": "kind"}),
    "from_groups": (COLUMNS, uapca.from_groups, {"by": "kind"}),
    "read cells": (CELLS, uapca.read, {}),
    "from_table": (CELLS, uapca.from_table, {}),
}


def as_kind(columns, kind, folder):
    if kind == "mapping":
        return columns
    if kind == "records":
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if kind in ("csv", "tsv", "jsonl", "csv.gz", "utf-16.csv"):
        path = folder / f"t.{kind}"
        rows = list(zip(*columns.values(), strict=True))
        if kind == "jsonl":
            lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in rows]
            return write(path, "\n".join(lines))
        sign = "\t" if kind == "tsv" else ","
        text = "\n".join(sign.join(map(str, row)) for row in [list(columns), *rows]) + "\n"
        if kind == "csv.gz":
            path.write_bytes(gzip.compress(text.encode()))
            return path
        return write(path, text, "utf-16" if "16" in kind else "utf-8")
    if kind == "arrow":
        return pytest.importorskip("pyarrow").table(columns)
    if kind == "astropy":
        return pytest.importorskip("astropy.table").Table(columns)
    if kind == "polars" or kind == "lazy":
        frame = pytest.importorskip("polars").DataFrame(columns)
        return frame.lazy() if kind == "lazy" else frame
    frame = pytest.importorskip("pandas").DataFrame(columns)
    if kind == "pandas":
        return frame
    path = folder / f"t.{kind}"
    if kind == "xlsx":
        frame.to_excel(path, index=False)
    else:
        getattr(frame, f"to_{kind}")(path)
    return path


KINDS = ["records", "csv", "tsv", "csv.gz", "utf-16.csv", "jsonl", "xlsx", "parquet", "feather"]
KINDS += ["pandas", "polars", "lazy", "arrow", "astropy"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", READERS)
def test_every_reader_reads_every_kind_of_table_the_same(reader, kind, tmp_path):
    columns, call, options = READERS[reader]
    found = call(as_kind(columns, kind, tmp_path), **options)
    wanted = call(columns, **options)
    same(found, wanted)
    assert (found.origin or "").splitlines()[1:] == (wanted.origin or "").splitlines()[1:]


# The defects that new users met


def test_ids_are_text_exactly_as_written(tmp_path):
    ids = ["1234567890123456788", "1234567890123456789", "100"]
    path = write(tmp_path / "g.csv", "source_id,x,x_err\n" + "".join(f"{i},1,2\n" for i in ids))
    assert uapca.read(path).names == tuple(ids)
    assert uapca.from_frame(path, names="source_id").names == tuple(ids)
    assert set(uapca.from_groups(path, by="source_id").names) == set(ids)
    assert set(uapca.read(path, by="source_id", keep_samples=True).names) == set(ids)
    zeros = write(tmp_path / "z.csv", "k,x\n001,1\n01,3\n001,5\n")
    assert uapca.from_groups(zeros, "k").names == ("001", "01")
    numbers = write(tmp_path / "n.csv", "k,x\n10,1\n9,3\n")
    for options in ({}, {"keep_samples": True}):
        assert uapca.from_groups(numbers, "k", **options).names == ("9", "10")


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "parquet", "mapping"])
def test_large_ids_in_frames(kind, tmp_path):
    ids = [1234567890123456788, 1234567890123456789]
    table = as_kind({"source_id": ids, "x": [1.0, 2.0], "x_err": [0.1, 0.1]}, kind, tmp_path)
    assert uapca.from_frame(table, names="source_id").names == tuple(map(str, ids))
    assert uapca.read(table).names == tuple(map(str, ids))


def test_only_what_is_used_is_looked_at(tmp_path):
    path = write(tmp_path / "a.csv", "x,x_err,z,z_err\n1,0.1,?,\n2,0.2,4,-5\n")
    assert uapca.read(path, features=["x"]).mean.ravel().tolist() == [1.0, 2.0]
    assert uapca.read(path, exclude="z*").features == ("x",)
    assert uapca.read(path, exclude="z").features == ("x",)


def test_errors_are_never_features_without_a_word():
    assert uapca.read({"a": [1.0], "a_err": [0.1]}).features == ("a",)
    X = uapca.read({"x": [1.0], "x_err_lo": [0.1], "x_err_hi": [0.2]})
    assert X.features == ("x",)
    counters = {
        "Unnamed: 0": list(range(12)),
        "replicate": [1, 2, 3] * 4,
        "step": list(range(1, 13)),
        "x": np.linspace(0, 1, 12),
        "y": np.linspace(3, 1, 12) ** 2,
    }
    X = uapca.read(counters)
    assert X.features == ("x", "y")
    assert "left out: replicate, step (counts rows; features= takes it)" in X.origin
    assert uapca.read(counters, features=["step", "x"]).features == ("step", "x")
    X = uapca.read({"ra": [1.0, 2.0], "pmra": [3.0, 4.0]})
    assert "holds the errors" not in X.origin


def test_words_that_stand_for_no_value_mean_the_same_in_every_reader(tmp_path):
    columns = {"k": ["a", "b", "a"], "x": ["1", "?", "3"], "x_err": ["1", "2", "1"]}
    path = write(tmp_path / "a.csv", "k,x,x_err\na,1,1\nb,?,2\na,3,1\n")
    for source in (columns, path):
        for reader, by in (
            (uapca.read, {}),
            (uapca.from_frame, {}),
            (uapca.from_groups, {"by": "k"}),
        ):
            by = {**by, "features": ["x"]}
            said = refused(source, reader=reader, **by)
            assert "pass words={'?': None} if that means no value" in said
            with pytest.warns(DroppedRowsWarning):
                X = reader(source, words={"?": None}, missing="drop", **by)
            assert X.mean.sum() == (2.0 if "by" in by else 4.0)
    said = refused(columns, reader=uapca.from_frame, words={"?": 3})
    assert said.startswith(
        "words must mean None, a missing value, in tables of numbers; '?' means 3"
    )


def test_draws_that_are_correlated_between_rows_are_warned_of():
    rng = np.random.default_rng(0)
    own = rng.normal(size=(1000, 5, 2))
    uapca.from_draws(own)
    shared = own * 0.1 + rng.normal(size=(1000, 1, 2))
    with pytest.warns(CorrelationWarning, match=r"uapca.simulate\(draws=...\)"):
        uapca.from_draws(shared)
    # Two rows of many that move together are found too.
    own[:, 3] = own[:, 1] * 0.9 + own[:, 3] * 0.1
    with pytest.warns(CorrelationWarning, match="rows 1 and 3"):
        uapca.from_draws(own)


def test_independent_rows_of_one_chain_are_not_warned_of():
    rng = np.random.default_rng(1)
    draws = np.empty((1000, 6, 2))
    draws[0] = rng.normal(size=(6, 2))
    for k in range(1, 1000):
        draws[k] = 0.7 * draws[k - 1] + rng.normal(size=(6, 2))
    uapca.from_draws(draws)


def test_decimal_commas_dashes_and_text_are_understood_everywhere(tmp_path):
    text = "star;Teff;e_Teff;note\na;5772,5;0,5;fine\nb;-;;\nc;6000,25;1,25;odd\n"
    path = write(tmp_path / "t.csv", text)
    with pytest.warns(DroppedRowsWarning, match="1 without a value"):
        X = uapca.read(path, missing="drop")
    assert X.mean.ravel().tolist() == [5772.5, 6000.25]
    assert X.std.ravel().tolist() == [0.5, 1.25]
    assert "numbers have decimal commas" in X.origin
    assert "left out: note (text)" in X.origin


@pytest.mark.parametrize("reader", [uapca.read, uapca.from_frame, uapca.from_table])
def test_missing_means_the_same_everywhere(reader):
    table = {"x": ["1", "", "3"], "y": ["1", "2", "5"]}
    if reader is not uapca.from_table:
        table |= {"x_err": ["1", "", "2"]}
    else:
        table["y"][0] = "1±2"
    assert "row 1, column 'x'" in refused(table, reader=reader)
    with pytest.warns(DroppedRowsWarning, match="left out 1 row, as asked for: 1 without a value"):
        assert reader(table, missing="drop").mean.tolist() == [[1.0, 1.0], [3.0, 5.0]]
    kept = reader(table, missing="keep")
    assert kept.missing.tolist() == [[False, False], [True, False], [False, False]]
    assert kept.mean[1, 1] == 2.0
    assert "missing must be" in refused(table, reader=reader, missing="column")


def test_a_value_whose_error_is_missing_is_missing_where_such_are_kept():
    table = {"x": [1.0, 2.0], "x_err": [0.1, np.nan]}
    assert "column 'x_err' is empty or nan" in refused(table)
    with pytest.warns(DroppedRowsWarning, match="1 value without an error taken for missing, as "):
        X = uapca.read(table, missing="keep")
    assert X.missing.tolist() == [[False], [True]]
    assert "taken for missing, having no error: x 1" in X.origin
    assert table["x"] == [1.0, 2.0]
    with pytest.warns(DroppedRowsWarning):
        assert len(uapca.read(table, missing="drop")) == 1
    # The user's frame is not changed, and an inverse variance of 0 is no error that lacks.
    frame = pytest.importorskip("pandas").DataFrame(table)
    with pytest.warns(DroppedRowsWarning):
        uapca.read(frame, missing="keep")
    assert frame["x"].tolist() == [1.0, 2.0]
    Y = uapca.read({"x": [1.0, 2.0], "x_ivar": [4.0, 0.0]}, missing="keep")
    assert Y.missing.tolist() == [[False], [True]]
    assert "taken for missing" not in Y.origin


def test_what_is_missing_is_counted_by_column():
    nan = np.nan
    table = {"x": [1.0, nan, nan], "y": [nan, 1.0, 2.0], "z": [1.0, 2.0, 3.0]}
    assert "row 0, column 'y' is empty or nan (3 such: x 2, y 1); pass" in refused(table)
    table = {"x": [1.0, 2.0, 4.0], "x_err": [0.1, nan, nan], "y": [2.0, 3.0, 5.0]}
    table["y_err"] = [nan, 0.1, 0.2]
    assert "is empty or nan (3 such: x_err 2, y_err 1); pass" in refused(table)
    table |= {"x_err": [0.1] * 3, "y_err": [0.1] * 3, "z": [1.0, nan, 0.0], "z_err": [0.1] * 3}
    table |= {"x_y_corr": [nan, 0.1, 0.2], "x_z_corr": [nan, nan, 0.1]}
    said = "correlations must not be missing; row 0, column 'x_y_corr' is empty or nan (2 such: "
    # The correlation of a value that is missing is none.
    assert f"{said}x_y_corr 1, x_z_corr 1); pass" in refused(table, missing="keep")
    X = uapca.read(table | {"x_y_corr": [0.5] * 3, "x_z_corr": [0.5, nan, 0.5]}, missing="keep")
    assert X.cov.dense()[1, 0].tolist() == pytest.approx([0.01, 0.005, 0.0])


def test_rows_that_are_left_out_are_counted_by_what_they_lack():
    table = {name: [1.0, 2.0, 3.0, 4.0, 6.0] for name in ("x", "y", "x_err", "y_lower", "y_upper")}
    table |= {"y_lower": [0.0, 1.0, 2.0, 3.0, 4.0], "y_upper": [2.0, 3.0, 4.0, 5.0, 9.0]}
    table |= {"x_y_corr": [0.1, 0.2, 0.3, 0.4, 0.5]}
    for name, row in {"x": 0, "x_err": 0, "y_lower": 1, "y_upper": 2, "x_y_corr": 3}.items():
        table[name] = [np.nan if k == row else v for k, v in enumerate(table[name])]
    said = "left out 4 rows, as asked for: 1 without a correlation and 1 without a value and"
    with pytest.warns(DroppedRowsWarning, match=said):
        X = uapca.read(table, missing="drop")
    assert X.origin.endswith(
        "left out: 1 row without a value\nleft out: 2 rows without an error\n"
        "left out: 1 row without a correlation"
    )


@pytest.mark.parametrize("side", ["x_err_lo", "x_err_hi"])
def test_one_missing_side_of_an_error_is_named_and_makes_a_missing_value(side):
    table = {"x": [1.0, 2.0], "x_err_lo": [0.1, 0.2], "x_err_hi": [0.3, 0.4]}
    table[side] = [0.1, np.nan]
    assert refused(table) == (
        f"errors must not be missing; row 1, column {side!r} is empty or nan; pass missing='drop' "
        "to leave such rows out, or missing='keep' to take their values for missing"
    )
    with pytest.warns(DroppedRowsWarning, match="1 value without an error"):
        assert uapca.read(table, missing="keep").missing.tolist() == [[False], [True]]
    with pytest.warns(DroppedRowsWarning):
        assert len(uapca.read(table, missing="drop")) == 1
    table["x"] = [1.0, np.nan]
    assert uapca.read(table, missing="keep").missing.tolist() == [[False], [True]]


@pytest.mark.parametrize(
    ("ids", "why"),
    [
        (["3495086872476317346", None, "3495086872476317348"], "1 empty"),
        (["a", "b", "c", "d", "b", "a"], "2 repeated"),
        ([7, 8, 8, None, 9, 10], "1 empty and 1 repeated"),
    ],
)
@pytest.mark.parametrize("features", [None, ["x"]])
def test_identifiers_that_cannot_name_the_rows_are_reported(ids, why, features):
    table = {"source_id": ids, "x": [k**2.0 for k in range(len(ids))]}
    said = f"column 'source_id' cannot name the rows, which have no names now; it has {why}: "
    with pytest.warns(UserWarning, match=said):
        X = uapca.read(table, features=features)
    assert X.names is None
    assert X.features == ("x",)
    assert f"cannot name the rows: source_id ({why})" in X.origin
    assert "cannot name" not in uapca.read(table, names=False).origin  # and no warning
    # Another column of distinct texts names them, and labels of classes are no names.
    Y = uapca.read(table | {"star": [f"s{i}" for i in range(len(ids))]})
    assert Y.names[0] == "s0"
    assert f"cannot name the rows: source_id ({why})" in Y.origin
    uapca.read({"label": [1, 1, 1, 2, 2, 2], "x": [k**2.0 for k in range(6)]})


def test_a_missing_correlation_is_not_a_missing_value():
    table = {"x": [1.0, 2.0], "y": [1.0, 3.0], "x_err": [1.0, 1.0], "y_err": [1.0, 1.0]}
    assert refused(table | {"x_y_corr": [0.5, np.nan]}, missing="keep") == (
        "correlations must not be missing; row 1, column 'x_y_corr' is empty or nan; pass "
        "missing='drop' to leave such rows out, or write 0 if there is none, or leave the "
        "columns out with exclude="
    )


def test_a_range_is_refused_with_how_to_write_it():
    marks = ["10", "11", "12,5-13", "9", "8"]
    assert "correct them (the range 12,5-13 is written [12.5, 13]), pass" in refused({"x": marks})
    assert "(the range 12,5-13 is written [12.5, 13])" in refused({"x": marks, "y": ["[1, 2]"] * 5})


@pytest.mark.parametrize("head", [1 << 20, 64])
def test_a_bad_cell_deletes_no_feature(tmp_path, monkeypatch, head):
    monkeypatch.setattr("uapca.inputs.files._HEAD", head)
    monkeypatch.setattr("uapca.inputs.files._BLOCK", 64)
    rows = "".join(f"{i},{i},a\n" for i in range(40))
    path = write(tmp_path / "q.csv", f"x,y,k\n{rows}3,?,a\n4,5,b\n")
    for call in (
        lambda **o: uapca.from_groups(path, by="k", **o),
        lambda **o: uapca.read(path, by="k", **o),
        lambda **o: uapca.read(path, **o),
        lambda **o: uapca.from_groups(path, by="k", keep_samples=True, **o),
    ):
        message = refused(reader=call)
        assert "q.csv', row 40, column 'y': cannot read '?' as a number" in message
        with pytest.warns(DroppedRowsWarning, match="1 with a cell that cannot be read"):
            X = call(bad_cells="drop")
        assert X.features == ("x", "y")
    assert uapca.read(path, by="k", exclude="y").features == ("x",)
    with pytest.warns(DroppedRowsWarning, match="1 without a value"):
        assert uapca.read(path, words={"?": None}, missing="drop").shape == (41, 2)


def test_ambiguous_numbers_are_refused(tmp_path):
    path = write(tmp_path / "t.csv", 'x,y,k\n"1,000",0.5,a\n"2,500",0.25,a\n')
    for options in ({}, {"by": "k"}):
        message = refused(path, **options)
        assert "column 'x' has '1,000': pass decimal=',' or thousands=','" in message
        assert "t.csv" in message
    assert uapca.read(path, thousands=",").mean[:, 0].tolist() == [1000.0, 2500.0]
    assert uapca.read(path, by="k", thousands=",").mean[0, 0] == 1750.0
    clear = write(tmp_path / "c.csv", 'x;y\n"1,234,567.5";1\n1,000;2\n')
    assert uapca.read(clear).mean[:, 0].tolist() == [1234567.5, 1000.0]
    german = write(tmp_path / "g.csv", "x;y\n1.234,5;1\n2.000,25;2\n")
    X = uapca.read(german, decimal=",", thousands=".")
    assert X.mean[:, 0].tolist() == [1234.5, 2000.25]
    # A column of text with a number of this kind is not asked about.
    note = {"x": ["1", "2", "3"], "note": ["about 1", "1,000", "many"]}
    assert uapca.read(note).features == ("x",)


def parquet(path, **columns):
    pq = pytest.importorskip("pyarrow.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pytest.importorskip("pyarrow").table(columns), path)
    return path


def test_folders_of_lakes_are_refused_by_name(tmp_path):
    parquet(tmp_path / "delta" / "a.parquet", x=[1.0], k=["a"])
    (tmp_path / "delta" / "_delta_log").mkdir()
    parquet(tmp_path / "ice" / "data" / "a.parquet", x=[1.0], k=["a"])
    (tmp_path / "ice" / "metadata").mkdir()
    write(tmp_path / "ice" / "metadata" / "v1.metadata.json", "{}")
    for points in (tmp_path / "delta", f"{tmp_path}/delta/*.parquet", tmp_path):
        assert "is a Delta Lake table" in refused(points, by="k", kind=FileError)
    assert "is an Iceberg table" in refused(tmp_path / "ice", by="k", kind=FileError)


def test_a_delta_table_is_read_through_its_library(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    pa = pytest.importorskip("pyarrow")
    path = str(tmp_path / "t")
    deltalake.write_deltalake(path, pa.table({"x": [1.0, 2.0, 3.0], "k": ["a", "b", "a"]}))
    deltalake.DeltaTable(path).delete("k = 'b'")
    assert "Delta Lake" in refused(path, by="k", kind=FileError)
    X = uapca.from_groups(deltalake.DeltaTable(path).to_pyarrow_dataset(), by="k")
    assert (X.names, X.mean.tolist()) == (("a",), [[2.0]])


def test_what_is_no_data_is_not_counted_and_what_is_not_read_is_said(tmp_path):
    parquet(tmp_path / "year=2019" / "a.parquet", x=[1.0], k=["a"])
    parquet(tmp_path / "year=2020" / "b.parquet", x=[3.0], k=["a"])
    parquet(tmp_path / "_temporary" / "c.parquet", x=[99.0], k=["a"])
    write(tmp_path / "README.md", "notes")
    for points in (tmp_path, f"{tmp_path}/**/*.parquet", f"{tmp_path}/year=*/*.parquet"):
        X = uapca.from_groups(points, "k")
        assert (X.mean.tolist(), X.features) == ([[2.0]], ("x",))
        years = uapca.from_groups(points, "year")
        assert years.names == ("2019", "2020")
    assert "not read, by their endings: README.md" in uapca.from_groups(tmp_path, "k").origin


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_keys_of_folders_are_no_values_by_themselves(tmp_path, ending):
    pd = pytest.importorskip("pandas")
    for year in ("2023", "2024"):
        (tmp_path / f"year={year}").mkdir()
        frame = pd.DataFrame({"x": [1.0, float(year)], "y": [2.0, 1.0]})
        path = tmp_path / f"year={year}" / f"a.{ending}"
        frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    for options in ({}, {"by": "year"}, {"by": "year", "keep_samples": True}):
        X = uapca.read(tmp_path, **options)
        assert X.features == ("x", "y")
        assert X.names == (("2023", "2024") if options else None)
    assert uapca.read(tmp_path, features=["x", "year"]).mean[-1].tolist() == [2024.0, 2024.0]


def test_broken_links_and_unreadable_folders_are_said(tmp_path, monkeypatch):
    parquet(tmp_path / "a.parquet", x=[1.0], k=["a"])
    (tmp_path / "b.parquet").symlink_to(tmp_path / "gone.parquet")
    assert "b.parquet' is a broken link" in refused(tmp_path, by="k", kind=FileError)
    with pytest.warns(SkippedFilesWarning, match="broken link"):
        assert uapca.from_groups(tmp_path, "k", bad_files="skip").mean.tolist() == [[1.0]]
    (tmp_path / "b.parquet").unlink()
    (tmp_path / "closed").mkdir()
    scan = os.scandir

    def refusing(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert "closed' cannot be read: Permission denied" in refused(tmp_path, by="k", kind=FileError)


def test_masks_decimals_and_flags():
    table = pytest.importorskip("astropy.table")
    masked = table.MaskedColumn(["a", "b", "b"], mask=[False, True, False])
    t = table.Table({"k": masked, "x": [1.0, 2.0, 3.0]})
    with pytest.warns(DroppedRowsWarning, match="1 without a label"):
        assert uapca.from_groups(t, "k", missing="drop").names == ("a", "b")
    pd = pytest.importorskip("pandas")
    frame = {"k": ["a", "a"], "d": [Decimal("1.5"), Decimal("2.5")], "flag": [True, False]}
    for data in (frame, pd.DataFrame(frame), pytest.importorskip("polars").DataFrame(frame)):
        X = uapca.from_groups(data, "k")
        assert (X.features, X.mean.tolist()) == (("d",), [[2.0]])
        assert "left out: flag (true or false" in X.origin
        assert uapca.from_groups(data, "k", features=["d", "flag"]).mean.tolist() == [[2.0, 0.5]]


def test_fifty_thousand_columns_are_searched_in_linear_time():
    names = [f"met_{k}" for k in range(25_000)]
    found = find_errors([name + end for name in names for end in ("", "_err")])
    assert len(found) == 25_000
    # So are all other roles: without that 50,000 columns took half a minute.
    start = time.process_time()
    table = Table({name: [1.0, 2.0] for column in names for name in (column, f"{column}_err")})
    between = time.process_time()
    assert len(find_roles(table).errors) == len(find_roles(table, groups=True).features) == 25_000
    assert time.process_time() - between < 20 * (between - start) + 10
    wide = {name: [float(k), 1.0] for k, name in enumerate(names[:2000])}
    assert uapca.read(wide).shape == (2, 2000)


def test_numbers_of_observations_beside_means_are_no_features():
    table = {"group": ["a", "b", "c"], "n": [10, 12, 9], "h_mean": [1.5, 1.7, 1.6]}
    assert uapca.read(table).features == ("n", "h_mean")
    table["h_sd"] = [0.1, 0.2, 0.1]
    X = uapca.read(table)
    assert X.features == ("h_mean",)
    assert "left out: n (numbers of observations; features= takes it)" in X.origin
    assert uapca.read(table, features=["n", "h_mean"]).features == ("n", "h_mean")
    # Nitrogen is no number of observations.
    assert uapca.read(table | {"N": [0.5, 1.25, 2.0]}).features == ("h_mean", "N")
    gone = {name: ["", "NA", "-"] for name in ("w", "w_sd")}
    assert "left out: w (no values)" in uapca.read(table | gone).origin


def test_arrays_keep_their_masks_units_and_names():
    values = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[1, 0], [0, 0]])
    assert "the value at (0, 0) is masked" in refused(values)
    assert uapca.read(values, missing="keep").missing.tolist() == [[True, False], [False, False]]
    X = uapca.read(values.data, names=["p", "q"], features=["a", "b"], weights=[1, 3])
    assert (X.names, X.features, X.weights.tolist()) == (("p", "q"), ("a", "b"), [0.25, 0.75])
    assert uapca.read(values.data, names=False).names is None
    assert refused(values.data, exclude="a") == (
        "exclude must be left out for what has no columns with names"
    )
    unit = pytest.importorskip("astropy.units").m
    told = ("x0 [m]", "x1 [m]")
    assert uapca.read(values.data * unit).features == told
    assert uapca.from_groups(values.data * unit, by=["a", "a"]).features == told
    assert uapca.from_draws(np.arange(12.0).reshape(3, 2, 2) * unit).features == told


def test_several_files_in_a_list(tmp_path):
    paths = [write(tmp_path / f"{k}.csv", f"n,x,x_err\n{k},{k},.1\n") for k in (1, 2)]
    X = uapca.read(paths, names="n")
    assert (X.names, X.mean.tolist(), X.std.tolist()) == (("1", "2"), [[1], [2]], [[0.1], [0.1]])


# Errors of every kind


@pytest.mark.parametrize(
    "error",
    ["x_err", "x_error", "x_std", "x_sd", "x_sigma", "x_unc", "x_se", "e_x", "σx", "x±", "X_ERR"]
    + ["x.err", "x error", "x-sigma", "x (std)", "sigma_x", "err_x", "x_sem", "x_uncertainty"],
)
def test_names_of_errors(error):
    X = uapca.read({"x": [1.0, 2.0], error: [0.1, 0.2]})
    assert X.features == ("x",)
    assert X.std.ravel().tolist() == [0.1, 0.2]
    assert f"x ± {error}" in X.origin


def test_variances_and_inverse_variances_are_converted():
    X = uapca.read({"x": [1.0, 2.0], "x_var": [0.04, 0.09], "y": [3.0, 4.0], "y_ivar": [25.0, 4.0]})
    np.testing.assert_allclose(X.std, [[0.2, 0.2], [0.3, 0.5]])
    assert "x with the variance x_var" in X.origin
    gap = {"x": [1.0, 2.0], "x_ivar": [4.0, 0.0]}
    assert "row 1, column 'x' is empty or nan" in refused(gap)
    assert uapca.read(gap, missing="keep").missing.tolist() == [[False], [True]]


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        ({"x_err_lo": [1.0], "x_err_hi": [3.0]}, "distances"),
        ({"x_err_minus": [-1.0], "x_err_plus": [3.0]}, "distances"),
        ({"xerr1": [3.0], "xerr2": [-1.0]}, "distances"),
        ({"e_x": [1.0], "E_x": [3.0]}, "distances"),
        ({"x_lower": [9.0], "x_upper": [13.0]}, "bounds"),
    ],
)
def test_asymmetric_errors_have_the_exact_moments_of_a_two_piece_normal(columns, kind):
    from uapca.laws import TwoPieceNormal

    X = uapca.read({"x": [10.0], **columns, "y": [1.0], "y_err": [0.5]})
    law = TwoPieceNormal(10.0, lower=1.0, upper=3.0)
    assert X.features == ("x", "y")
    assert X.mean[0, 0] == pytest.approx(law.mean, rel=1e-14)
    assert X.std[0, 0] ** 2 == pytest.approx(law.var, rel=1e-14)
    assert X.laws[0].marginals[0] == law
    draws = X.sample(200_000, rng=0)[:, 0, 0]
    assert draws.mean() == pytest.approx(X.mean[0, 0], abs=0.02)
    assert draws.std() == pytest.approx(X.std[0, 0], abs=0.02)


@pytest.mark.parametrize("ends", [("q16", "q84"), ("p_16", "p_84")])
def test_laws_between_percentiles_have_these_percentiles(tmp_path, ends):
    ratios = np.array([1.0, 1.001, 1.2, 1.39, 1.5, 1.54, 1.55, 1.7, 3.0, 10.0, 150.0])
    below = np.concatenate([np.ones(11), ratios])
    above = np.concatenate([ratios, np.ones(11)])
    median = np.linspace(-5.0, 40.0, 22)
    table = {"x_median": median, f"x_{ends[0]}": median - below, f"x_{ends[1]}": median + above}
    X = uapca.read(table)
    laws = [law.marginals[0] for law in X.laws]
    for j, (p, values) in enumerate(
        zip((0.16, 0.5, 0.84), (median - below, median, median + above), strict=True)
    ):
        found = [float(law.ppf(p)) for law in laws]
        np.testing.assert_allclose(found, values, rtol=0, atol=2e-6 if j != 1 else 1e-10)
    # The exact moments of these laws, which are those of a normal where the sides are equal.
    np.testing.assert_allclose(X.mean[:, 0], [law.mean for law in laws], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(X.std[:, 0] ** 2, [law.var for law in laws], rtol=1e-9)
    np.testing.assert_allclose(X.mean[0], median[0])
    np.testing.assert_allclose(X.std[0], 1 / ndtri(0.84))
    # Both sides of a law are alike; where one family ends, the spread of the other is 7 % wider.
    np.testing.assert_allclose(X.mean[:11, 0] - median[:11], median[11:] - X.mean[11:, 0])
    np.testing.assert_allclose(X.std[5], X.std[6], rtol=0.08)
    X.save(tmp_path / "x.uapca")
    Y = uapca.load(tmp_path / "x.uapca")
    assert float(Y.laws[9].marginals[0].ppf(0.84)) == pytest.approx(median[9] + 10.0)
    # One-sided and certain values, and a percentile that is missing.
    Z = uapca.read({"x": [1.0, 2.0], "x_q16": [1.0, 2.0], "x_q84": [2.0, 2.0]})
    assert float(Z.laws[0].marginals[0].ppf(0.84)) == pytest.approx(2.0)
    assert Z.std[1, 0] == 0.0
    assert "column 'x_q84' is empty" in refused({"x": [1.0], "x_q16": [0.5], "x_q84": [np.nan]})
    given = uapca.read(
        {"x": [1.0], "lo": [0.5], "x_p16": [0.5], "x_p84": [1.5]},
        errors={"x": ("x_p16", "x_p84")},
        exclude="lo",
    )
    assert given.std[0, 0] == pytest.approx(0.5 / ndtri(0.84))


def test_asymmetric_errors_are_checked():
    assert "asymmetric errors must have two columns" in refused({"x": [1.0], "x_err_lo": [1.0]})
    message = refused({"x": [10.0], "x_lower": [11.0], "x_upper": [13.0]})
    assert "errors must not be negative" in message
    X = uapca.read({"x": [10.0, 1.0], "x_err_lo": [1.0, 1], "x_err_hi": [3.0, 1]}, names=False)[1:]
    assert X.mean.tolist() == [[1.0]]


def test_an_explicit_mapping_of_errors():
    table = {"x": [1.0], "sx": [0.1], "y": [2.0], "lo": [0.1], "hi": [0.2], "z": [3.0], "v": [4.0]}
    X = uapca.read(table, errors={"x": "sx", "y": ("lo", "hi"), "z": 0.5})
    assert X.features == ("x", "y", "z", "v")
    assert X.std[0, [0, 2, 3]].tolist() == [0.1, 0.5, 0.0]
    assert "there is no 'q'" in refused(table, errors={"x": "q"})
    assert "there is no 'q'" in refused(table, errors={"q": 0.5})
    for wrong in (-0.5, np.nan, np.inf, True, ("sx", "lo", "hi"), ()):
        assert "errors['x'] must be a column, a lower and" in refused(table, errors={"x": wrong})
    assert (uapca.read(table, errors={"z": np.float64(0.5)}).std[:, -2] == 0.5).all()


def test_units_are_converted_or_refused(tmp_path):
    text = "name,ra,ra_error\n,deg,mas\na,10.5,3.6e6\nb,11.5,7.2e6\n"
    path = write(tmp_path / "u.csv", text)
    pytest.importorskip("astropy")
    assert uapca.read(path).std.ravel().tolist() == pytest.approx([1.0, 2.0])
    header = {"mass [kg]": [1.0], "mass_err [g]": [100.0]}
    assert uapca.read(header).std.tolist() == [[pytest.approx(0.1)]]
    odd = {"mass (kg)": [1.0], "mass_err (furlongs)": [100.0]}
    assert "does not convert" in refused(odd)
    pint = pytest.importorskip("pint")
    unit = pint.UnitRegistry()
    q = {"x": [1.0, 2.0] * unit.m, "x_err": [1.0, 2.0] * unit.cm}
    assert uapca.read(q).std.ravel().tolist() == pytest.approx([0.01, 0.02])


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("log(g) [kg]", "σ_log(g)"),  # g is no unit here
        ("log(g)", "log(g) (sigma)"),
        ("x_log10(M) (dex)", "e_x_log10(M)"),
        ("z (m/s)", "z (sigma)"),  # sigma is no unit either
    ],
)
def test_brackets_that_hold_no_unit(value, error):
    X = uapca.read({value: [1.0, 2.0], error: [0.5, 0.25]})
    assert (X.features, X.std.ravel().tolist()) == ((value,), [0.5, 0.25])


def test_an_error_of_errors_is_left_out_and_named():
    X = uapca.read({"z": [1.0, 2.0], "z_err": [0.5, 0.25], "z_err_err": [0.1, 0.1]})
    assert (X.features, X.std.ravel().tolist()) == (("z",), [0.5, 0.25])
    assert X.origin.endswith("left out: z_err_err (errors of columns that are not used)")


# Tables as they are found


def test_units_stay_with_groups(tmp_path):
    from astropy import units as u
    from astropy.table import QTable

    pint = pytest.importorskip("pint").UnitRegistry()
    table = QTable({"k": ["a", "b", "a"], "x": [1.0, 2.0, 3.0] * u.kg})
    assert uapca.read(table, by="k").features == ("x [kg]",)
    values = pint.Quantity(np.array([1.0, 2.0, 3.0]), "kg")
    assert uapca.from_groups({"k": ["a", "b", "a"], "x": values}, "k").features == ("x [kg]",)
    blank = write(tmp_path / "blank.csv", "k,x,y\n\n,kg,m\na,1,2\nb,3,4\n")
    assert uapca.from_groups(blank, "k").features == ("x [kg]", "y [m]")
    text = "k,x,y\n,kg,m\na,1,2\nb,3,4\n"
    for name in ("1.csv", "2.csv"):
        write(tmp_path / name, text)
    for options in ({}, {"keep_samples": True}):
        assert uapca.read(tmp_path, by="k", **options).features == ("x [kg]", "y [m]")
    assert uapca.read(tmp_path, by="k", bins=None, features="x").features == ("x [kg]",)
    write(tmp_path / "2.csv", text.replace("kg", "g"))
    for options in ({"by": "k"}, {}, {"by": "k", "keep_samples": True}):
        said = refused(tmp_path, kind=FileError, **options)
        assert "every file must have the same units; in" in said
        assert "the unit of 'x' is g and not kg" in said


def test_a_text_with_comments_units_and_a_byte_order_mark(tmp_path):
    text = "# made by hand\n# 2024\n Name ; Teff ; e_Teff \n;K;K\nA;5000;10\n#out\nB;6000;20\n\n"
    X = uapca.read(write(tmp_path / "t.txt", text, "utf-8-sig"))
    assert (X.names, X.features) == (("A", "B"), ("Teff [K]",))
    assert X.std.ravel().tolist() == [10.0, 20.0]
    Y = uapca.read(write(tmp_path / "u.txt", text, "utf-16"))
    same(X, Y)


@pytest.mark.parametrize("options", [{}, {"keep_samples": True}])
def test_lines_of_separators_and_comments_between_rows_are_no_points(tmp_path, options):
    path = write(tmp_path / "t.csv", "x,y,k\n1,2,a\n3,4,a\n,,\n,,\n")
    assert uapca.from_groups(path, "k", **options).mean.tolist() == [[2.0, 3.0]]
    path = write(tmp_path / "c.csv", "x,y,k\n1,2,a\n# a note, or two\n3,4,a\n")
    assert uapca.from_groups(path, "k", **options).mean.tolist() == [[2.0, 3.0]]


def test_text_in_columns_of_fixed_width(tmp_path):
    text = (
        "name      x     x_err  note\nHD 1      1.5   0.1    ok\nHD 20     2.5          bad one\n"
    )
    with pytest.warns(DroppedRowsWarning):
        X = uapca.read(write(tmp_path / "t.dat", text), missing="drop")
    assert (X.names, X.mean.tolist()) == (("HD 1",), [[1.5]])
    spaced = write(tmp_path / "s.dat", "x  x_err\n1.5   0.1\n-2.5 0.2\n")
    assert uapca.read(spaced).mean.ravel().tolist() == [1.5, -2.5]


def test_numbers_below_a_header_in_a_comment(tmp_path):
    path = tmp_path / "t.txt"
    np.savetxt(path, [[1.0, 0.5], [2.0, 0.25]], header="x x_err")
    assert uapca.read(path).std.ravel().tolist() == [0.5, 0.25]
    np.savetxt(path, [[1.0, 0.5], [2.0, 0.25]])
    assert "the first line must name the columns" in refused(path)


def test_a_survey_export(tmp_path):
    header = "source_id,ra,ra_error,dec,dec_error,parallax,parallax_error,ra_dec_corr,"
    header += "ra_parallax_corr,phot_variable_flag,random_index,solution_id\n"
    rows = [
        f"{4295806720 + i},{44 + i},0.1,{0.5 * i},0.08,{0.35 + i / 9},0.1,0.1{i},-0.2,NOT,{i},16"
        for i in range(4)
    ]
    X = uapca.read(write(tmp_path / "gaia.csv", header + "\n".join(rows)))
    assert X.features == ("ra", "dec", "parallax")
    assert "left out: random_index (counts rows; features= takes it)" in X.origin
    assert X.names[0] == "4295806720"
    assert "correlations: ra_dec_corr, ra_parallax_corr" in X.origin
    assert "left out: solution_id (identifies rows; features= takes it)" in X.origin


def test_constant_columns_and_numbers_of_observations_are_no_features():
    rng = np.random.default_rng(0)
    table = {"g": rng.normal(size=12), "g_error": [0.1] * 12, "bp": rng.normal(size=12)}
    table |= {"ref_epoch": [2016.0] * 12, "g_n_obs": range(5, 17), "random_index": range(3, 15)}
    X = uapca.read(table)
    assert X.features == ("g", "bp")
    assert "left out: ref_epoch (constant; features= takes it)" in X.origin
    assert "left out: g_n_obs (numbers of observations; features= takes it)" in X.origin
    assert uapca.read(table, features=["g", "ref_epoch", "g_n_obs"]).shape == (12, 3)
    # What has errors is measured; few rows may be alike, and something must be left.
    assert "c" in uapca.read(table | {"c": [1.0] * 12, "c_error": [0.1] * 12}).features
    assert uapca.read({name: list(column)[:9] for name, column in table.items()}).shape == (9, 3)
    text = {"note": ["a", "a"] * 6, "id": list("abcdefghijkl")}
    assert uapca.read({"x": [1.0] * 12, "y": [2.0] * 12, **text}).shape == (12, 2)
    gaps = [2016.0] * 11 + [np.nan]
    assert uapca.read({"x": rng.normal(size=12), "y": gaps}, missing="keep").shape == (12, 2)


def test_positions_of_gaia_without_units_are_reported(tmp_path):
    table = {"source_id": ["a", "b"], "ra": [44.0, 45.0], "ra_error": [0.02, 0.03]}
    table |= {"dec": [1.0, 2.0], "dec_error": [0.02, 0.01], "parallax": [0.3, 0.4]}
    said = (
        "if this is the Gaia catalogue, the errors ra_error and dec_error are in milliarcseconds "
        "beside values in degrees: divide them by 3.6e6"
    )
    assert said in uapca.read(table).origin
    assert "Gaia" not in uapca.read(table, exclude=["ra", "dec"]).origin
    assert "Gaia" not in uapca.read({k: v for k, v in table.items() if k != "parallax"}).origin
    converted = table | {k: [v / 3.6e6 for v in table[k]] for k in ("ra_error", "dec_error")}
    assert "Gaia" not in uapca.read(converted).origin
    units = pytest.importorskip("astropy.units")
    with_units = table | {k: table[k] * units.deg for k in ("ra", "dec")}
    with_units |= {k: table[k] * units.mas for k in ("ra_error", "dec_error")}
    assert "Gaia" not in uapca.read(with_units).origin


def test_an_exoplanet_table(tmp_path):
    text = "# This file was produced by an archive\n# COLUMN pl_name\n"
    text += "pl_name,pl_bmasse,pl_bmasseerr1,pl_bmasseerr2,pl_rade,pl_radeerr1,pl_radeerr2\n"
    text += "b,10.0,3.0,-1.0,2.0,0.2,-0.1\nc,12.0,2.0,-2.0,,,\n"
    X = uapca.read(write(tmp_path / "e.csv", text), missing="keep")
    assert X.features == ("pl_bmasse", "pl_rade")
    assert X.missing.tolist() == [[False, False], [False, True]]


def test_a_spreadsheet_with_a_units_row_and_two_sheets(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("openpyxl")
    path = tmp_path / "t.xlsx"
    first = pd.DataFrame({"id": [None, "a", "b"], "m": ["kg", 1, 2], "m_sd": ["kg", 0.1, 0.2]})
    with pd.ExcelWriter(path) as book:
        first.to_excel(book, sheet_name="one", index=False)
        pd.DataFrame({"x": [1.0], "x_err": [0.5]}).to_excel(book, sheet_name="two", index=False)
    X = uapca.read(path)
    assert (X.names, X.std.ravel().tolist()) == (("a", "b"), [0.1, 0.2])
    assert uapca.read(path, sheet="two").std.tolist() == [[0.5]]


def test_a_plate_of_replicates(tmp_path):
    text = "Compound,Replicate,Well,AUC (ng/mL),Cmax\n"
    text += "".join(f"c{k % 2},{k},A{k},{k * 1.5},{10 - k}\n" for k in range(6))
    X = uapca.read(write(tmp_path / "p.csv", text), by="Compound", spread="sem", equal_weights=True)
    assert X.features == ("AUC (ng/mL)", "Cmax")
    assert X.counts.tolist() == [3, 3]
    assert X.source == "values"  # standard errors of means: each row is one unknown value
    single = write(tmp_path / "s.csv", "g,x\na,1\na,2\nb,3\n")
    assert "at least two points" in refused(single, by="g", spread="sem")
    weights = uapca.read(single, by="g", equal_weights=True).weights
    assert weights.tolist() == [0.5, 0.5]


def test_a_questionnaire_of_mixed_types(tmp_path):
    text = "Respondent,Age,Smoker,Score,Comment,Date\nr1,34,TRUE,7±1,ok,2024-01-01\n"
    text += "r2,41,FALSE,[5; 8],so,2024-01-02\n"
    X = uapca.read(write(tmp_path / "q.csv", text))
    assert (X.names, X.features) == (("r1", "r2"), ("Age", "Score"))
    assert "left out: Smoker, Comment, Date (words" in X.origin


def test_a_hundred_thousand_rows_and_a_thousand_columns(tmp_path):
    rng = np.random.default_rng(0)
    long = tmp_path / "long.csv"
    values = rng.normal(size=(100_000, 2)).round(3)
    np.savetxt(long, values, fmt="%.3f", delimiter=",", header="x,x_err", comments="")
    assert "errors must not be negative" in refused(long)
    X = uapca.read(long, errors={"x": 0.1}, features=["x"])
    np.testing.assert_array_equal(X.mean[:, 0], values[:, 0])
    wide = tmp_path / "wide.csv"
    names = [f"m{k}{end}" for k in range(500) for end in ("", "_err")]
    lines = "\n".join(",".join(map(str, row)) for row in abs(rng.normal(size=(5, 1000))))
    assert uapca.read(write(wide, ",".join(names) + "\n" + lines)).shape == (5, 500)


# Objects of other libraries


def test_query_results(tmp_path):
    sqlite3 = pytest.importorskip("sqlite3")
    with contextlib.closing(sqlite3.connect(":memory:")) as base:
        base.execute("create table t (name text, x real, x_err real)")
        base.executemany("insert into t values (?, ?, ?)", [("a", 1.0, 0.1), ("b", 2.0, 0.2)])
        X = uapca.read(base.execute("select * from t"))
    assert (X.names, X.std.ravel().tolist()) == (("a", "b"), [0.1, 0.2])
    sql = pytest.importorskip("sqlalchemy")
    engine = sql.create_engine("sqlite://")
    with engine.connect() as link:
        found = link.execute(sql.text("select 'a' as name, 1.0 as x, 0.5 as x_err"))
        assert uapca.read(found).std.tolist() == [[0.5]]
    engine.dispose()


def test_adbc_and_duckdb():
    pytest.importorskip("pyarrow")
    driver = pytest.importorskip("adbc_driver_sqlite.dbapi")
    with driver.connect() as link, link.cursor() as cursor:
        cursor.execute("select 'a' as name, 1.0 as x, 0.5 as x_err")
        assert uapca.read(cursor).std.tolist() == [[0.5]]
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("select 'a' as name, 1.0::double as x, 0.5::double as x_err")
    assert uapca.read(relation).std.tolist() == [[0.5]]


def test_arrow_streams_and_datasets(tmp_path):
    pa = pytest.importorskip("pyarrow")
    ds = pytest.importorskip("pyarrow.dataset")
    table = pa.table({"x": [1.0, 2.0], "x_err": [0.1, 0.2]})
    parquet(tmp_path / "a.parquet", x=[1.0, 2.0], x_err=[0.1, 0.2])
    for source in (table.to_reader(), ds.dataset(tmp_path), table.to_batches()[0], tmp_path):
        assert uapca.read(source).std.ravel().tolist() == [0.1, 0.2]


def test_xarray_tables_and_posteriors():
    xr = pytest.importorskip("xarray")
    data = xr.Dataset({"x": ("star", [1.0, 2.0]), "x_err": ("star", [0.1, 0.2])})
    X = uapca.read(data.assign_coords(star=["a", "b"]))
    assert (X.names, X.std.ravel().tolist()) == (("a", "b"), [0.1, 0.2])
    draws = np.random.default_rng(0).normal(size=(2, 300, 4, 3))
    posterior = xr.Dataset(
        {
            "theta": (("chain", "draw", "school", "trait"), draws),
            "mu": (("chain", "draw"), draws[..., 0, 0]),
            "tau": (("chain", "draw", "trait", "school"), draws.swapaxes(2, 3) ** 2),
        },
        coords={"school": list("abcd"), "trait": ["u", "v", "w"]},
    )
    X = uapca.from_draws(posterior, var_names="theta")
    assert (X.names, X.features) == (tuple("abcd"), ("theta[u]", "theta[v]", "theta[w]"))
    Y = uapca.from_draws(posterior, var_names=["tau"], row_dim="school")
    assert Y.names == tuple("abcd")
    np.testing.assert_allclose(Y.mean, (draws**2).mean(axis=(0, 1)))
    flipped = uapca.from_draws(posterior["theta"], feature_dim="school")
    assert flipped.features == tuple("abcd")
    np.testing.assert_allclose(uapca.read(posterior["theta"]).mean, X.mean)
    assert "'mu' runs over ()" in refused(posterior, reader=uapca.from_draws)
    assert "there is no 'nu'" in refused(posterior, reader=uapca.from_draws, var_names="nu")


def test_astropy_files_distributions_and_nddata(tmp_path):
    table = pytest.importorskip("astropy.table")
    units = pytest.importorskip("astropy.units")
    uncertainty = pytest.importorskip("astropy.uncertainty")
    nddata = pytest.importorskip("astropy.nddata")
    t = table.QTable(
        {"id": ["a", "b"], "ra": [1.0, 2.0] * units.deg, "ra_error": [3.6, 7.2] * units.arcsec}
    )
    for name in ("t.fits", "t.ecsv", "t.vot"):
        t.write(tmp_path / name, format="votable" if name == "t.vot" else None)
        X = uapca.read(tmp_path / name)
        assert X.names == ("a", "b")
        np.testing.assert_allclose(X.std.ravel(), [0.001, 0.002], rtol=1e-12)
    samples = np.random.default_rng(0).normal(size=(3, 2, 500))
    X = uapca.read(uncertainty.Distribution(samples))
    np.testing.assert_allclose(X.mean, samples.mean(axis=-1))
    image = nddata.NDData([[1.0, 2.0]], uncertainty=nddata.VarianceUncertainty([[4.0, 9.0]]))
    assert uapca.read(image).std.tolist() == [[2.0, 3.0]]
    errors = nddata.InverseVariance([[0.25, 1.0]], unit=units.cm**-2)
    image = nddata.NDData([[1.0, 2.0]] * units.m, uncertainty=errors)
    np.testing.assert_allclose(uapca.from_uncertainties(image).std, [[0.02, 0.01]], rtol=1e-14)
    image = nddata.NDData([[1.0, 2.0]], mask=[[False, True]])
    with pytest.raises(ValueError, match="mean must be finite"):
        uapca.from_uncertainties(image)
    image = nddata.NDData([[1.0]], uncertainty=nddata.UnknownUncertainty([[1.0]]))
    with pytest.raises(ValueError, match="uncertainty must be a standard deviation"):
        uapca.from_uncertainties(image)


def test_measurements_and_covariances_of_other_libraries():
    pint = pytest.importorskip("pint")
    pytest.importorskip("uncertainties")
    unit = pint.UnitRegistry()
    cells = [[unit.Measurement(1.0, 0.1, "m")], [unit.Measurement(250.0, 10.0, "cm")]]
    X = uapca.from_uncertainties(cells)
    np.testing.assert_allclose(X.mean.ravel(), [1.0, 2.5])
    np.testing.assert_allclose(X.std.ravel(), [0.1, 0.1])
    from scipy import stats

    cov = stats.Covariance.from_diagonal([1.0, 4.0])
    Y = uapca.from_distributions([([1.0, 2.0], cov), stats.multivariate_normal([0, 0], cov)])
    np.testing.assert_allclose(Y.cov.dense(), [np.diag([1.0, 4.0])] * 2)
    from uncertainties import ufloat

    Z = uapca.read({"name": ["a", "b"], "x": [ufloat(1, 0.1), ufloat(2, 0.2)], "y": [1.0, 2.0]})
    assert (Z.names, Z.features, Z.std[:, 0].tolist()) == (("a", "b"), ("x", "y"), [0.1, 0.2])


def test_addresses_are_opened_by_fsspec():
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://t/stars.csv", "w") as file:
        file.write("name,x,x_err\na,1,0.1\nb,2,0.2\n")
    X = uapca.read("memory://t/stars.csv")
    assert (X.names, X.std.ravel().tolist()) == (("a", "b"), [0.1, 0.2])
    assert uapca.read("memory://t/stars.csv", by="name").names == ("a", "b")


def test_what_is_read_already_and_what_is_saved(tmp_path):
    X = uapca.read({"x": [1.0], "x_err": [0.1]})
    assert uapca.read(X) is X
    X.save(tmp_path / "x.uapca")
    same(uapca.read(tmp_path / "x.uapca"), X)
    assert uapca.read([[1.0, 2.0], [3.0, 4.0]]).shape == (2, 2)
    X = uapca.read({"a_1": [1.0, 2.0], "a_2": [0.1, 3.0], "b": [3.0, 4.0]})
    X.save(tmp_path / "x.uapca")
    for source in (X, tmp_path / "x.uapca"):
        assert uapca.read(source, features=["b", "a_1"]).features == ("b", "a_1")
        assert uapca.read(source, features="a_*", exclude="a_2").features == ("a_1",)
        assert uapca.read(source, weights=[1, 3]).weights.tolist() == [0.25, 0.75]
        assert "there is no 'c'" in refused(source, features=["c"])
        assert "by must be left out for rows that are uncertain already" in refused(source, by="b")


def test_options_that_do_not_belong_together():
    table = {"x": [1.0, 2.0], "k": ["a", "b"]}
    assert "errors must be left out for labeled points" in refused(table, by="k", errors="d{}")
    assert "by must name the labels" in refused(table, spread="sem")
    assert "got an object of type int" in refused(3, kind=TypeError)


def test_times_with_a_zone_differ_as_labels_where_they_differ_as_instants(tmp_path):
    pd = pytest.importorskip("pandas")
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    first = pd.Timestamp("2023-10-29 00:30", tz="UTC").tz_convert("Europe/Berlin")
    frame = pd.DataFrame({"when": [first, first + pd.Timedelta(hours=1)], "x": [1.0, 2.0]})
    frame.to_parquet(tmp_path / "t.parquet")
    expected = uapca.from_groups(frame, "when").names
    assert len(set(expected)) == 2
    for table in (pl.from_pandas(frame), pa.Table.from_pandas(frame), tmp_path / "t.parquet"):
        assert uapca.from_groups(table, "when").names == expected


@pytest.mark.parametrize("library", ["pandas", "polars", "numpy"])
def test_errors_that_are_converted_leave_the_table_as_it_is(library):
    columns = {
        name: np.array(values)
        for name, values in {
            "x": [1.0, 2.0],
            "y": [3.0, 4.0],
            "z": [5.0, 6.0],
            "x_err_lo": [0.1, 0.2],
            "x_err_hi": [0.3, 0.4],
            "y_var": [4.0, 9.0],
            "z_ivar": [0.25, 0.0],
        }.items()
    }
    kept = {name: values.copy() for name, values in columns.items()}
    table = columns if library == "numpy" else pytest.importorskip(library).DataFrame(columns)
    X = uapca.read(table, missing="keep")
    assert X.std[:, 1].tolist() == [2.0, 3.0]
    assert X.missing.tolist() == [[False] * 3, [False, False, True]]
    for name, values in kept.items():
        assert np.asarray(table[name]).tolist() == values.tolist()


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_results_are_frames_of_the_library_of_the_data(library):
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    X = uapca.read(make({"a": [1.0, 2.0, 4.0], "a_err": [0.1, 0.2, 0.3], "b": [2.0, 1.0, 0.0]}))
    Y = uapca.UAPCA(1).fit_transform(X)
    cells = uapca.from_table(make({"a": ["1±2"], "b": ["2"]}))
    groups = uapca.read(make({"a": [1.0, 2.0, 4.0], "k": ["p", "q", "q"]}), by="k")
    pca = uapca.UAPCA(1).fit(X)
    results = [pca.loadings(), pca.contributions(), pca.summary(), pca.cos2(X)]
    results += [pca.row_contributions(X), pca.uncertainty_share(X)]
    for data in (X, X[:2], X.scaled(2.0), Y, cells, groups, *results):
        assert type(data.to_frame()).__module__.startswith(library)
    assert type(X.to_frame(library="polars")).__module__.startswith("polars")
    # Without a frame there is nothing to go by.
    assert type(uapca.read({"a": [1.0, 2.0]}).to_frame()).__module__.startswith("pandas")


def test_a_fit_converts_errors_to_the_unit_of_its_values():
    from astropy import units as u

    values, errors = [[1.0, 2.0], [2.0, 3.0], [4.0, 1.0]] * u.kg, np.full((3, 2), 100.0) * u.g
    pca = uapca.UAPCA().fit(values, std=errors)
    np.testing.assert_allclose(pca.within_covariance_, 0.01 * np.eye(2), rtol=1e-14, atol=1e-18)
    with pytest.raises(ValueError, match="std must have a unit that converts"):
        uapca.UAPCA().fit(values, std=errors.value * u.m)


def test_a_row_of_dashes_is_not_lost(tmp_path):
    path = tmp_path / "a.csv"
    for text in ("x,y\n1,2\n---,---\n3,4\n", "x,y\n1,2\n3,4\n---,---\n", "x\n1\n---\n3\n"):
        path.write_text(text)
        with pytest.raises(uapca.TableError, match="cannot read '---' as a number"):
            uapca.read(path)
    for text in ("x,y\n---,---\n1,2\n3,4\n", "x,y\nK,km\n---,---\n1,2\n3,4\n"):
        path.write_text(text)
        assert uapca.read(path).mean.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_names_beside_a_table_of_uncertain_cells():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": ["1 ± 0.1", "2"], "y": [1.0, 2.0]})
    for names in (np.array(["p", "q"]), pd.Series(["p", "q"])):
        assert uapca.read(frame, names=names).names == ("p", "q")


@pytest.mark.parametrize("errors", ["{}_err", {"x": 1e-50}])
def test_errors_keep_the_digits_that_the_values_lack(errors):
    values = np.array([1.5, 2.0, 4.0], dtype=np.float32)
    given = [1e-50, 0.1, 0.2]
    X = uapca.read({"x": values, "x_err": given}, errors=errors, features="x")
    assert X.mean.dtype == np.float32
    assert X.std.ravel().tolist() == (given if errors == "{}_err" else [1e-50] * 3)


def test_points_beside_decimal_commas(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x;y\n1.050;2,5\n2.000;3,5\n")
    with pytest.raises(ValueError, match="numbers must be unambiguous; .* 'y' has '2,5'"):
        uapca.read(path)
    # Where both signs are in one number, points separate thousands in all columns.
    path.write_text("x;y\n1.050;2.000,5\n2.000;3,5\n")
    assert uapca.read(path).mean.tolist() == [[1050.0, 2000.5], [2000.0, 3.5]]


def test_a_name_with_a_space_at_its_end_is_written_and_read(tmp_path):
    X = uapca.UncertainArray([[1.0, 2.0], [3.0, 4.0]], std=0.5, features=["a ", "b"])
    X.to_frame().to_csv(tmp_path / "x.csv")
    again = uapca.read(tmp_path / "x.csv")
    assert again.features == ("a", "b")
    np.testing.assert_array_equal(again.std, X.std)


@pytest.mark.parametrize("reader", [uapca.read, uapca.from_frame, uapca.from_table])
def test_a_text_in_another_encoding_is_read_if_that_is_named(tmp_path, reader):
    path = tmp_path / "cities.csv"
    cells = "name,größe,größe_err\nKöln,1.5,0.1\nZürich,2.5,0.1\n"
    cells = (
        cells.replace(",größe_err", "").replace(",0.1", "±0.1")
        if reader is uapca.from_table
        else cells
    )
    path.write_bytes(cells.encode("cp1252"))
    with pytest.raises(ValueError, match="not text in UTF-8; pass encoding='cp1252'"):
        reader(path)
    X = reader(path, encoding="cp1252")
    assert (X.names, X.features) == (("Köln", "Zürich"), ("größe",))
    with pytest.raises(ValueError, match="encoding must be one that Python knows"):
        reader(path, encoding="klingon")
    path.write_bytes(b"x,y\n1,\x81\n")
    with pytest.raises(ValueError, match="cannot be read: it is not text in cp1252"):
        reader(path, encoding="cp1252")
    path.write_text(cells, encoding="utf-8-sig")  # a byte order mark counts more than the option
    assert reader(path, encoding="cp1252").features == ("größe",)


@pytest.mark.parametrize("above", [(), ("Table 2: stars",)])
@pytest.mark.parametrize(
    "upper",
    [
        ("star", "mass", None, "radius", None),
        (None, "mass", None, "radius", None),
        ("star", "mass", None, "radius", None, "note"),
    ],
)
def test_two_lines_of_an_excel_header_with_merged_cells(tmp_path, above, upper):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    for title in above:
        sheet.append([title])
    wide = len(upper) > 5
    sheet.append(upper)
    sheet.append([None if upper[0] else "star", "value", "err", "value", "err"])
    for name, *values in (("a", 1.5, 0.1, 2.5, 0.2), ("b", 2.5, 0.1, 3, 0.2)):
        sheet.append([name, *values, *["x"] * wide])
    row = len(above) + 1
    sheet.merge_cells(start_row=row, end_row=row, start_column=2, end_column=3)
    sheet.merge_cells(start_row=row, end_row=row, start_column=4, end_column=5)
    book.save(tmp_path / "t.xlsx")
    X = uapca.read(tmp_path / "t.xlsx")
    assert (X.names, X.features) == (("a", "b"), ("mass value", "radius value"))
    np.testing.assert_array_equal(X.std, [[0.1, 0.2], [0.1, 0.2]])


def test_rows_of_words_below_an_unnamed_column_are_no_second_header(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["name", "M1", None], ["Tom", "14±1", "14±1"], ["Jane", "12±1", "13±1"]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    assert uapca.read(tmp_path / "t.xlsx").names == ("Tom", "Jane")


def test_a_gap_below_a_header_of_two_lines(tmp_path):
    """The first error is missing: it is still a table of values and errors."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (
        ["name", "mass", None, "len", None],
        [None, "value", "err", "value", "err"],
        ["a", 1.0, None, 2.0, None],
        ["b", 2.0, 0.1, 3.0, 0.2],
        ["c", 4.0, 0.1, 5.0, 0.2],
    ):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(ValueError, match="errors must not be missing.*'mass err'"):
        uapca.read(tmp_path / "t.xlsx")
    with pytest.warns(uapca.exceptions.DroppedRowsWarning):
        X = uapca.read(tmp_path / "t.xlsx", missing="drop")
    assert X.names == ("b", "c")
    np.testing.assert_array_equal(X.std, [[0.1, 0.2], [0.1, 0.2]])


def test_unknown_encodings_of_json(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('[{"x": 1.0}, {"x": 2.0}]')
    with pytest.raises(ValueError, match="encoding must be one that Python knows"):
        uapca.read(path, encoding="klingon")


def test_constant_columns_that_look_like_errors_are_not_left_out_silently():
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=12), "a_err": np.full(12, 0.1), "b": rng.normal(size=12)}
    with pytest.warns(uapca.ErrorColumnWarning, match="'b_errr' looks like the errors of 'b'"):
        uapca.read({**table, "b_errr": np.full(12, 0.5)})
    assert uapca.read({**table, "offset": np.full(12, 5.0)}).features == ("a", "b")


def test_a_corrected_value_is_no_correlation():
    table = {"a": [1.0, 2.0, 4.0], "a_err": [0.1] * 3, "b": [2.0, 1.0, 5.0]}
    more = {**table, "flux_bg_corr": [4.0, 6.0, 9.0]}
    assert uapca.read(more).features == ("a", "b", "flux_bg_corr")
    assert uapca.read({**table, "x_y_corr": [0.4, -1.0, 1.0]}).features == ("a", "b")


def test_cells_beyond_the_header_are_refused_unless_all_rows_have_one(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("a\tb\tc\n1\t2\t3\tgood\n2\t5\t1\t\n4\t1\t1\t\n")
    with pytest.raises(ValueError, match="3 cells"):
        uapca.read(path)
