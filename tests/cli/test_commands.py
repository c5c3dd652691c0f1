"""``uapca project``, ``traces``, ``compare`` and ``aggregate``."""

import csv
import io
import json

import numpy as np
import pytest

import uapca


def table_of(text):
    rows = list(csv.reader(io.StringIO(text)))
    return {name: [row[j] for row in rows[1:]] for j, name in enumerate(rows[0])}


# project


def test_projected_rows_are_those_of_the_library(run):
    table = table_of(run("project", "students", "-n", "3", "-s", "0.5").stdout)
    X = uapca.datasets.load_students()
    Y = uapca.UAPCA(3, scale=0.5).fit(X).transform(X)
    cov = Y.cov.dense()
    assert table["name"] == list(X.names)
    for i in range(3):
        np.testing.assert_allclose(np.array(table[f"PC{i + 1}"], float), Y.mean[:, i], atol=1e-12)
        np.testing.assert_allclose(
            np.array(table[f"PC{i + 1}_err"], float), Y.std[:, i], rtol=1e-12
        )
    corr = cov[:, 0, 2] / Y.std[:, 0] / Y.std[:, 2]
    np.testing.assert_allclose(np.array(table["PC1_PC3_corr"], float), corr, atol=1e-12)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".feather", ".uapca"])
def test_what_is_written_is_data_again(run, tmp_path, suffix):
    path = tmp_path / f"y{suffix}"
    assert run("project", "students", "-o", path, "-n", "3").exit_code == 0
    again = run("fit", path, "--json", "-n", "3")
    assert again.exit_code == 0, again.stderr
    direct = json.loads(run("fit", "students", "--json", "-n", "3").stdout)
    found = json.loads(again.stdout)
    np.testing.assert_allclose(found["variances"], direct["variances"], rtol=1e-9)
    np.testing.assert_allclose(np.abs(found["components"]), np.eye(3), atol=1e-7)
    assert found["features"] == ["PC1", "PC2", "PC3"]


def test_a_uapca_file_keeps_the_laws(run, tmp_path):
    path = tmp_path / "y.uapca"
    run("project", "students", "-o", path)
    Y = uapca.load(path)
    X = uapca.datasets.load_students()
    wanted = uapca.UAPCA(2).fit(X).transform(X)
    np.testing.assert_allclose(
        Y.levels("Tom", [0.5, 0.95]), wanted.levels("Tom", [0.5, 0.95]), rtol=1e-6
    )


def test_a_model_picks_its_features_from_new_data(run, folder):
    assert run("fit", "stars.csv", "-o", "m.json").exit_code == 0
    text = "dec,extra,star,parallax,ra,ra_error\n-5.0,1,a,2.2,10.0,0.2\n"
    (folder / "new.csv").write_text(text)
    table = table_of(run("project", "new.csv", "--model", "m.json").stdout)
    old = table_of(run("project", "stars.csv").stdout)
    assert float(table["PC1"][0]) == pytest.approx(float(old["PC1"][0]), rel=1e-12)


def test_project_complains_before_it_computes(run, fails, folder):
    run("fit", "stars.csv", "-o", "m.json")
    assert fails("project", "flowers.csv", "--model", "none.json") == (
        "there is no file 'none.json'. uapca fit DATA -o FILE writes one."
    )
    assert fails("project", "students", "--model", "m.json", "--scale", "2") == (
        "--scale belongs to a fit; the model has its own. Leave it out."
    )
    result = run("project", "students", "--model", "m.json", "-q")
    assert result.exit_code == 2
    assert result.stderr == (
        "uapca: error: features must name columns of the table; there is no 'ra' among 'M1', 'M2', "
        "'P1', 'P2'\n"
    )


def test_a_model_looks_at_nothing_but_its_features(run, folder):
    """A gap or a text elsewhere in the new table does no harm."""
    run("fit", "stars.csv", "--exclude", "parallax", "-o", "m.json")
    old = run("project", "stars.csv", "--model", "m.json").stdout
    text = (folder / "stars.csv").read_text().replace(",2.5,", ",,").replace(",2.9,", ",bad,")
    (folder / "new.csv").write_text(text)
    assert run("project", "new.csv", "--model", "m.json").stdout == old


