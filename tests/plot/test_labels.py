"""Labels: told apart, apart from each other, inside the axes, and data whatever they hold."""

import io
import pickle
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Annotation, Text

import uapca
from uapca.plot.labels import distinct, drawable

HOSTILE = [
    "$x$",
    "$\\frac{",
    "</text><script>alert(1)</script>",
    "a\x00\x1b[31m\n\tb",
    "x" * 500,
    "שלום עולם",
    "\u202eabc",
    "&amp;",
    "_^%#\\",
    "\ud800",
]


def check_labels(ax):
    """No two labels overlap, and all lie in the axes."""
    ax.figure.canvas.draw()
    renderer = ax.figure.canvas.get_renderer()
    texts = [t for t in ax.texts if isinstance(t, Annotation) and t.get_visible() and t.get_text()]
    boxes = [Text.get_window_extent(text, renderer) for text in texts]
    frame = ax.get_window_extent(renderer)
    for i, box in enumerate(boxes):
        assert frame.x0 <= box.x0, texts[i].get_text()
        assert box.x1 <= frame.x1, texts[i].get_text()
        assert frame.y0 <= box.y0 + 0.1 * box.height, texts[i].get_text()
        assert box.y1 - 0.1 * box.height <= frame.y1, texts[i].get_text()
        for j, other in enumerate(boxes[:i]):
            wide = min(box.x1, other.x1) - max(box.x0, other.x0)
            high = min(box.y1, other.y1) - max(box.y0, other.y0)
            clear = wide <= 0 or high <= 0.15 * box.height
            assert clear, (texts[i].get_text(), texts[j].get_text())
    return texts


def projection(X, **options):
    return uapca.plot.projection(uapca.UAPCA(2).fit(X), X, **options)


@given(st.lists(st.text(max_size=60), unique=True, max_size=12), st.integers(12, 30))
def test_distinct_names_are_distinct_and_short(names, length):
    short = distinct(names, length)
    assert len(set(short)) == len(short)
    assert all(len(text) <= max(length, 12) for text in short)


def test_names_keep_what_differs():
    names = [f"Mean of the upper layer at station {i}, filtered" for i in range(30)]
    short = distinct(names, 20)
    assert all(f"{i}," in text for i, text in enumerate(short))
    regions = [f"Region of the {k} {p} basin" for k in ("lower", "upper") for p in ("Po", "Ob")]
    assert distinct(regions, 16) == [
        "Region…lower Po",
        "Region…lower Ob",
        "Region…upper Po",
        "Region…upper Ob",
    ]


def test_steering_characters_are_not_obeyed():
    assert drawable("a\x1b[2J\r\n\u2028b\u202e") == "a�[2J   b�"


@pytest.mark.parametrize("scale", [0.0, 1.0, np.inf])
def test_labels_of_bundled_data_are_apart(scale):
    X = uapca.datasets.load_iris_groups()
    pca = uapca.UAPCA(2).fit(X).rescale(scale)
    texts = check_labels(uapca.plot.projection(pca, X))
    assert [text.get_text() for text in texts] == list(X.names)
    assert len(check_labels(uapca.plot.biplot(pca, X))) == 7


@pytest.mark.parametrize("level", ["Family", "Genus", "Species"])
def test_labels_of_the_frogs_are_apart(anuran, level):
    points, labels = anuran
    X = uapca.from_groups(points, labels[level])
    pca = uapca.UAPCA(2).fit(X)
    assert len(check_labels(uapca.plot.projection(pca, X))) == len(X)
    check_labels(uapca.plot.biplot(pca, X))


def test_labels_are_placed_anew_for_another_size(rng):
    X = uapca.UncertainArray(rng.normal(size=(20, 2)), names=[f"number {i}" for i in range(20)])
    ax = projection(X)
    check_labels(ax)
    ax.figure.set_size_inches(7, 5)
    check_labels(ax)


def test_figures_can_be_pickled():
    X = uapca.datasets.load_iris_groups()
    ax = uapca.plot.biplot(uapca.UAPCA(2).fit(X), X)
    again = pickle.loads(pickle.dumps(ax.figure))
    assert len(check_labels(again.axes[0])) == 7


def test_names_without_room_are_numbered_in_the_legend():
    names = [f"a rather long and winding name {i}" for i in range(12)]
    X = uapca.UncertainArray(np.ones((12, 2)) + 1e-3 * np.arange(12)[:, None], std=1.0, names=names)
    ax = projection(X)
    shown = {text.get_text() for text in check_labels(ax)}
    key = [text.get_text() for text in ax.figure.legends[0].get_texts()]
    key = [text for text in key if text.startswith("[")]
    numbers = {text for text in shown if text.startswith("[")}
    assert {text.split()[0] for text in key} >= numbers
    assert len(shown) + len(key) - len(numbers) == 12


