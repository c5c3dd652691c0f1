"""``uapca fit``: the report, the model."""

import csv
import json
from pathlib import Path

import numpy as np
import openpyxl
import pytest

import uapca
from uapca.cli.data import BUNDLED, read_model

REPORT = """Variances at s = 1
component    variance   share      sum  errors   tilt
PC1        48.6 ± 7.5  67.8 %   67.8 %   3.7 %  11.5°
PC2        11.3 ± 5.7  15.7 %   83.6 %  36.1 %  46.3°
2 others        11.77  16.4 %  100.0 %

Components
feature            PC1           PC2
M1       0.680 ± 0.086  -0.36 ± 0.33
M2       0.577 ± 0.087  -0.26 ± 0.34
P1         0.43 ± 0.14   0.77 ± 0.41
P2       0.142 ± 0.061   0.46 ± 0.45

rows: Jack makes 41 % of PC1's variance.

The components shown hold 68.8 % of the rows' uncertainty.

Stability
PC1 is known to 12°.
PC2 cannot be told apart from the next component, PC3 (they swap in 36 % of redraws).

±       one standard error, if each row is one unknown value (10,000 draws)
errors  the part of a variance that is uncertainty of the rows
tilt    the angle by which a component may be off

If the rows are noisy observations: 0 components stand out from the given errors (score \
test with residual); PC1 has 2.95 times the variance expected without it, where chance \
reaches 3.51.
"""


def test_the_report_on_the_students(run):
    result = run("fit", "students")
    assert result.stdout == REPORT
    assert run("fit", "students", "-q").stderr == ""


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_reports_fit_the_width(run, tmp_path, monkeypatch, columns):
    rng = np.random.default_rng(2)
    features = [f"a feature with a name of forty letters {j:02d}" for j in range(12)]
    names = [f"a row with a long name, number {i}" for i in range(40)]
    X = uapca.UncertainArray(rng.normal(size=(40, 12)), std=0.3, names=names, features=features)
    X.save(tmp_path / "long.uapca")
    monkeypatch.setenv("COLUMNS", str(columns))
    for command in (["fit"], ["fit", "-n", "all"], ["read"], ["traces"]):
        lines = run(*command, tmp_path / "long.uapca").stdout.splitlines()
        assert max(map(len, lines)) <= columns
    text = run("fit", tmp_path / "long.uapca").stdout
    assert all(f"{j:02d}  " in text for j in range(12))  # cut, they are told apart
    assert "one standard error" in text  # the key of the columns
    assert "Bhattacharyya coefficient (overlap)" in run("compare", "iris", "iris").stdout
    lines = run("datasets").stdout.splitlines()
    assert max(map(len, lines)) <= columns
    starts = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert starts == list(BUNDLED)


def test_the_page_in_the_docs_shows_this_report(run):
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    said = run("fit", "students").stderr
    assert f"$ uapca fit students\n{said}{REPORT}```\n" in page


def test_no_row_drives_a_component_that_is_rounding_error(run, tmp_path):
    rows = np.random.default_rng(0).normal(size=(5, 40)).round(3).tolist()
    text = "".join(f"r{i}," + ",".join(map(str, row)) + "\n" for i, row in enumerate(rows))
    (tmp_path / "w.csv").write_text("name," + ",".join(f"x{j}" for j in range(40)) + "\n" + text)
    assert "PC5's variance" not in run("fit", tmp_path / "w.csv", "-n", "all").stdout


