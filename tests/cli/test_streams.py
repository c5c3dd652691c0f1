"""Points in many files, and points without labels."""

import numpy as np
import pytest

import uapca


@pytest.fixture
def parts(folder, rng):
    """Three Parquet files with 300 points each, and all of them as one frame."""
    import pandas as pd

    (folder / "parts").mkdir()
    frames = []
    for k in range(3):
        frame = pd.DataFrame(rng.normal(size=(300, 2)) + k, columns=["x", "y"])
        frame["g"] = rng.choice(list("abc"), 300)
        frame["text"] = "t"
        frame.to_parquet(folder / "parts" / f"p{k}.parquet")
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


@pytest.mark.parametrize("data", ["parts", "parts/*.parquet"])
def test_files_are_aggregated_where_they_are(run, parts, folder, data):
    result = run("aggregate", data, "--by", "g", "-o", "g.uapca")
    assert result.exit_code == 0, result.stderr
    X, wanted = uapca.load("g.uapca"), uapca.from_groups(parts, by="g")
    assert (X.names, X.features, X.total_weight) == (wanted.names, wanted.features, 900.0)
    np.testing.assert_allclose(X.mean, wanted.mean, rtol=1e-12)
    np.testing.assert_allclose(X.cov.dense(), wanted.cov.dense(), rtol=1e-12)
    assert "3 files: 900 labeled points" in result.stderr
    assert "left out: text (text)" in result.stderr


def test_points_without_labels_are_binned(run, parts, folder):
    result = run("aggregate", "parts", "--bins", "7", "-o", "bins.uapca")
    assert result.exit_code == 0, result.stderr
    X = uapca.load("bins.uapca")
    assert len(X) == 7
    # Whatever the bins, mean and covariance are those of all points (law of total variance).
    mean, cov = X.pooled()
    points = parts[["x", "y"]].to_numpy()
    np.testing.assert_allclose(mean, points.mean(axis=0), rtol=1e-10)
    np.testing.assert_allclose(cov, np.cov(points.T, ddof=0), rtol=1e-10)
    assert run("aggregate", "parts", "--bins", "x=2,y=3", "-o", "grid.csv").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["parts", "--by", "G"], "there is no 'G' (perhaps 'g' was meant)"),
        (["parts"], "say which column holds the labels: --by COLUMN, or --bins K."),
        (["parts", "--by", "g", "--bins", "3"], "--by and --bins exclude each other."),
        (["-", "--bins", "3"], "--bins reads the points twice and needs a file"),
        (["parts", "--by", "g", "--names", "x"], "names must be left out for labeled points"),
        (["parts", "--by", "g", "--missing", "keep"], "missing must be 'error' or 'drop'"),
    ],
)
def test_complaints(fails, parts, folder, arguments, message):
    assert message in fails("aggregate", *arguments, "-o", "g.csv")
    assert not (folder / "g.csv").exists()


def test_a_damaged_file_is_named_and_nothing_is_written(fails, parts, folder):
    path = folder / "parts/p1.parquet"
    path.write_bytes(path.read_bytes()[:500])
    assert "p1.parquet" in fails("aggregate", "parts", "--by", "g", "-o", "g.uapca")
    assert not (folder / "g.uapca").exists()


def test_a_folder_without_labels_is_one_table(run, parts):
    result = run("fit", "parts")
    assert "3 files of 900 rows and 4 columns: certain points" in result.stderr


def test_a_damaged_file_can_be_skipped(run, fails, parts, folder):
    (folder / "parts" / "p1.parquet").write_bytes(b"PAR1 nothing")
    result = run("aggregate", "parts", "--by", "g", "-o", "g.uapca", "-q")
    assert result.exit_code == 2
    assert "p1.parquet' cannot be read" in result.stderr
    result = run("aggregate", "parts", "--by", "g", "-o", "g.uapca", "--bad-files", "skip")
    assert result.exit_code == 0, result.stderr
    assert "p1.parquet" in result.stderr
    whole = parts.drop(index=range(300, 600))
    X, wanted = uapca.load("g.uapca"), uapca.from_groups(whole, by="g")
    np.testing.assert_allclose(X.mean, wanted.mean, rtol=1e-12)
    assert X.total_weight == 600
