"""Every plot of every kind of table: nothing is cut off, no two texts overlap, names stay apart.

PNG files are drawn at a low resolution, SVG and PDF pages at the size of the figure.
"""

import io
import os
import warnings
from functools import cache

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.text import Text
from scipy import stats

import uapca
from uapca.laws import Independent, Mixture, Normal

LONG = [
    f"Administrative region of the {kind} {place} river basin, {part} district"
    for kind in ("greater", "lower")
    for place in ("Amazon", "Danube", "Mekong", "Ob", "Po")
    for part in ("north", "south", "east", "west")
]
INDICATORS = [
    f"{what} per {unit} inhabitants, {year}"
    for what in ("Gross regional product", "Hospital beds", "Registered passenger cars")
    for unit in ("thousand", "million")
    for year in (2010, 2020)
]


def rows_of(laws, **names):
    mean, cov = np.stack([law.mean for law in laws]), np.stack([law.cov for law in laws])
    return uapca.UncertainArray(mean, cov, laws=laws, **names)


def spread(n, d):
    rng = np.random.default_rng(n + d)  # the same whichever tests run
    return rng.normal(size=(n, d)) @ np.diag(np.linspace(4, 1, d)) + rng.normal(size=d)


def two_modes():
    def row(at):
        ends = [Normal(np.add(at, 6 * s * np.eye(3)[0]), 0.5 * np.eye(3)) for s in (-1, 1)]
        return Mixture([0.4, 0.6], ends)

    laws = [row(at) for at in ([0, 0, 0], [1, 9, 2], [0, -9, 1])]
    return rows_of([*laws, Normal([0.0, 4.0, 1.0], np.eye(3))], names=["a", "b", "c", "d"])


def heavy_tails():
    laws = [
        Independent([stats.t(3.5, loc=8 * i), stats.lognorm(0.8, loc=5 * (i % 2)), stats.norm(i)])
        for i in range(3)
    ]
    return rows_of(laws, names=["first", "second", "third"])


TABLES = {
    "students": uapca.datasets.load_students,
    "iris": uapca.datasets.load_iris_groups,
    "12 groups": lambda: uapca.UncertainArray(
        spread(36, 4), std=0.4, names=[f"row {i}" for i in range(36)]
    ),
    "40 x 12 long names": lambda: uapca.UncertainArray(
        spread(40, 12), std=0.5, names=LONG, features=INDICATORS
    ),
    "300 rows": lambda: uapca.UncertainArray(
        spread(300, 5),
        std=np.random.default_rng(11).gamma(2, 0.3, (300, 5)),
        names=[f"star {i}" for i in range(300)],
    ),
    "200 features": lambda: uapca.UncertainArray(
        spread(15, 200), std=0.5, features=[f"metabolite {i} (µmol/l)" for i in range(200)]
    ),
    "two modes": two_modes,
    "heavy tails": heavy_tails,
    "one row": lambda: uapca.UncertainArray([[1.0, 2.0, 3.0]], std=[[1.0, 2.0, 0.5]]),
    "one feature": lambda: uapca.UncertainArray(spread(6, 1), std=0.5, features=["mass [kg]"]),
}


@cache
def given(table):
    X = TABLES[table]()
    return X, uapca.UAPCA(min(4, X.shape[1]), solver="eigh").fit(X)


def groups(table, n):
    return [f"g{i % 12}" for i in range(n)] if table == "12 groups" else None


def draw(name, table):
    X, pca = given(table)
    plot, n = uapca.plot, len(X)
    by = groups(table, n)
    calls = {
        "projection": lambda: plot.projection(pca, X, groups=by),
        "projection of one": lambda: plot.projection(pca, X, components=0, groups=by),
        "biplot": lambda: plot.biplot(pca, X, groups=by),
        "matrix": lambda: plot.matrix(pca, X, components=range(min(3, X.shape[1])), groups=by),
        "compare": lambda: plot.compare(pca.rescale(0), pca, X, groups=by),
        "cos2": lambda: plot.cos2(pca, X),
        "contributions": lambda: plot.contributions(pca),
        "loadings": lambda: plot.loadings(pca, X if n > 1 else None),
        "scree": lambda: plot.scree(pca, X if n > 1 else None),
        "components": lambda: plot.components(pca, X),
        "factor_traces": lambda: plot.factor_traces(pca),
        "eigenvalues": lambda: plot.eigenvalues(pca),
        "progression": lambda: plot.progression(pca, X),
        "distributions": lambda: plot.distributions(None, X[:, :2]),
        "shepard": lambda: plot.shepard(pca, X),
        "metadata": lambda: plot.metadata(pca, X, {LONG[0]: np.arange(n), LONG[1]: ["a"] * n}),
        "simulation": lambda: plot.simulation(uapca.simulate(X, 60, min(2, X.shape[1]), rng=0), X),
        "component_count": lambda: plot.component_count(uapca.component_count(X, n_draws=40)),
    }
    return calls[name]()