def test_rows_that_drive_a_component_are_named(run, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,x_err,y,y_err\n1,9,3,1\n2,0,1,0\n1,0,2,0\n2,0,2,0\n")
    X = uapca.from_frame(path)
    share = uapca.UAPCA(2).fit(X).row_contributions(X)[0, 0]
    assert share > 0.9
    assert (
        f"\nrows: row 1 makes {100 * share:.0f} % of PC1's variance.\n" in run("fit", path).stdout
    )
    path.write_text("x,x_err,y,y_err\n1,9,3,1\n2,0,1,0\n1,0,2,0\n")
    assert "rows:" not in run("fit", path).stdout


def test_says_why_components_are_not_counted(run, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,x_err,y,y_err\n1,9,3,1\n2,0,1,0\n1,1,2,1\n2,1,2,1\n")
    with pytest.raises(ValueError, match="the likelihood has no maximum") as refused:
        uapca.component_count(uapca.read(path))
    said = " ".join(run("fit", path).stdout.split())
    why = f"the components that stand out cannot be counted: {refused.value}."
    assert said.endswith(f"If the rows are noisy observations: {why}")


@pytest.mark.parametrize("missing", ["keep", "drop"])
def test_components_beside_positions_known_almost_exactly_are_counted(run, tmp_path, missing):
    rng = np.random.default_rng(0)
    std = np.array([1e-8, 1e-8, 0.3, 90.0]) * np.exp(rng.normal(0, 0.5, (80, 4)))
    values = rng.normal(size=(80, 4)) * [2.0, 2.0, 5.0, 500.0] + [65.0, 16.0, 20.0, 5000.0]
    values += std * rng.normal(size=values.shape)
    lines = [",".join(f"{value:.17g}" for value in row) for row in np.hstack([values, std])]
    lines[0] = lines[0][lines[0].index(",") :]  # the first value is not there
    names = ["ra", "dec", "parallax", "teff"]
    header = ",".join(names + [f"{name}_error" for name in names])
    path = tmp_path / "stars.csv"
    path.write_text("\n".join([header, *lines]) + "\n")
    count = ["plot", path, "count", "--missing", missing, "-o", tmp_path / "c.svg"]
    assert run(*count).exit_code == 0
    said = " ".join(run("fit", path, "--missing", "drop", "--standardize").stdout.split())
    assert said.endswith("4 components stand out from the given errors (score test).")


def test_a_factor_model_in_different_units_is_warned_of(run, tmp_path):
    rng = np.random.default_rng(0)
    table = np.hstack([rng.normal(size=(30, 3)) * [500.0, 0.5, 0.2], np.ones((30, 3)) * 0.05])
    lines = [",".join(map(str, row)) for row in table.tolist()]
    path = tmp_path / "stars.csv"
    path.write_text("\n".join(["teff,logg,feh,teff_err,logg_err,feh_err", *lines]) + "\n")
    remedy = "--denoise does not depend on units"
    assert remedy in " ".join(run("fit", path, "--denoise", "1").stderr.split())
    assert remedy not in " ".join(run("fit", path, "--denoise").stderr.split())


def test_the_report_says_what_the_library_says(run):
    X = uapca.datasets.load_students()
    pca = uapca.UAPCA(2).fit(X)
    with pytest.warns(uapca.SeparationWarning):
        sure = uapca.component_uncertainty(X)
    rows = [line.split() for line in REPORT.splitlines()]
    assert rows[2][1:4] == [
        f"{pca.explained_variance_[0]:.4g}",
        "±",
        f"{sure.eigenvalue_std[0]:.2g}",
    ]
    tom = next(row for row in rows if row and row[0] == "P1")
    assert tom[1:] == [
        part
        for i in (0, 1)
        for part in (f"{pca.components_[i, 2]:.2f}", "±", f"{sure.std[i, 2]:.2f}")
    ]
    # v = λ: what errors contribute to the first variance.
    share = pca.components_[0] @ pca.within_covariance_ @ pca.components_[0]
    assert rows[2][8:10] == [f"{100 * share / pca.explained_variance_[0]:.1f}", "%"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-s", "0"], "at s = 0 the rows count as certain, so there are no standard errors."),
        (["-s", "inf"], "in the limit s = ∞ there are no standard errors."),
        (["-s", "∞"], "in the limit s = ∞ there are no standard errors."),
    ],
)
def test_ends_of_the_scale_have_no_standard_errors(run, options, sentence):
    result = run("fit", "students", *options)
    assert result.exit_code == 0
    assert result.stdout.endswith(f"Stability: {sentence}\n")
    assert "±" not in result.stdout


def test_certain_points(run):
    assert "the rows are certain" in run("fit", "certain").stdout


def test_groups_are_explained_as_groups(run):
    assert "if the points behind the groups were drawn again" in run("fit", "iris").stdout


@pytest.mark.parametrize(
    "text",
    ["x,x_err\n1,0.1\n2,0.2\n", "x,x_err\n1,0.1\n", "x,x_err,y\n1,1,1\n1,1,1\n", "x,y\n1,2\n"],
)
def test_tiny_data(run, tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(text)
    for scale in ("0", "1", "inf"):
        result = run("fit", "t.csv", "-n", "all", "-s", scale, "-o", f"m{scale}.json")
        assert result.exit_code == 0, result.stderr
        assert "nan" not in result.stdout
        assert run("project", "t.csv", "--model", f"m{scale}.json").exit_code == 0


def test_more_components_than_there_are_and_one_row_are_remarked(run, tmp_path):
    assert run("fit", "students", "-n", "9").stderr.splitlines()[2] == (
        "note: there are 4 components, not 9"
    )
    assert "note: there are" not in run("fit", "students", "-n", "4").stderr
    path = tmp_path / "one.csv"
    path.write_text("x,y\n1,2\n")
    note = "note: one row has no spread between rows: every variance is its own uncertainty"
    assert note in run("fit", path).stderr
    assert note not in run("fit", "students").stderr


def test_a_feature_that_is_the_whole_picture_is_remarked(run, tmp_path):
    """Heights in centimeters beside masses in grams: the components are those of the units."""
    path = tmp_path / "units.csv"
    path.write_text("cm,g,years\n170,70000,40\n180,90000,35\n160,55000,52\n175,62000,28\n")
    note = (
        "note: g alone has nearly all of the variance; if that is due to its unit, --standardize "
        "gives all features the same say"
    )
    assert note in run("fit", path).stderr.splitlines()
    assert "note" not in run("fit", path, "--standardize").stderr
    assert "note" not in run("fit", path, "--quiet").stderr
    path.write_text("a,b,c\n1,20,4\n2,60,3\n3,10,5\n2,40,3\n")
    assert "note: b alone has 99.7 % of the variance" in run("fit", path).stderr
    assert "note" not in run("fit", "students").stderr


def test_components_are_as_many_as_asked_for(run):
    def count(*options):
        return len(json.loads(run("fit", "students", "--json", *options).stdout)["variances"])

    assert [count("-n", n) for n in ("1", "3", "all", "9", "0.9")] == [1, 3, 4, 4, 3]


def test_json_is_the_model_and_nothing_else(run, tmp_path):
    path = tmp_path / "m.json"
    shown = run("fit", "students", "--json", "-o", path)
    assert shown.stdout == path.read_text()
    assert json.loads(shown.stdout)["format"] == "uapca.model"
    assert run("fit", "students", "-o", "-").stdout == shown.stdout


@pytest.mark.parametrize(
    "options",
    [[], ["-s", "0.3"], ["-s", "inf"], ["--standardize"], ["--ddof", "1"], ["-n", "all"]],
)
def test_a_model_keeps_the_fit_exactly(run, tmp_path, options):
    path = tmp_path / "m.json"
    assert run("fit", "students", "-o", path, *options).exit_code == 0
    model = read_model(str(path))
    X = uapca.datasets.load_students()
    scale = float(options[1]) if "-s" in options else 1.0
    pca = uapca.UAPCA(
        None if "-n" in options else 2,
        scale=scale,
        ddof=1.0 if "--ddof" in options else 0.0,
        standardize="--standardize" in options,
    ).fit(X)
    for name in (
        "mean_",
        "components_",
        "explained_variance_",
        "explained_variance_ratio_",
        "between_covariance_",
        "within_covariance_",
    ):
        np.testing.assert_array_equal(getattr(model, name), getattr(pca, name))
    assert (model.scale, model.n_samples_, tuple(model.feature_names_in_)) == (scale, 6, X.features)
    Y, wanted = model.transform(X), pca.transform(X)
    np.testing.assert_array_equal(Y.mean, wanted.mean)
    np.testing.assert_array_equal(Y.cov.dense(), wanted.cov.dense())
    scaler = uapca.UncertainScaler() if "--standardize" in options else None
    data = X if scaler is None else scaler.fit_transform(X)
    plain = uapca.UAPCA(pca.n_components, scale=scale, ddof=pca.ddof).fit_transform(data)
    np.testing.assert_allclose(Y.mean, plain.mean, rtol=1e-12, atol=1e-13)


def test_a_model_far_from_zero_loses_nothing(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    near = rng.integers(-8, 9, (30, 3)).astype(float)
    std = rng.uniform(0.5, 2.0, (30, 3))
    for name, points in (("near", near), ("far", near + 1e8)):
        uapca.UncertainArray(points, std=std).save(f"{name}.uapca")
        assert run("fit", f"{name}.uapca", "-o", f"{name}.json").exit_code == 0
        assert (
            run("project", f"{name}.uapca", "--model", f"{name}.json", "-o", f"{name}-y.uapca")
        ).exit_code == 0
    a, b = uapca.load("near-y.uapca"), uapca.load("far-y.uapca")
    np.testing.assert_allclose(a.mean, b.mean, atol=1e-6)


def test_ties_are_said_to_be_undetermined(run, tmp_path):
    path = tmp_path / "t.uapca"
    points = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    uapca.UncertainArray(points, std=0.5).save(path)
    result = run("fit", path, "--json")
    found = json.loads(result.stdout)["uncertainty"]
    assert all(0.2 < x <= 1.0 for row in found["components_std"] for x in row)
    table = run("fit", path).stdout
    assert "cannot be told apart" in table


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: "nothing", "it is not JSON"),
        (lambda m: "[1]", "is not a fit"),
        (lambda m: json.dumps(m | {"format": "x"}), "is not a fit"),
        (lambda m: json.dumps(m | {"version": 9}), "has format version 9"),
        (lambda m: json.dumps(m | {"mean": [1.0]}), "features must be"),
        (lambda m: json.dumps({k: v for k, v in m.items() if k != "rows"}), "'rows' is missing"),
        (lambda m: json.dumps(m | {"components": "x"}), "components must be"),
    ],
)
def test_damaged_models(run, fails, tmp_path, monkeypatch, change, message):
    monkeypatch.chdir(tmp_path)
    assert run("fit", "students", "-o", "m.json").exit_code == 0
    model = json.loads((tmp_path / "m.json").read_text())
    (tmp_path / "m.json").write_text(change(model))
    for command in (
        ["project", "students", "--model", "m.json"],
        ["compare", "m.json", "students"],
    ):
        said = fails(*command)
        assert message in said
        assert "'m.json'" in said


