"""Labels: apart from each other, inside the figure, and data whatever they hold."""

import io
import pickle
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.text import Annotation, Text

import uapca

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
    texts = [text for text in ax.texts if isinstance(text, Annotation) and text.get_visible()]
    boxes = [Text.get_window_extent(text, renderer) for text in texts]
    frame = ax.get_window_extent(renderer)
    for i, box in enumerate(boxes):
        assert frame.x0 <= box.x0, texts[i].get_text()
        assert box.x1 <= frame.x1, texts[i].get_text()
        assert frame.y0 <= box.y0 + 0.1 * box.height, texts[i].get_text()
        assert box.y1 - 0.1 * box.height <= frame.y1, texts[i].get_text()
        for j, other in enumerate(boxes[:i]):
            # Boxes have room above and below the letters, which may touch.
            wide = min(box.x1, other.x1) - max(box.x0, other.x0)
            high = min(box.y1, other.y1) - max(box.y0, other.y0)
            apart = wide <= 0 or high <= 0.15 * box.height
            assert apart, (texts[i].get_text(), texts[j].get_text())
    return texts


@pytest.mark.parametrize("load", [uapca.datasets.load_students, uapca.datasets.load_iris_groups])
def test_labels_of_bundled_data_are_apart(load):
    X = load()
    pca = uapca.UAPCA(2).fit(X)
    for scale in (0.0, 1.0, np.inf):
        at = pca.rescale(scale)
        texts = check_labels(uapca.plot.projection(X, pca=at))
        assert [text.get_text() for text in texts] == list(X.names)
    check_labels(uapca.plot.biplot(X, pca))


@pytest.mark.parametrize("level", ["Family", "Genus", "Species"])
def test_labels_of_the_frogs_are_apart(anuran, level):
    points, labels = anuran
    X = uapca.from_groups(points, labels[level])
    pca = uapca.UAPCA(2).fit(X)
    assert len(check_labels(uapca.plot.projection(X, pca=pca))) == len(X)
    check_labels(uapca.plot.biplot(X, pca))


def test_labels_of_the_teaser_are_apart():
    X = uapca.datasets.make_teaser()
    pca = uapca.UAPCA().fit(X)
    for scale in (0.2, 0.5, 0.8, 1.0):
        check_labels(uapca.plot.distributions(X, pca.rescale(scale), scale=scale))
    check_labels(uapca.plot.projection(uapca.UAPCA(1).fit_transform(X), stacked=False))


def test_labels_are_placed_anew_for_another_size(rng):
    X = uapca.UncertainArray(rng.normal(size=(20, 2)), names=[f"number {i}" for i in range(20)])
    ax = uapca.plot.projection(X)
    check_labels(ax)
    ax.figure.set_size_inches(7, 5)
    check_labels(ax)


def test_figures_can_be_pickled():
    X = uapca.datasets.load_students()
    ax = uapca.plot.biplot(X, uapca.UAPCA(2).fit(X))
    again = pickle.loads(pickle.dumps(ax.figure))
    assert len(check_labels(again.axes[0])) == 10


def test_rows_in_one_place_keep_labels_apart():
    X = uapca.UncertainArray(np.ones((8, 2)), std=1.0, names=[f"row {i}" for i in range(8)])
    check_labels(uapca.plot.projection(X))


def test_far_labels_have_a_line_to_their_point():
    names = [f"a rather long name {i}" for i in range(12)]
    X = uapca.UncertainArray(np.ones((12, 2)), std=1.0, names=names)
    texts = check_labels(uapca.plot.projection(X))
    led = [text.arrow_patch.get_visible() for text in texts]
    assert any(led)
    assert not all(led)


@pytest.mark.filterwarnings("ignore:Glyph .* missing from:UserWarning")
@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("grouped", [False, True])
def test_names_are_data(rng, columns, grouped):
    features = ["$\\alpha", "<b>&"][:columns]
    mean = 3 * rng.normal(size=(len(HOSTILE), columns))
    X = uapca.UncertainArray(mean, std=0.5, names=None if grouped else HOSTILE, features=features)
    ax = uapca.plot.projection(X, groups=HOSTILE if grouped else None)
    for kind in ("png", "svg", "pdf"):
        file = io.BytesIO()
        ax.figure.savefig(file, format=kind)
        assert len(file.getvalue()) > 1000
        if kind == "svg":
            root = ET.fromstring(file.getvalue())
            assert not [node for node in root.iter() if node.tag.endswith("script")]
    ax.figure.canvas.draw()
    shown = [text.get_text() for text in ax.texts] if columns == 2 else []
    if shown and not grouped:
        assert shown[0] == "$x$"
        assert max(map(len, shown)) <= 24


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_text_can_be_read_on_its_background(style):
    from matplotlib import pyplot as plt
    from matplotlib.colors import to_rgb

    from uapca.views.mpl.ink import CONTRAST, readable
    from uapca.views.palette import OKABE_ITO

    def luminance(color):
        rgb = np.array(to_rgb(color))
        return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ (
            0.2126,
            0.7152,
            0.0722,
        )

    with plt.style.context(style):
        behind = plt.rcParams["axes.facecolor"]
        for color in OKABE_ITO:
            light, dark = sorted([luminance(readable(color, behind)), luminance(behind)])[::-1]
            assert (light + 0.05) / (dark + 0.05) >= CONTRAST


def test_of_many_names_only_those_with_room_are_written():
    rng = np.random.default_rng(3)
    std = rng.uniform(0.1, 0.4, (30, 2))
    std[[4, 17]] = [[4, 3], [3, 4]]
    names = [f"star{i:02d}" for i in range(30)]
    X = uapca.UncertainArray(rng.normal(0, [3, 1.5], (30, 2)), std=std, names=names)
    ax = uapca.plot.projection(X)
    texts = check_labels(ax)
    written = {text.get_text() for text in texts}
    assert {"star04", "star17"} < written
    assert 5 < len(written) < 30
    renderer = ax.figure.canvas.get_renderer()
    dots = ax.transData.transform(X.mean)
    for text in texts:
        box = Text.get_window_extent(text, renderer)
        inside = (dots > [box.x0, box.y0]).all(axis=1) & (dots < [box.x1, box.y1]).all(axis=1)
        assert not inside.any(), text.get_text()
        if text.get_text() not in ("star04", "star17"):
            assert not text.arrow_patch.get_visible()
    # A larger picture has room for more of them.
    ax.figure.set_size_inches(12, 12)
    assert written < {text.get_text() for text in check_labels(ax)}
    assert len(check_labels(uapca.plot.projection(X[:12], labels=True))) == 12
