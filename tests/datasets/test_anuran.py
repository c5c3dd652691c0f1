"""The frog calls: content, cache, and what is said offline."""

import os
from io import BytesIO
from pathlib import Path
from urllib.error import URLError
from zipfile import ZipFile

import numpy as np
import pytest

import uapca
from uapca.datasets import anuran, fetch_anuran

SHARED = Path(__file__).parents[3] / "shared" / "data"
FOLDERS = [Path(os.environ["UAPCA_DATA"])] if "UAPCA_DATA" in os.environ else [SHARED]


@pytest.fixture
def content():
    for folder in FOLDERS:
        if (folder / anuran.FILE).is_file():
            return (folder / anuran.FILE).read_bytes()
    pytest.skip(f"no {anuran.FILE}: set UAPCA_DATA to the folder that holds it")


@pytest.fixture
def kept(tmp_path, monkeypatch, content):
    monkeypatch.setenv("UAPCA_DATA", str(tmp_path))
    (tmp_path / anuran.FILE).write_bytes(content)
    monkeypatch.setattr(anuran, "urlopen", _offline)
    return tmp_path / anuran.FILE


def _offline(*args, **options):
    raise URLError("no network")


def test_families_genera_species(kept):
    X = fetch_anuran()
    assert X.names == ("Bufonidae", "Dendrobatidae", "Hylidae", "Leptodactylidae")
    counts = np.round(X.weights * X.total_weight).tolist()
    assert counts == [68, 542, 2165, 4420]
    assert fetch_anuran("genus").shape == (8, 22)
    assert fetch_anuran(by="species").shape == (10, 22)


def test_groups_have_the_covariance_of_the_points(kept):
    calls = fetch_anuran("genus", as_points=True)
    expected = np.cov(calls.points.T, ddof=0)
    for by in ("family", "species"):
        cov = uapca.UAPCA(scale=1).fit(fetch_anuran(by)).get_covariance()
        np.testing.assert_allclose(cov, expected, atol=1e-12 * np.abs(expected).max())
    assert len(set(calls.labels)) == 8
    assert calls.features[0] == "MFCCs_1"


def test_formatting_does_not_matter(kept, content):
    lines = content.decode().replace("MFCCs_ ", "MFCCs_").replace(",", " ; ").splitlines()
    kept.write_text("\r\n".join(lines), encoding="utf-8-sig")
    assert fetch_anuran().shape == (4, 22)


def test_other_content_is_refused(kept, content):
    def refused():
        with pytest.raises(ValueError) as error:
            fetch_anuran()
        return str(error.value)

    said = (
        "anuran_calls.csv must hold the 7195 anuran calls of the UCI repository (id 406); "
        f"{kept} does not: {{}} "
        f"(remove the file to have it downloaded again from {anuran.URL})"
    )
    lines = content.decode().splitlines(keepends=True)
    kept.write_text("".join(lines[:-1]))
    assert refused() == said.format("it has 7194 rows, not 7195")
    kept.write_text("".join([lines[0], lines[1].replace("0.1529", "0.2529"), *lines[2:]]))
    assert refused() == said.format("its values differ")
    kept.write_text("".join([lines[0], lines[1].replace("Leptodactylidae", "Hylidae"), *lines[2:]]))
    assert refused() == said.format("its families, genera or species differ")
    kept.write_text("".join(lines).replace("Genus", "Kind"))
    assert refused() == said.format("it has no column 'Genus'")


def test_download_is_kept(tmp_path, monkeypatch, content):
    folder = tmp_path / "made" / "when needed"
    monkeypatch.setenv("UAPCA_DATA", str(folder))
    archive = BytesIO()
    with ZipFile(archive, "w") as file:
        file.writestr("Readme.txt", "calls")
        file.writestr("Frogs_MFCCs.csv", content)
    asked = []

    def opened(url, timeout):
        asked.append(url)
        return BytesIO(archive.getvalue())

    monkeypatch.setattr(anuran, "urlopen", opened)
    assert fetch_anuran().shape == (4, 22)
    assert fetch_anuran().shape == (4, 22)
    assert asked == [anuran.URL]
    assert [path.name for path in folder.iterdir()] == [anuran.FILE]


def test_a_bad_download_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("UAPCA_DATA", str(tmp_path))
    archive = BytesIO()
    with ZipFile(archive, "w") as file:
        file.writestr("Frogs_MFCCs.csv", "a,b\n1,2\n")
    monkeypatch.setattr(anuran, "urlopen", lambda *a, **k: BytesIO(archive.getvalue()))
    with pytest.raises(ValueError, match="it has no column 'MFCCs_1'"):
        fetch_anuran()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("answer", ["offline", "no archive", "empty archive"])
def test_offline_says_where_to_put_the_file(tmp_path, monkeypatch, answer):
    monkeypatch.setenv("UAPCA_DATA", str(tmp_path))
    empty = BytesIO()
    ZipFile(empty, "w").close()
    bodies = {"no archive": b"<html>", "empty archive": empty.getvalue()}
    opener = _offline if answer == "offline" else lambda *a, **k: BytesIO(bodies[answer])
    monkeypatch.setattr(anuran, "urlopen", opener)
    with pytest.raises(ConnectionError) as error:
        fetch_anuran()
    reason = {
        "offline": "<urlopen error no network>",
        "no archive": "File is not a zip file",
        "empty archive": "the archive holds no CSV file",
    }[answer]
    assert str(error.value) == (
        f"the anuran calls could not be downloaded from {anuran.URL} ({reason}). "
        "Download the archive there by other means and put its CSV file at "
        f"{str(tmp_path / anuran.FILE)!r}, or set the environment variable UAPCA_DATA to a folder "
        "that holds it as 'anuran_calls.csv'."
    )


def test_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("UAPCA_DATA", str(tmp_path))
    assert anuran.data_folder() == tmp_path
    monkeypatch.delenv("UAPCA_DATA")
    assert anuran.data_folder() == Path.home() / ".cache" / "uapca"


def test_by():
    with pytest.raises(ValueError) as error:
        fetch_anuran("order")
    assert str(error.value) == ("by must be 'family', 'genus' or 'species'; got 'order'")


def test_the_folder_may_be_given_from_home(monkeypatch, tmp_path):
    from uapca.datasets.anuran import data_folder

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("UAPCA_DATA", "~/frogs")
    assert data_folder() == tmp_path / "frogs"