def test_long_tables_are_cut_and_the_model_is_not(run, tmp_path):
    rng = np.random.default_rng(1)
    path = tmp_path / "wide.uapca"
    features = [f"f{j}" for j in range(60)]
    uapca.UncertainArray(rng.normal(size=(80, 60)), std=1.0, features=features).save(path)
    text = run("fit", path, "-n", "all", "-q").stdout
    assert "Components, the 40 features with the largest entries; --json has all" in text
    assert "40 others" in text
    # In a narrow terminal the columns are shown in turns.
    lines = [line for line in text.splitlines() if line.startswith("f") and "±" in line]
    assert len({line.split()[0] for line in lines}) == 40
    model = json.loads(run("fit", path, "-n", "all", "--json").stdout)
    assert np.shape(model["components"]) == (60, 60)
    # The tables add up all the same.
    shares = np.array(model["shares"])
    assert f"{100 * shares[20:].sum():.1f} %" in text
    few = run("fit", path, "-n", "1", "-q").stdout
    assert "59 others" in few


def test_wide_tables_of_correlations_are_refused(run, tmp_path):
    rng = np.random.default_rng(1)
    path = tmp_path / "wide.uapca"
    uapca.UncertainArray(rng.normal(size=(80, 60)), std=rng.uniform(1, 2, (80, 60))).save(path)
    result = run("project", path, "-n", "all", "-q")
    assert result.stderr == (
        "uapca: error: 60 features with their correlations would make 1,890 columns. "
        "Write a .uapca file.\n"
    )
    assert run("project", path, "-n", "all", "-o", tmp_path / "y.uapca").exit_code == 0


