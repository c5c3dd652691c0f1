"""Names with markup, control characters, text direction and formulas, through every output."""

import csv
import html
import random
import re
import unicodedata
import xml.dom.minidom
from html.parser import HTMLParser

import numpy as np
import pytest
from click.testing import CliRunner

import uapca
from robustness.cases import BATCHES, batch_of
from uapca.cli.app import app

NAMES = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<!-- & &lt; ]]> -->",
    "[red]x[/red] {0} %s $\\frac{1}{0}$ `x`",
    "\x1b[2J\x1b]0;title\x07",
    "bell\x07\x9b31m\x7f",
    "\u202egnp.exe\u2066",
    "two\nlines\r\tand a tab",
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "'=quoted",
    "\t=tab",
    "\r=return",
    'say "yes", or; no',
    "漢字 é ü \u0301",
)
FEATURES = ("=x<b>", "\x1b[31my\u202e", '@z & "z"', "-w\n")
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
UNSAFE = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    rng = np.random.default_rng(0)
    shape = len(NAMES), len(FEATURES)
    X = uapca.UncertainArray(
        rng.normal(size=shape), std=rng.uniform(0.1, 1.0, shape), names=NAMES, features=FEATURES
    )
    X.save("x.uapca")
    return X


def run(*arguments):
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.stderr
    return result


def unsafe(text):
    return {c for c in text if c != "\n" and unicodedata.category(c) in UNSAFE}


@pytest.mark.parametrize(
    "arguments", [["fit"], ["read", "--rows", "99"], ["traces"], ["read", "--features", "=*"]]
)
def test_a_report_holds_nothing_that_steers_a_terminal(data, arguments):
    result = run(arguments[0], "x.uapca", *arguments[1:])
    assert not unsafe(result.stdout)
    assert not unsafe(result.stderr)
    assert "=x<b>" in result.stdout


def test_errors_and_remarks_hold_nothing_that_steers_a_terminal(data):
    result = CliRunner().invoke(app, ["fit", "x.uapca", "--features", "\x1b[31mz"])
    assert result.exit_code == 2
    assert not unsafe(result.stderr)
    assert result.stderr.count("\n") == 1
    result = CliRunner().invoke(app, ["fit", "\x1b[2J\u202e.csv"])
    assert result.exit_code == 2
    assert not unsafe(result.stderr)


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_no_cell_of_a_text_table_is_a_formula(data, suffix):
    run("read", "x.uapca", "-o", f"t{suffix}")
    with open(f"t{suffix}", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="," if suffix == ".csv" else "\t"))
    names, header = [row[0] for row in rows[1:]], rows[0]
    assert not [cell for cell in (*names, *header) if cell.startswith(FORMULAS)]
    # One apostrophe was put before each, and nothing else was changed.
    plain = tuple(re.sub(r"^'(?='*[=+\-@\t\r])", "", name) for name in names)
    assert plain == NAMES