PLOTS = [
    "projection",
    "projection of one",
    "biplot",
    "matrix",
    "compare",
    "cos2",
    "contributions",
    "loadings",
    "scree",
    "components",
    "factor_traces",
    "eigenvalues",
    "progression",
    "distributions",
    "shepard",
    "metadata",
    "simulation",
    "component_count",
]
PLANES = {"biplot", "matrix", "compare", "loadings", "factor_traces", "eigenvalues", "progression"}
NOT_OF = {
    "one feature": PLANES | {"simulation"},
    "one row": {"shepard", "simulation", "metadata", "components", "component_count"},
}
CASES = [
    (plot, table) for table in TABLES for plot in PLOTS if plot not in NOT_OF.get(table, set())
]


def figure_of(drawn):
    return drawn if hasattr(drawn, "savefig") else drawn.figure


def texts_of(figure):
    """All texts that are seen, with their boxes."""
    renderer = figure.canvas.get_renderer()
    found = []
    for text in figure.findobj(Text):
        if not text.get_visible() or not text.get_text().strip():
            continue
        ax = text.axes
        if ax is not None and not ax.get_visible():
            continue
        found.append((text, Text.get_window_extent(text, renderer)))
    ticks = set()
    for ax in figure.axes:
        for axis, ends in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
            shown = ax.axison and axis.get_visible()
            low, high = sorted(ends)
            slack = 1e-9 * (high - low)
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                seen = shown and low - slack <= tick.get_loc() <= high + slack
                for label in (tick.label1, tick.label2):
                    if not (seen and label.get_visible() and tick.get_visible()):
                        ticks.add(label)
            if not shown:
                ticks |= {axis.label, axis.get_offset_text()}
    return [(text, box) for text, box in found if text not in ticks]


def check(figure):
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3]
    paper = np.round(255 * np.array(to_rgb(figure.get_facecolor()))).astype(int)
    rim = (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1])
    assert all((side == paper).all() for side in rim), "ink at the edge"
    texts = texts_of(figure)
    for i, (text, box) in enumerate(texts):
        for other, second in texts[:i]:
            wide = min(box.x1, second.x1) - max(box.x0, second.x0)
            high = min(box.y1, second.y1) - max(box.y0, second.y0)
            # Boxes have room above and below the letters, which may touch.
            apart = wide <= 1 or high <= 0.2 * min(box.height, second.height)
            assert apart, (text.get_text(), other.get_text())
    for ax in figure.axes:
        names = [text for text, _ in texts if text.axes is ax and "name:" in (text.get_gid() or "")]
        sides = [text for text in ax.get_yticklabels() if text.get_text()]
        for words in (names, sides):
            assert len({text.get_text() for text in words}) == len(words)


def check_pages(figure):
    """SVG and PDF files hold everything too."""
    for suffix in ("svg", "pdf"):
        file = io.BytesIO()
        figure.savefig(file, format=suffix)
        assert len(file.getvalue()) > 2000
        taken, pixel = figure.get_tightbbox(), 1 / 72
        assert (taken.min >= -pixel).all(), taken
        assert (taken.max <= figure.get_size_inches() + pixel).all(), taken


@pytest.mark.parametrize(("name", "table"), CASES)
def test_nothing_is_cut_off_and_no_texts_overlap(name, table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uapca.SeparationWarning)
        figure = figure_of(draw(name, table))
    figure.set_dpi(72)
    check(figure)
    # Long names are the hardest case; continuous integration writes pages of all tables.
    if os.environ.get("CI") or (table == "40 x 12 long names" and name != "matrix"):
        check_pages(figure)


@pytest.mark.parametrize(
    "style",
    ["default", "dark_background", "ggplot", "bmh", "fivethirtyeight", "seaborn-v0_8-talk"],
)
def test_given_axes_in_any_style(style):
    X, pca = given("40 x 12 long names")
    students, fit = given("students")
    with plt.style.context(style):
        figure, axes = plt.subplots(2, 2, figsize=(11, 9))
        uapca.plot.projection(pca, X, ax=axes[0, 0])
        uapca.plot.contributions(pca, ax=axes[0, 1])
        uapca.plot.loadings(pca, ax=axes[1, 0])
        uapca.plot.scree(pca, X, ax=axes[1, 1])
        check(figure)
        figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharex=True, sharey=True)
        uapca.plot.projection(fit, students, ax=axes[0])
        uapca.plot.projection(fit.rescale(0), students, ax=axes[1], legend=False)
        check(figure)


def test_axes_of_subfigures():
    X, pca = given("students")
    figure = plt.figure(figsize=(9, 4))
    left, right = (part.subplots() for part in figure.subfigures(1, 2))
    uapca.plot.projection(pca, X, ax=left)
    uapca.plot.scree(pca, X, ax=right)
    check(figure)


@pytest.mark.parametrize("plot", ["projection", "factor_traces", "contributions", "cos2"])
@pytest.mark.parametrize("style", ["default", "ggplot"])
def test_given_axes_one_column_wide(plot, style):
    X, pca = given("40 x 12 long names" if plot == "contributions" else "students")
    with plt.style.context(style):
        figure, ax = plt.subplots(figsize=(3.5, 3.2))
        data = () if plot in ("factor_traces", "contributions") else (X,)
        getattr(uapca.plot, plot)(pca, *data, ax=ax)
        check(figure)