@pytest.mark.parametrize(
    "table", ["loadings", "contributions", "summary", "cos2", "row_contributions"]
)
@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_labeled_results_are_written_as_tables(run, folder, table, ending):
    (folder / "a.csv").write_text("name,=x,x y\n+a,1,2\nb,2,5\nc,4,3\nd,3,1\n")
    run("fit", "a.csv", "--table", table, "-o", f"t.{ending}")
    X = uapca.read(folder / "a.csv")
    pca = uapca.UAPCA(2).fit(X)
    expected = getattr(pca, table)(*[X] * (table in ("cos2", "row_contributions")))
    if ending == "csv":
        rows = list(csv.reader((folder / "t.csv").read_text().splitlines()))
    else:
        sheet = openpyxl.load_workbook(folder / "t.xlsx").active
        assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)
        rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    guarded = [f"'{name}" if name[0] in "=+" else name for name in expected.rows]
    assert rows[0] == [expected.of, *expected.columns]
    assert [row[0] for row in rows[1:]] == guarded
    values = [[float(cell) for cell in row[1:]] for row in rows[1:]]
    np.testing.assert_allclose(values, expected.values, rtol=1e-14)


def test_a_table_needs_a_file_that_is_one(fails, folder):
    assert fails("fit", "iris", "--table", "loadings") == (
        "--table needs a file: -o FILE.csv, or -o - for standard output."
    )
    assert "ends in '.json'" in fails("fit", "iris", "--table", "loadings", "-o", "m.json")