def test_no_cell_of_a_workbook_is_a_formula(data):
    openpyxl = pytest.importorskip("openpyxl")
    run("read", "x.uapca", "-o", "t.xlsx")
    sheet = openpyxl.load_workbook("t.xlsx").active
    cells = [cell for row in sheet.iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    texts = [cell.value for cell in cells if isinstance(cell.value, str)]
    assert not [text for text in texts if text.startswith(FORMULAS)]
    assert "'=1+1" in texts
    assert len(list(sheet.iter_rows())) == len(NAMES) + 1


@pytest.mark.parametrize("kind", ["projection", "biplot", "loadings", "components", "cos2"])
def test_a_picture_is_well_formed_and_holds_no_markup_of_names(data, kind):
    run("plot", "x.uapca", kind, "-o", "p.svg", "--title", NAMES[0])
    document = xml.dom.minidom.parse("p.svg")
    assert not document.getElementsByTagName("script")
    assert not document.getElementsByTagName("img")


class Tags(HTMLParser):
    """The tags of a page outside its scripts, and the attributes that run code."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.handlers = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


def test_a_page_runs_nothing_of_a_name(data):
    X = data
    plain = uapca.UncertainArray(X.mean, std=X.std, names=[f"n{i}" for i in range(len(X))])
    plain.save("plain.uapca")
    pages = []
    for name in ("plain", "x"):
        run("explore", f"{name}.uapca", "-o", f"{name}.html", "--title", "t")
        with open(f"{name}.html", encoding="utf-8") as file:
            pages.append(Tags(file.read()))
    assert pages[1].tags == pages[0].tags
    assert not pages[1].handlers
    run("explore", "plain.uapca", "-o", "title.html", "--title", NAMES[0] + NAMES[1])
    with open("title.html", encoding="utf-8") as file:
        titled = Tags(file.read())
    assert titled.tags == pages[0].tags
    assert not titled.handlers


def test_the_repr_in_a_notebook_is_text_and_escaped_html(data):
    tags = Tags(data._repr_html_())
    assert not {"script", "img"} & set(tags.tags)
    assert not tags.handlers
    assert html.escape("=x<b>") in data._repr_html_()
    for text in (repr(data), repr(uapca.UAPCA(2).fit(data).loadings())):
        assert not unsafe(text)


def test_json_keeps_names_as_they_are(data):
    import json

    model = json.loads(run("fit", "x.uapca", "--json").stdout)
    assert tuple(model["features"]) == FEATURES
    run("fit", "x.uapca", "-o", "m.json")
    assert tuple(uapca.load("m.json").feature_names_in_) == FEATURES


def test_columns_of_a_table_with_such_names_are_read_back(data):
    """Parquet keeps every name exactly."""
    run("project", "x.uapca", "-o", "y.parquet")
    assert uapca.read("y.parquet").names == NAMES


def test_standard_output_that_is_redirected_is_the_file(data):
    run("read", "x.uapca", "-o", "t.csv")
    with open("t.csv", encoding="utf-8", newline="") as file:
        assert file.read() == run("read", "x.uapca", "-o", "-").stdout


# Names made of such pieces, through an output that is drawn for each case

PIECES = (
    *"=+-@'\"<>&$\\{}[]%|;, x1é漢\t\r\n\x00\x07\x1b\x7f\x9b\u00ad\u202e\u2066\u2028\ufeff\ue000",
    "<script>", "</script", "<!--", "]]>", "&lt;", "<img src=x onerror=alert(1)>", " onload=x ",
    "\x1b[31m", "\x1b]0;", "$\\frac{1}{0}$", "{0}", "%s", "[red]", "javascript:", "e\u0301", "_err",
)  # fmt: skip


def any_name(rng):
    return "".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 9)))


def check_terminal(X, rng):
    command = rng.choice([["fit"], ["read", "--rows", "9"], ["traces"], ["read"]])
    result = run(command[0], "x.uapca", *command[1:])
    assert not unsafe(result.stdout)
    assert not unsafe(result.stderr)
    result = CliRunner().invoke(app, ["fit", "x.uapca", "--features", any_name(rng)])
    assert not unsafe(result.stderr)
    assert result.exit_code == 0 or result.stderr.count("\n") == 1


def check_text_table(X, rng):
    target = rng.choice(["t.csv", "t.tsv"])
    run("read", "x.uapca", "-o", target, "--force")
    with open(target, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="," if target == "t.csv" else "\t"))
    cells = [*rows[0], *(row[0] for row in rows[1:])]
    assert not [cell for cell in cells if cell.startswith(FORMULAS)]
    assert tuple(re.sub(r"^'(?='*[=+\-@\t\r])", "", row[0]) for row in rows[1:]) == X.names


def check_workbook(X, rng):
    openpyxl = pytest.importorskip("openpyxl")
    run("read", "x.uapca", "-o", "t.xlsx", "--force")
    cells = [cell for row in openpyxl.load_workbook("t.xlsx").active.iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    assert not [cell for cell in cells if str(cell.value).startswith(("=", "+", "@", "\t", "\r"))]
    assert len(cells) == (len(X) + 1) * (1 + 2 * X.shape[1])


def check_exact_copies(X, rng):
    run("project", "x.uapca", "-o", "y.parquet", "--force")
    assert uapca.read("y.parquet").names == X.names
    run("fit", "x.uapca", "-o", "m.json", "--force")
    assert tuple(uapca.load("m.json").feature_names_in_) == X.features
    run("read", "x.uapca", "-o", "x2.uapca", "--force")
    assert (uapca.load("x2.uapca").names, uapca.load("x2.uapca").features) == (X.names, X.features)


def check_repr(X, rng):
    pca = uapca.UAPCA(2).fit(X)
    for text in (repr(X), repr(pca.loadings()), repr(X[0]), repr(pca.row_contributions(X))):
        assert not unsafe(text)
    tags = Tags(X._repr_html_())
    assert not {"script", "img"} & set(tags.tags)
    assert not tags.handlers


def check_picture(X, rng):
    kind = rng.choice(["projection", "biplot", "loadings", "components", "cos2", "traces"])
    run("plot", "x.uapca", kind, "-o", "p.svg", "--force", "--title", any_name(rng))
    document = xml.dom.minidom.parse("p.svg")
    for tag in ("script", "img"):
        assert not document.getElementsByTagName(tag)


def check_page(X, rng):
    plain = uapca.UncertainArray(X.mean, std=X.std, names=["a", "b", "c", "d"])
    plain.save("plain.uapca")
    run("explore", "plain.uapca", "-o", "plain.html", "--force", "--title", "t")
    run("explore", "x.uapca", "-o", "x.html", "--force", "--title", any_name(rng))
    pages = []
    for name in ("plain", "x"):
        with open(f"{name}.html", encoding="utf-8") as file:
            pages.append(Tags(file.read()))
    assert pages[1].tags == pages[0].tags
    assert not pages[1].handlers


CHECKS = (
    *(check_terminal, check_text_table, check_workbook, check_exact_copies, check_repr) * 5,
    check_picture,
    check_page,
)


@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.filterwarnings("ignore:Glyph")
def test_any_names_are_text_in_every_output(tmp_path, monkeypatch, batch, tried):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    cases, wrong = batch_of("names", batch), []
    for case in cases:
        rng = random.Random(case)
        names, features = ([any_name(rng) for _ in range(n)] for n in (4, 3))
        if len({*names}) < 4 or len({*features}) < 3:
            continue
        values = np.random.default_rng(case).normal(size=(4, 3))
        X = uapca.UncertainArray(values, std=0.1 + values**2, names=names, features=features)
        X.save("x.uapca")
        check = CHECKS[case // BATCHES % len(CHECKS)]
        try:
            check(X, rng)
        except Exception as error:  # noqa: BLE001  (what is wrong is collected)
            said = f"{type(error).__name__}: {str(error)[:300]}"
            wrong.append(f"case {case}, {check.__name__}: {said}; {names}, {features}")
    tried("names", len(cases))
    assert not wrong, "\n".join(wrong[:20])
