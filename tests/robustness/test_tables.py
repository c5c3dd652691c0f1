"""Damaged and hostile tables: the data or a sentence, in bounded time and memory, never a crash."""

import importlib
import io
import json
import os
import random
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import uapca
from robustness.cases import BATCHES, batch_of, count, damaged

SECONDS = 20.0  # of processor time for one file; most take milliseconds
MEGABYTES = 1200.0  # all the libraries that read tables take some 400
LEFT = 200.0  # megabytes by which a child may grow while it reads the second half of its files
CHILD = 5000  # files that one child reads
COLUMNS = {
    "star": ["HD 1", "HD 2", "HD 3", "HD 4"],
    "x": [1.5, 2.5, 4.0, 5.25],
    "x_err": [0.1, 0.2, 0.3, 0.4],
    "k": [3, 1, 4, 1],
}


def _limit():
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def outcomes(paths):
    """What came of reading each file in a child process, which may crash and is then begun anew."""
    left, found = [str(path) for path in paths], []
    while left:
        child = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("child.py"))],
            input="\n".join(left),
            capture_output=True,
            text=True,
            preexec_fn=_limit,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            check=False,
        )
        done = [json.loads(line) for line in child.stdout.splitlines()]
        found += done
        if len(done) == len(left):
            break
        crashed = left[len(done)]
        said = f"exit {child.returncode}: {child.stderr[-300:]}"
        found.append({"path": crashed, "outcome": "crash", "said": said})
        left = left[len(done) + 1 :]
    return found


def check(results):
    wrong = []
    for own in results:
        worded = own["outcome"] == "data" or (
            own["outcome"] == "sentence"
            and "\n" not in own["said"]
            and os.path.basename(own["path"]) in own["said"]
        )
        if not worded or own["seconds"] > SECONDS or own["megabytes"] > MEGABYTES:
            wrong.append(own)
    assert not wrong, json.dumps(wrong[:10], indent=1)
    if len(results) >= 200:  # after the first ones all libraries are there
        warm, last = results[len(results) // 2], results[-1]
        assert last["taken"] < warm["taken"] + LEFT
        assert last["open"] < warm["open"] + 10


def sound_files(folder):
    """One small table in every format, and words in a TOML file."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet
    from astropy.table import Table

    frame = pd.DataFrame(COLUMNS)
    frame.to_csv(folder / "a.csv", index=False)
    frame.to_csv(folder / "a.tsv", index=False, sep="\t")
    frame.to_csv(folder / "wide.csv", index=False, encoding="utf-16")
    frame.to_csv(folder / "packed.csv.gz", index=False)
    frame.to_csv(folder / "packed.csv.bz2", index=False)
    frame.to_json(folder / "a.jsonl", orient="records", lines=True)
    frame.to_json(folder / "a.json", orient="records")
    frame.to_excel(folder / "a.xlsx", index=False)
    (folder / "a.dat").write_text(frame.drop(columns="star").to_string(index=False))
    table = pa.Table.from_pandas(frame)
    pyarrow.parquet.write_table(table, folder / "a.parquet")
    pyarrow.feather.write_feather(table, folder / "a.arrow", compression="uncompressed")
    pyarrow.feather.write_feather(table, folder / "packed.feather")
    astropy = Table(COLUMNS)
    astropy.write(folder / "a.fits")
    astropy.write(folder / "a.vot", format="votable")
    astropy.write(folder / "a.ecsv", format="ascii.ecsv")
    (folder / "words.toml").write_text('good = "T(13, 14, 16, 18)"\nbad = "U(0, 4)"\n')
    return sorted(path for path in folder.iterdir())


def test_sound_files_are_read(tmp_path):
    results = outcomes(sound_files(tmp_path))
    check(results)
    assert {own["outcome"] for own in results} == {"data"}
    assert {own["said"] for own in results if not own["path"].endswith((".toml", ".dat"))} == {
        "(4, 2) 22.25"
    }


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sound")
    return [(path.name, path.read_bytes()) for path in sound_files(folder)]


@pytest.mark.parametrize("batch", range(BATCHES))
def test_damaged_files_end_in_data_or_a_sentence(sound, tmp_path, batch, tried):
    cases = batch_of("tables", batch)
    tried("tables", len(cases))
    for start in range(0, len(cases), CHILD):
        paths = []
        for case in cases[start : start + CHILD]:
            name, data = sound[case // BATCHES % len(sound)]
            paths.append(tmp_path / f"{case}-{name}")
            paths[-1].write_bytes(damaged(data, random.Random(case)))
        check(outcomes(paths))
        for path in paths:
            path.unlink()


@pytest.mark.parametrize("kept", ["a.arrow", "packed.feather", "a.parquet"])
def test_any_bit_of_an_arrow_file(sound, tmp_path, kept, tried):
    """Arrow's own formats have no checksums, and its library trusts what they say."""
    data = dict(sound)[kept]
    wanted, bits = count("bits") // 3, 8 * len(data)
    chosen = random.Random(21).sample(range(bits), min(wanted, bits))
    tried(f"bits of {kept}", len(chosen))
    for start in range(0, len(chosen), CHILD):
        paths = []
        for k in chosen[start : start + CHILD]:
            flipped = bytearray(data)
            flipped[k // 8] ^= 1 << k % 8
            paths.append(tmp_path / f"{k}-{kept}")
            paths[-1].write_bytes(flipped)
        check(outcomes(paths))
        for path in paths:
            path.unlink()


# Files that are well-formed, and hostile


def _book(sheet, **more):
    """The bytes of an Excel file whose sheet is the given XML."""
    from openpyxl import Workbook

    kept, made = io.BytesIO(), io.BytesIO()
    book = Workbook()
    for row in [["x", "y"], [1, 2], [3, 5]]:
        book.active.append(row)
    book.save(kept)
    with zipfile.ZipFile(kept) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name).decode()
            if name == "xl/worksheets/sheet1.xml":
                content = sheet(content)
            new.writestr(name, more.get(name, content))
    return made.getvalue()


def _far_cell(content):
    cell = '<row r="1048576"><c r="XFD1048576"><v>7</v></c></row></sheetData>'
    dimension = content.replace('ref="A1:B3"', 'ref="A1:XFD1048576"')
    return dimension.replace("</sheetData>", cell)


def _far_cells(content):
    """A cell in the last column of each of 2,000 rows."""
    rows = [f'<row r="{k}"><c r="XFD{k}"><v>7</v></c></row>' for k in range(10, 2010)]
    return content.replace("</sheetData>", "".join(rows) + "</sheetData>")


def _repeated(cell):
    """An OpenDocument sheet of one row, said to stand there a million times."""
    office, table = (f"urn:oasis:names:tc:opendocument:xmlns:{x}:1.0" for x in ("office", "table"))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml",
            f'<o:document-content xmlns:o="{office}" xmlns:t="{table}"><o:body><o:spreadsheet>'
            f'<t:table t:name="s"><t:table-row t:number-rows-repeated="1000000">{cell}'
            "</t:table-row></t:table></o:spreadsheet></o:body></o:document-content>",
        )
    return made.getvalue()