def test_crowded_long_names_of_arrows_are_all_numbered_with_whole_names_in_the_legend(rng):
    features = [
        f"{what} per inhabitant of the region, {year}"
        for what in ("Income", "Cars", "Beds")
        for year in (1990, 2000, 2010, 2020)
    ]
    X = uapca.UncertainArray(rng.normal(size=(30, 12)), std=0.3, features=features)
    ax = uapca.plot.biplot(uapca.UAPCA(2).fit(X), X)
    shown = {text.get_text() for text in check_labels(ax) if text.get_text().startswith("[")}
    assert shown == {f"[{k}]" for k in range(1, 13)}
    key = [text.get_text().replace("\n", " ") for text in ax.figure.legends[0].get_texts()]
    for name in features:
        assert any(text.endswith(name) for text in key), name


def test_of_many_names_only_those_with_room_are_written():
    rng = np.random.default_rng(3)
    std = rng.uniform(0.1, 0.4, (30, 2))
    std[[4, 17]] = [[4, 3], [3, 4]]
    names = [f"star{i:02d}" for i in range(30)]
    X = uapca.UncertainArray(rng.normal(0, [3, 1.5], (30, 2)), std=std, names=names)
    ax = projection(X)
    written = {text.get_text() for text in check_labels(ax)}
    assert {"star04", "star17"} < written
    assert 5 < len(written) < 30
    ax.figure.set_size_inches(12, 12)
    assert len(written) < len(check_labels(ax))


@pytest.mark.filterwarnings("ignore:Glyph .* missing from:UserWarning")
@pytest.mark.parametrize("components", [0, (0, 1)])
@pytest.mark.parametrize("grouped", [False, True])
def test_names_are_data(rng, components, grouped):
    features = ["$\\alpha", "<b>&"]
    mean = 3 * rng.normal(size=(len(HOSTILE), 2))
    X = uapca.UncertainArray(mean, std=0.5, names=None if grouped else HOSTILE, features=features)
    pca = uapca.UAPCA(2).fit(X)
    groups = HOSTILE if grouped else None
    ax = uapca.plot.projection(pca, X, components=components, groups=groups, title="$\\frac{")
    for kind in ("png", "svg", "pdf"):
        file = io.BytesIO()
        ax.figure.savefig(file, format=kind)
        assert len(file.getvalue()) > 1000
        if kind == "svg":
            root = ET.fromstring(file.getvalue())
            assert not [node for node in root.iter() if node.tag.endswith("script")]
    assert max(len(text.get_text()) for text in ax.texts or [Text(text="")]) <= 24
    uapca.plot.biplot(pca, X).figure.canvas.draw()


def test_names_stand_beside_outlines_where_there_is_room():
    x, y = np.meshgrid(10.0 * np.arange(4), 8.0 * np.arange(3))
    mean = np.column_stack([x.ravel(), y.ravel()])
    X = uapca.UncertainArray(mean, std=0.7, names=[f"row {i}" for i in range(12)])
    ax = projection(X)
    texts = check_labels(ax)
    assert len(texts) == 12
    renderer = ax.figure.canvas.get_renderer()
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    outlines = np.concatenate([patch.get_transform().transform(circle) for patch in ax.patches])
    for text in texts:
        box = Text.get_window_extent(text, renderer)
        assert not ((outlines > box.min + 1) & (outlines < box.max - 1)).all(axis=1).any()


def test_short_entries_of_a_legend_stand_side_by_side():
    rng = np.random.default_rng(0)
    features = [f"metabolite {i} (µmol/l)" for i in range(200)]
    X = uapca.UncertainArray(rng.normal(size=(15, 200)), std=0.5, features=features)
    figure = uapca.plot.loadings(uapca.UAPCA(2, solver="eigh").fit(X)).figure
    figure.canvas.draw()
    entries = [t for t in figure.legends[0].get_texts() if "metabolite" in t.get_text()]
    boxes = [entry.get_window_extent() for entry in entries]
    assert len({round(box.x0) for box in boxes}) == 2
    assert all("\n" not in entry.get_text() for entry in entries)
    assert all(box.x0 > 0 and box.x1 < figure.bbox.width for box in boxes)
