"""Points in many files, and points without labels."""

import numpy as np
import pytest

import uapca
from uapca.cli import streams


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
    assert "points, read a chunk at a time" in result.stderr
    assert "points: 900; features: x, y" in result.stderr


def test_large_files_are_read_in_chunks(run, parts, folder, monkeypatch):
    whole = run("fit", "parts/p0.parquet", "--by", "g", "--json")
    assert "read as labelled points" in whole.stderr
    monkeypatch.setattr(streams, "_LARGE", 100)
    chunks = run("fit", "parts/p0.parquet", "--by", "g", "--json")
    assert "read a chunk at a time" in chunks.stderr
    import json

    a, b = json.loads(whole.stdout), json.loads(chunks.stdout)
    np.testing.assert_allclose(a["within"], b["within"], rtol=1e-12)
    np.testing.assert_allclose(a["components"], b["components"], rtol=1e-9)


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
        (
            ["parts", "--by", "G"],
            "there is no column 'G'; did you mean 'g'? There are x, y, g, text.",
        ),
        (["parts"], "say which column holds the labels: --by COLUMN, or --bins K."),
        (
            ["parts", "--by", "g", "--bins", "3"],
            "--by and --bins exclude each other. Leave one out.",
        ),
        (
            ["parts", "--bins", "x:3"],
            "--bins 'x:3' must be a number of clusters, or cells by feature such as x=20,y=25.",
        ),
        (
            ["-", "--bins", "3"],
            "--bins reads the points twice and needs a file, not standard input.",
        ),
        (
            ["parts", "--by", "g", "--names", "x"],
            "--names has no meaning for points in files. Leave it out.",
        ),
    ],
)
def test_complaints(fails, parts, folder, arguments, message):
    assert fails("aggregate", *arguments, "-o", "g.csv") == message
    assert not (folder / "g.csv").exists()


def test_a_damaged_file_is_named_and_nothing_is_written(fails, parts, folder):
    path = folder / "parts/p1.parquet"
    path.write_bytes(path.read_bytes()[:500])
    assert "p1.parquet" in fails("aggregate", "parts", "--by", "g", "-o", "g.uapca")
    assert not (folder / "g.uapca").exists()


def test_a_folder_needs_labels(fails, parts):
    assert fails("fit", "parts") == (
        "'parts' stands for points in several files: --by COLUMN says how they are labelled."
    )


def test_a_damaged_file_can_be_skipped(run, fails, parts, folder):
    (folder / "parts" / "p1.parquet").write_bytes(b"PAR1 nothing")
    result = run("aggregate", "parts", "--by", "g", "-o", "g.uapca", "-q")
    assert result.exit_code == 2
    assert result.stderr.endswith(
        "Write it again, or use --bad-files skip to go on without it.\n"
    ), result.stderr
    result = run("aggregate", "parts", "--by", "g", "-o", "g.uapca", "--bad-files", "skip")
    assert result.exit_code == 0, result.stderr
    assert "p1.parquet" in result.stderr
    whole = parts.drop(index=range(300, 600))
    X, wanted = uapca.load("g.uapca"), uapca.from_groups(whole, by="g")
    np.testing.assert_allclose(X.mean, wanted.mean, rtol=1e-12)
    assert X.total_weight == 600


@pytest.mark.parametrize("options", [["--by", "g"], ["--bins", "3"]])
def test_one_file_cannot_be_skipped(fails, parts, options):
    path = "parts/p0.parquet"
    message = fails("aggregate", path, *options, "-o", "g.uapca", "--bad-files", "skip")
    assert message == (
        f"--bad-files is for a folder or a pattern, and '{path}' is one file. Leave it out."
    )


def test_empty_values_in_files_can_only_be_left_out(fails, parts):
    message = fails("aggregate", "parts", "--by", "g", "-o", "g.uapca", "--missing", "column")
    assert message == "for points in files --missing can only be drop."
