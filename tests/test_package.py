"""The house itself: what an import loads, which way imports point, what is public."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import uapca

SOURCE = Path(uapca.__file__).parent

# Each layer may import only from those before it; those in one line do not know each other.
LAYERS = [
    {"_names", "_version", "exceptions"},
    {"_validation", "_files"},
    {"_progress"},
    {"laws"},
    {"_looks"},
    {"uncertain"},
    {"aggregate"},
    {"inputs", "decomposition"},
    {"posterior", "sensitivity", "stability", "compare"},
    {"datasets"},
    {"plot"},
    {"figures", "explorer"},
    {"cli"},
    {"__main__"},
]
MAY_ALSO = {
    ("decomposition", "posterior"),  # n_components="auto", when it is asked for
    ("uncertain", "aggregate"),  # pooled rows are summed by the accumulator, imported when called
    ("stability", "compare"),  # the sampling experiment measures distances
}


def layer_of(name):
    return next(i for i, names in enumerate(LAYERS) if name in names)


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("uapca"):
            parts = (node.module or "").split(".")
            yield from [parts[1]] if len(parts) > 1 else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("uapca."):
                    yield alias.name.split(".")[1]


def test_imports_point_one_way():
    for path in SOURCE.rglob("*.py"):
        own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        for other in imports_of(path):
            if other == own or (own, other) in MAY_ALSO:
                continue
            assert layer_of(other) < layer_of(own), f"{path.name} in {own} imports {other}"


def test_import_loads_nothing_heavy():
    heavy = (
        "matplotlib",
        "pandas",
        "polars",
        "pyarrow",
        "dask",
        "pyspark",
        "xarray",
        "arviz",
        "astropy",
        "scipy.stats",
        "tqdm",
    )
    # What scikit-learn itself loads (pandas, in some versions, where it is installed) is its own.
    code = (
        "import sys, numpy, scipy.linalg, sklearn.base, sklearn.utils.validation\n"
        "before = set(sys.modules)\nimport uapca\nuapca.UAPCA, uapca.UncertainArray, uapca.laws\n"
        f"print([m for m in {heavy!r} if m in set(sys.modules) - before])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_are_there_and_documented():
    for name in uapca.__all__:
        thing = getattr(uapca, name)
        if not name.startswith("__"):
            assert thing.__doc__, name


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("load_studnets", "; did you mean 'uapca.datasets.load_students'?"),
        ("from_fram", "; did you mean 'uapca.from_frame'?"),
        ("read_csv", "; did you mean 'uapca.read'?"),
        ("from_csv", "; did you mean 'uapca.read'?"),
        ("from_pandas", "; did you mean 'uapca.from_frame'?"),
        ("from_arviz", "; did you mean 'uapca.from_draws'?"),
        ("zzzzzz", ""),
        ("__wrapped__", ""),
    ],
)
def test_names_that_are_not_there(name, meant):
    with pytest.raises(AttributeError) as error:
        getattr(uapca, name)
    assert str(error.value) == f"module 'uapca' has no attribute {name!r}{meant}"


def test_type_hints_can_be_looked_up():
    """In a fresh interpreter: what is imported only when used must not be missing from them."""
    code = (
        "import inspect, typing, uapca\n"
        "for name in uapca.__all__:\n"
        "    value = getattr(uapca, name)\n"
        "    members = inspect.getmembers(value) if inspect.isclass(value) else [(name, value)]\n"
        "    for _, member in members:\n"
        "        member = getattr(member, 'fget', member)\n"
        "        if inspect.isfunction(member):\n"
        "            typing.get_type_hints(member)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_version_is_a_string():
    assert uapca.__version__.count(".") >= 2


def test_typed():
    assert (SOURCE / "py.typed").exists()