# traces


def test_traces_are_those_of_the_library(run):
    result = run("traces", "students", "--scales", "0,0.5,1,inf", "-o", "-")
    table = table_of(result.stdout)
    found = uapca.factor_traces(uapca.datasets.load_students(), scales=[0, 0.5, 1, np.inf])
    assert table["scale"][::4] == ["0.0", "0.5", "1.0", "inf"]
    assert table["feature"][:4] == ["M1", "M2", "P1", "P2"]
    for i in range(2):
        values = np.array(table[f"PC{i + 1}"], float).reshape(4, 4)
        np.testing.assert_array_equal(values, found.positions[:, :, i])


def test_scales_need_no_order_and_wrong_ones_are_named(run, fails):
    a = run("traces", "teaser", "--scales", "1,∞,0", "-o", "-").stdout
    assert a == run("traces", "teaser", "--scales", "0,1,inf", "-o", "-").stdout
    assert fails("traces", "teaser", "--scales", "0,x") == (
        "Invalid value for '--scales': must be a number from 0 to inf; got 'x'."
    )


def test_tables_of_eigenvalues_and_crossings(run, tmp_path):
    path = tmp_path / "e.csv"
    assert run("traces", "crossings", "--table", "eigenvalues", "-o", path).exit_code == 0
    found = uapca.factor_traces(uapca.datasets.make_crossings())
    table = table_of(path.read_text())
    np.testing.assert_array_equal(np.array(table["PC1"], float), found.eigenvalues[:, 0])
    crossings = table_of(run("traces", "crossings", "--table", "crossings", "-o", "-").stdout)
    np.testing.assert_allclose(
        np.array(crossings["scale"], float), [c.scale for c in found.crossings]
    )


def test_the_summary_of_traces(run):
    text = run("traces", "crossings").stdout
    assert "PC1 and PC2  0.3694" in text
    assert "avoided" in text


# compare


def test_distances_are_those_of_the_library(run):
    result = run("compare", "students", "students", "-s", "0", "-s", "1", "--json")
    X = uapca.datasets.load_students()
    a, b = (uapca.UAPCA(2, scale=s).fit(X) for s in (0.0, 1.0))
    found = json.loads(result.stdout)
    assert found["hellinger"] == pytest.approx(uapca.hellinger(a, b), rel=1e-12)
    assert found["bhattacharyya"] == pytest.approx(uapca.bhattacharyya(a, b), rel=1e-12)
    angles = np.degrees(uapca.principal_angles(a, b))
    np.testing.assert_allclose(found["principal_angles_degrees"], angles, rtol=1e-12)
    assert result.stderr.count("students: marks") == 1  # read once


def test_models_compare_whatever_the_order_of_features(run, folder):
    text = (folder / "stars.csv").read_text().splitlines()
    order = [5, 4, 3, 6, 2, 1, 0]
    lines = [",".join(line.split(",")[j] for j in order) for line in text]
    (folder / "turned.csv").write_text("\n".join(lines) + "\n")
    for name in ("stars", "turned"):
        assert run("fit", f"{name}.csv", "-o", f"{name}.json", "--standardize").exit_code == 0
    result = run("compare", "stars.json", "turned.json", "--json")
    assert json.loads(result.stdout)["hellinger"] < 1e-7
    text = run("compare", "stars.json", "turned.json").stdout
    assert "principal angle 2" in text


def test_standardized_models_are_compared_in_the_units_of_the_data(run, folder):
    run("fit", "stars.csv", "-o", "a.json")
    run("fit", "stars.csv", "-o", "b.json", "--standardize")
    result = run("compare", "a.json", "b.json", "--json")
    assert json.loads(result.stdout)["hellinger"] < 1e-7
    assert result.stderr == (
        "one of the two is standardized: angles compare components in different units\n"
    )


def test_infinite_scales_have_angles_only(run):
    result = run("compare", "students", "students", "-s", "1", "-s", "inf", "--json")
    assert json.loads(result.stdout)["hellinger"] is None
    assert "no Hellinger distance" in result.stderr