CELL = '<t:table-cell o:value-type="float" o:value="1"/>'
WIDE_CELL = '<t:table-cell t:number-columns-repeated="16000" o:value-type="float" o:value="1"/>'
LAUGHS = (
    '<!DOCTYPE l [<!ENTITY a "lollollollollollollollollollol">'
    + "".join(
        f'<!ENTITY {c} "{f"&{b};" * 10}">' for b, c in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + "]>"
)


def _laughs(content):
    body = content.partition("?>")
    body = body[2] if body[1] else content
    return LAUGHS + body.replace("<v>5</v>", "<v>&i;</v>")


VOTABLE = (
    '<?xml version="1.0"?>{head}<VOTABLE version="1.4"><RESOURCE><TABLE>'
    '<FIELD name="x" datatype="double"/><DATA><TABLEDATA><TR><TD>{cell}</TD></TR></TABLEDATA>'
    "</DATA></TABLE></RESOURCE></VOTABLE>"
)


def _bad_parquet(path, note):
    import pyarrow as pa
    import pyarrow.parquet

    table = pa.table({"x": [1.0, 2.0], "y": [3.0, 5.0]}).replace_schema_metadata({"pandas": note})
    pyarrow.parquet.write_table(table, path)


HOSTILE = {
    "far-cell.xlsx": lambda: _book(_far_cell),
    "far-cells.xlsx": lambda: _book(_far_cells),
    "far-cell.xls": lambda: _book(_far_cell),
    "far-cell.ods": lambda: _book(_far_cell),
    "far-cell": lambda: _book(_far_cell),
    "repeated.ods": lambda: _repeated(WIDE_CELL),
    "laughs.xlsx": lambda: _book(_laughs),
    "laughs.vot": lambda: VOTABLE.format(head=LAUGHS, cell="&i;").encode(),
    "outside.vot": lambda: VOTABLE.format(
        head='<!DOCTYPE l [<!ENTITY i SYSTEM "file:///etc/passwd">]>', cell="&i;"
    ).encode(),
    "nested.toml": lambda: ("good = " + "[" * 100_000 + "]" * 100_000).encode(),
    "nested.json": lambda: ("[" * 100_000 + "]" * 100_000).encode(),
    "nested-rows.jsonl": lambda: ('{"x": ' + "[" * 100_000 + "]" * 100_000 + "}").encode(),
    "digits.json": lambda: ('[{"x": ' + "1" * 100_000 + "}]").encode(),
    "digits.csv": lambda: ("x,y\n" + "1" * 1_000_000 + "x,2\n3,4\n").encode(),
    "header.csv": lambda: ("a_" * 400_000 + "_corr,a,y\n1,2,3\n4,5,6\n").encode(),
    "quotes.csv": lambda: ('x,y\n"' * 100_000).encode(),
    "commas.csv": lambda: ("," * 1_000_000 + "\n").encode(),
    "no-mark.csv": lambda: "x,x_err\n1,2\n3,4\n".encode("utf-16-le"),
    "utf-32.csv": lambda: "x,x_err\n1,2\n3,4\n".encode("utf-32"),
    "latin.csv": lambda: "größe,y\n1,2\n3,4\n".encode("latin-1"),
    "null.csv": lambda: b"x,y\n1,\x00\n3,4\n",
    "empty.csv": lambda: b"",
    "empty.parquet": lambda: b"",
    "empty.xlsx": lambda: b"",
    "text.parquet": lambda: b"x,y\n1,2\n",
    "text.fits": lambda: b"x,y\n1,2\n",
    "text.csv.gz": lambda: b"x,y\n1,2\n",
    "units.dat": lambda: b"x x_err\nr.50 0.r\n1 2\n3 4\n",
    "errors.json": lambda: b'[{"x": 1, "x_err": 2, "x_Err": 3}]',
    "blank.jsonl": lambda: b"\n\n",
    "numbers.json": lambda: b"[1, 2, 3]",
    "mixed.json": lambda: b'[{"x": [1, 2]}, {"x": {"y": 3}}, {"x": 1}]',
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    paths = [folder / name for name in HOSTILE]
    for path in paths:
        path.write_bytes(HOSTILE[path.name]())
    return dict(zip(HOSTILE, outcomes(paths), strict=True))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(name, hostile):
    check([hostile[name]])


def test_an_excel_file_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    from uapca.inputs import files

    path = tmp_path / "packed.xlsx"
    path.write_bytes(_book(str))
    monkeypatch.setattr(files, "_UNPACKED", 1 << 10)
    with pytest.raises(ValueError, match=r"packed\.xlsx' unpacks to more than"):
        uapca.read(path)


@pytest.mark.parametrize("suffix", ["xls", "ods"])
def test_an_old_format_names_the_library_that_it_needs(tmp_path, monkeypatch, suffix):
    import pandas as pd

    def refuse(*arguments, **options):
        raise ImportError("`Import xlrd` failed. Use pip or conda to install the xlrd package.")

    path = tmp_path / f"old.{suffix}"
    path.write_bytes(_repeated(CELL) if suffix == "ods" else b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    monkeypatch.setattr(pd, "ExcelFile", refuse)
    with pytest.raises(ImportError, match=rf"^reading '.*old\.{suffix}' needs xlrd; install it w"):
        uapca.read(path)


@pytest.mark.parametrize("packer", ["gzip", "bz2", "lzma"])
def test_a_text_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch, packer):
    from uapca.inputs import files

    data = b"x,y\n" + b"1,2\n" * 100_000
    path = tmp_path / f"bomb.csv.{ {'gzip': 'gz', 'bz2': 'bz2', 'lzma': 'xz'}[packer] }"
    path.write_bytes(importlib.import_module(packer).compress(data))
    assert uapca.read(path).shape == (100_000, 2)
    monkeypatch.setattr(files, "_TEXT", 1 << 10)
    with pytest.raises(ValueError, match=r"bomb\.csv\.\w+' unpacks to more than 0 MB; unpack it"):
        uapca.read(path)


@pytest.mark.parametrize("name", [name for name in HOSTILE if name.startswith(("far", "rep"))])
def test_a_far_cell_of_a_sheet_is_a_cell_like_others(hostile, name):
    assert hostile[name]["megabytes"] < 600


@pytest.mark.parametrize(
    "note",
    ["{", "[]", "7", '{"index_columns": 7}', '{"index_columns": [{"a": [1]}]}', "[" * 100_000],
)
def test_notes_of_pandas_in_parquet_may_be_anything(note, tmp_path):
    path = tmp_path / "noted.parquet"
    _bad_parquet(path, note)
    np.testing.assert_array_equal(uapca.read(path).mean, [[1.0, 3.0], [2.0, 5.0]])


@pytest.mark.parametrize("read", [uapca.read, lambda query: uapca.from_groups(query, "k")])
def test_a_query_that_fails_is_told_in_one_line(read):
    import duckdb
    import polars as pl

    asked = "select 'a' as k, cast('abc' || range as double) as x from range(3)"
    lazy = pl.LazyFrame({"k": ["a"], "x": ["abc"]}).with_columns(pl.col("x").cast(pl.Float64))
    for query, said in ((duckdb.sql(asked), "Could not convert string"), (lazy, "conversion from")):
        with pytest.raises(ValueError, match=rf"^'the [\w ]+' cannot be read: .*{said}") as error:
            read(query)
        assert "\n" not in str(error.value)


def test_a_grid_of_too_many_cells_is_refused():
    points = {"x": [1.0, 2.0], "y": [3.0, 5.0]}
    with pytest.raises(ValueError, match=r"^bins must have at most 1e\+07 cells for each feature"):
        uapca.from_groups(points, bins={"x": 10**10})
