"""What README and docs show is true: code runs as it stands, links lead somewhere."""

import importlib
import inspect
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import uapca
from builders import JAVA, program
from uapca.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("tutorials/*.md"))]
# The Python blocks of a page build on each other and on the names below.
RUN = [path for path in PAGES if "```python" in path.read_text(encoding="utf-8")]
# The tutorial has a million points in each file, and fewer do; addresses of clusters are local.
HERE = {"1_000_000": "2_000", "s3://bucket/points/": "there", "hdfs:///points/": "there"}


def blocks(text, language="python"):
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def page(name):
    return next(path for path in PAGES if path.name == name).read_text(encoding="utf-8")


@pytest.fixture
def surroundings(tmp_path, monkeypatch, rng):
    """What the examples take for granted: data of the reader's own, a folder to write into."""
    import dask.array as da
    import dask.dataframe as dd
    import pandas as pd

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f'--driver-java-options "{JAVA}" pyspark-shell')
    points = rng.normal(size=(40, 3))
    frame = pd.DataFrame(points, columns=["x", "y", "z"])
    frame["species"] = np.resize(["a", "b"], 40)
    (tmp_path / "calls").mkdir()
    frame.to_parquet(tmp_path / "calls" / "one.parquet")
    (tmp_path / "there").mkdir()
    frame.rename(columns={"species": "kind"}).assign(year=2020).to_parquet(
        tmp_path / "there" / "one.parquet"
    )
    da.to_npy_stack(tmp_path / "stack", da.from_array(points, chunks=(10, 3)))
    (tmp_path / "night").mkdir()
    bands = pd.DataFrame(points, columns=["u", "g", "r"])
    bands.assign(field=frame["species"], filter=1).to_parquet(tmp_path / "night" / "a.parquet")
    (tmp_path / "stars.csv").write_text("star,x,x_err,y\nHD 1,1.5,0.1,2\nHD 2,2.5,0.2,4\n")
    students = uapca.datasets.load_students()
    return {
        "points": points,
        "errors": np.full((40, 3), 0.1),
        "w": np.ones(40),
        "labels": frame["species"],
        "more_points": points,
        "more_labels": frame["species"],
        "acquisition": [frame.rename(columns={"species": "detector"})],
        "Y": uapca.UAPCA(2).fit_transform(students),
        "xs": np.linspace(-10.0, 10.0, 5),
        "ys": np.linspace(-10.0, 10.0, 5),
        "other": uapca.UAPCA(2).fit(points),
        "X2": uapca.datasets.make_teaser(),
        "dask_or_spark_frame": dd.from_pandas(frame, npartitions=2),
    }


@pytest.mark.filterwarnings("ignore::uapca.SeparationWarning")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.parametrize("path", RUN, ids=lambda path: path.name)
def test_python_blocks_run_as_they_stand(path, surroundings):
    import matplotlib as mpl

    mpl.use("agg")
    text = path.read_text(encoding="utf-8")
    for there, here in HERE.items():
        # Java keeps the folder it was started in, perhaps by an earlier test: paths are absolute.
        text = text.replace(there, str(Path(here).resolve()) if here == "there" else here)
    code = blocks(text)
    assert code
    if "pyspark" in text:
        program("java")
    names = dict(surroundings)
    for block in code:
        exec(compile(block, path.name, "exec"), names)
    from matplotlib import pyplot as plt

    plt.close("all")
    if "spark" in names:
        names["spark"].stop()
    if path.parent.name == "tutorials":
        run_in_a_shell(text)


def run_in_a_shell(text):
    """The commands of a tutorial, with the files that it shows and that its code has written."""
    for block in blocks(text, "toml"):
        Path("words.toml").write_text(block, encoding="utf-8")
    for line in "".join(blocks(text, "sh")).splitlines():
        if not (words := shlex.split(line, comments=True)):
            continue
        program, *arguments = words
        assert program == "uapca"
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, (line, result.stderr)


def test_plots_listed_are_all_there_are():
    listed = set(
        re.findall(r"`plot\.(\w+)\(|, `plot\.(\w+)\(|; `plot\.(\w+)\(", page("pictures.md"))
    )
    assert {name for found in listed for name in found if name} == set(uapca.plot.__all__)


def resolved(name):
    """The object of a dotted name."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def test_the_reference_has_every_public_name_with_an_example():
    text = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    listed = {name: resolved(name) for name in re.findall(r"^   (uapca\.[\w.]+)$", text, re.M)}
    found = {id(value) for value in listed.values()}
    inside = {"__version__", "sample_rows"}
    for module in (uapca, uapca.plot, uapca.datasets, uapca.laws, uapca.exceptions):
        for name in set(module.__all__) - inside:
            value = getattr(module, name)
            assert inspect.ismodule(value) or id(value) in found, f"{module.__name__}.{name}"
    for name, value in listed.items():
        if callable(value):
            documented = inspect.getdoc(value)
            assert "Examples\n---" in documented, name
            assert "See Also\n---" in documented, name


def test_the_gallery_shows_every_plot_and_every_kind_of_input():
    examples = sorted(DOCS.glob("gallery/*/plot_*.py"))
    assert len(examples) >= 25
    code = "".join(path.read_text(encoding="utf-8") for path in examples)
    readers = [name for name in uapca.__all__ if name.startswith("from_")]
    for name in (*readers, "read", "Aggregator", "UncertainArray"):
        assert f"uapca.{name}(" in code, name
    for name in uapca.plot.__all__:
        assert f"plot.{name}(" in code, name


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_names_in_the_text_exist(path):
    for name in set(re.findall(r"`(uapca\.[\w.]*\w)", path.read_text(encoding="utf-8"))):
        found = uapca
        for part in name.split(".")[1:]:
            if inspect.ismodule(found) and not hasattr(found, part):
                found = importlib.import_module(f"{found.__name__}.{part}")
            else:
                found = getattr(found, part)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8")):
        if "://" not in target and not target.startswith("auto_gallery"):  # made by the build
            assert (path.parent / target).exists(), target