def test_compare_complains(run, fails, folder):
    run("fit", "stars.csv", "-o", "m.json")
    result = run("compare", "m.json", "students", "-q")
    assert result.stderr == (
        "uapca: error: A and B have different features: M1, M2, P1, P2, dec, parallax, ra occur in "
        "one only.\n"
    )
    assert fails("compare", "-", "-") == (
        "standard input can be read once. Name a file for A or B."
    )
    assert fails("compare", "students", "studens", "-q").startswith("there is no data set or file")


# aggregate


@pytest.mark.parametrize("suffix", [".uapca", ".csv", ".parquet"])
def test_aggregated_points_have_the_covariance_of_all(run, tmp_path, suffix):
    from sklearn.datasets import load_iris

    iris = load_iris(as_frame=True).frame
    iris.to_csv(tmp_path / "iris.csv", index=False)
    path = tmp_path / f"species{suffix}"
    result = run("aggregate", tmp_path / "iris.csv", "--by", "target", "-o", path)
    assert result.exit_code == 0, result.stderr
    model = json.loads(run("fit", path, "--json", "-n", "all").stdout)
    points = iris.drop(columns="target").to_numpy()
    K = np.array(model["between"]) + np.array(model["within"])
    np.testing.assert_allclose(K, np.cov(points.T, ddof=0), rtol=1e-9)


def test_unequal_groups_keep_their_weights_in_a_table(run, folder):
    (folder / "p.csv").write_text("g,x\na,1\na,2\na,4\nb,8\n")
    run("aggregate", "p.csv", "--by", "g", "-o", "g.csv")
    model = json.loads(run("fit", "g.csv", "--json").stdout)
    assert model["mean"] == [pytest.approx(15 / 4)]
    assert "weights: uapca_weight" in run("fit", "g.csv").stderr


def test_aggregate_needs_labels(folder, fails):
    assert fails("aggregate", "flowers.csv", "-o", "x.csv") == (
        "say which column holds the labels: --by COLUMN, or --bins K."
    )


def test_errors_of_the_model_widen_posterior_rows(run, fails, folder):
    rng = np.random.default_rng(5)
    true = rng.normal(size=(60, 1)) @ rng.normal(size=(1, 3)) + 0.3 * rng.normal(size=(60, 3))
    values = true + 0.5 * rng.normal(size=(60, 3))
    lines = [",".join(f"{v:.6f},0.5" for v in row) for row in values]
    (folder / "noisy.csv").write_text("\n".join(["x,x_err,y,y_err,z,z_err", *lines]) + "\n")
    arguments = ["project", "noisy.csv", "--denoise", "1"]
    narrow, wide = (
        table_of(run(*arguments, *more).stdout) for more in ([], ["--parameter-errors"])
    )
    X = uapca.read(folder / "noisy.csv")
    model = uapca.Denoiser(1).fit(X)
    pca = uapca.UAPCA(2).fit(model.transform(X))
    Y = pca.transform(model.transform(X, parameter_errors=True))
    np.testing.assert_allclose(np.array(wide["PC1"], float), Y.mean[:, 0], rtol=1e-12)
    np.testing.assert_allclose(np.array(wide["PC1_err"], float), Y.std[:, 0], rtol=1e-12)
    assert (np.array(wide["PC1_err"], float) > np.array(narrow["PC1_err"], float)).all()
    assert fails("project", "noisy.csv", "--parameter-errors") == (
        "--parameter-errors are those of --denoise. Add it."
    )


def test_a_feature_of_the_model_may_be_constant_in_new_data(run, folder):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(12, 3))
    for name, last in (("old.csv", rows[:, 2]), ("new.csv", np.full(12, 5.0))):
        table = np.column_stack([rows[:, :2], last])
        np.savetxt(name, table, delimiter=",", header="a,b,c", comments="")
    run("fit", "old.csv", "-o", "abc.json")
    result = run("project", "new.csv", "--model", "abc.json", "-q")
    assert result.exit_code == 0, result.stderr
    assert len(table_of(result.stdout)["PC2"]) == 12
