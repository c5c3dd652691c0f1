"""Colors, dashes and shapes of the page are those of the plots."""

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex

import uapca
from uapca._looks import DASHES, OKABE_ITO, SHAPES, looks, row_looks
from uapca.laws import Mixture, Normal

CORNERS = {
    "circle": 16,
    "square": 4,
    "triangle": 3,
    "diamond": 4,
    "down": 3,
    "cross": 12,
    "plus": 12,
}


def test_groups_look_as_in_the_plots(opened):
    rng = np.random.default_rng(0)
    count = len(DASHES) * 8
    X = uapca.UncertainArray(rng.normal(size=(count, 3)), std=0.2)
    groups = [f"g{i:02d}" for i in range(count)]
    page = opened(X, "Groups", groups=groups)
    drawn = page.page.locator(".uapca-row").evaluate_all(
        """(all) => all.map((row) => {
          const part = (name) => row.querySelector('.uapca-' + name);
          const [region, mean] = [part('region'), part('mean')];
          return [region.getAttribute('stroke'), region.getAttribute('stroke-dasharray') || '',
            mean.getAttribute('d')];
        })"""
    )
    wanted = looks(count)
    assert [color for color, _, _ in drawn] == [look.color.lower() for look in wanted]
    dashes = {look.dash: dash for look, (_, dash, _) in zip(wanted, drawn, strict=True)}
    assert dashes["solid"] == ""
    assert [dashes[look.dash] for look in wanted] == [dash for _, dash, _ in drawn]
    assert len(set(dashes.values())) == len(DASHES)
    shapes = {look.shape: shape for look, (_, _, shape) in zip(wanted, drawn, strict=True)}
    assert [shapes[look.shape] for look in wanted] == [shape for _, _, shape in drawn]
    assert len(set(shapes.values())) == len(SHAPES)
    assert {name: path.count("L") + 1 for name, path in shapes.items()} == CORNERS


@pytest.mark.parametrize(
    "palette", [["#aa0000", "teal", "C1"], {"b": "purple", "c": "#123456", "n3": "olive"}]
)
@pytest.mark.parametrize("groups", [None, ["a", "b", "c", "d", None, "b"]])
def test_a_palette_is_that_of_the_plots(opened, palette, groups):
    rng = np.random.default_rng(0)
    names = [f"n{i}" for i in range(6)]
    X = uapca.UncertainArray(rng.normal(size=(6, 3)), std=0.2, names=names)
    page = opened(X, "Palette", groups=groups, palette=palette)
    drawn = page.page.locator(".uapca-row").evaluate_all(
        """(all) => all.map(({ children: [region] }) =>
          [region.getAttribute('stroke'), region.getAttribute('stroke-dasharray') || ''])"""
    )
    wanted = row_looks(names, 6, groups, palette).looks
    assert [color.upper() for color, _ in drawn[:4]] == [look.color for look in wanted[:4]]
    assert [bool(dash) for _, dash in drawn] == [look.dash != "solid" for look in wanted]
    if groups:
        assert drawn[1] == drawn[5]
        page.named("checkbox", "Groups").check()
        page.settle()
        around = page.page.locator(".uapca-groups path")
        strokes = around.evaluate_all("(all) => all.map((path) => path.getAttribute('stroke'))")
        assert strokes == [color for color, _ in drawn[:4]]


def test_groups_have_the_ellipses_of_the_plots(opened):
    rng = np.random.default_rng(1)
    weights = rng.uniform(1, 3, 12)
    X = uapca.UncertainArray(rng.normal(size=(12, 3)), std=rng.uniform(0.1, 0.5, (12, 3)))
    X = X.reweighted(weights)
    groups = [None, *"aabbbccccdd"]
    page = opened(X, "Groups", groups=groups)
    drawn = page.page.locator(".uapca-groups path")
    assert drawn.count() == 0
    page.named("checkbox", "Groups").check()
    page.settle()
    page.page.wait_for_function("() => location.hash === '#groups=1'")
    note = page.page.locator(".uapca-key .uapca-note").inner_text()
    assert "Thick ellipse: 95 % of the group, if normal." in note

    def compare():
        pca = uapca.UAPCA(2, scale=page.scale).fit(X)
        rows = pca.transform(X)
        signs = np.sign((page.numbers("means").reshape(-1, 2) * rows.mean).sum(axis=0))
        marks = page.page.locator(".uapca-mean").evaluate_all(
            "(all) => all.map((m) => m.getAttribute('transform').match(/[-.\\d]+/g).map(Number))"
        )
        at, scale = np.array(marks)[:, 0], np.ptp(np.array(marks)[:, 0]) / np.ptp(rows.mean[:, 0])
        ax = uapca.plot.projection(pca, X, groups=groups, ellipses="mixture")
        wanted = [p for p in ax.patches if str(p.get_gid()).startswith("group:")]
        paths = drawn.evaluate_all(
            "(all) => all.map((p) => [p.getAttribute('d'), p.getAttribute('stroke')])"
        )
        assert len(wanted) == len(paths) == 4
        for patch, (path, color) in zip(wanted, paths, strict=True):
            numbers = [float(text) for text in re.findall(r"-?[\d.]+", path)]
            center, sides = (numbers[0] + numbers[7]) / 2, sorted(numbers[2:4])
            assert np.isclose(
                (center - at[0]) / scale,
                signs[0] * (patch.center[0] - rows.mean[0, 0]),
                atol=0.05 / scale,
            )
            half = sorted([patch.width * scale / 2, patch.height * scale / 2])
            np.testing.assert_allclose(sides, half, atol=0.05)
            assert to_hex(patch.get_edgecolor()) == color

    compare()
    page.page.get_by_label("Scale s as a number").fill("0")
    page.page.keyboard.press("Enter")
    page.settle()
    compare()


def test_the_widest_of_many_rows_look_as_in_the_plots(opened):
    rng = np.random.default_rng(4)
    for n in (40, 250):
        std = rng.gamma(4.0, 0.05, (n, 3))
        std[[3, 20, 11]] *= [[9], [6], [12]]
        names = [f"star {i}" for i in range(n)]
        X = uapca.UncertainArray(rng.normal(size=(n, 3)), std=std, names=names)
        rows = uapca.UAPCA(2).fit(X).transform(X)
        spreads = np.sqrt(np.trace(rows.cov.dense(), axis1=1, axis2=2))
        wanted = row_looks(names, n, spreads=spreads)
        page = opened(X, f"{n} stars")
        for i, row in enumerate(wanted.wide):
            mark = page.page.locator(f'.uapca-row[data-row="{row}"] .uapca-region')
            assert mark.get_attribute("stroke") == wanted.looks[row].color.lower()
            entry = page.page.locator(".uapca-legend li").nth(i).inner_text()
            times = f"{spreads[row] / np.median(spreads):.2g}"
            assert entry == f"star {row}: {times} × median width"
        assert wanted.wide[:3] == (11, 3, 20)
        assert page.page.locator(".uapca-legend li").count() == len(wanted.wide)
        labels = page.page.locator(".uapca-projection .uapca-label").all_text_contents()
        assert "star 11" in labels


def test_modes_of_one_row_are_joined_as_in_the_plots(opened):
    ends = [Normal([6.0 * side, side, 0.0], 0.5 * np.eye(3)) for side in (-1, 1)]
    laws = [Mixture([0.4, 0.6], ends), Normal([0.0, 9.0, 1.0], np.eye(3))]
    X = uapca.from_distributions([*laws, Normal([1.0, -9.0, 2.0], np.eye(3))])
    ax = uapca.plot.projection(uapca.UAPCA(2).fit(X), X)
    (line,) = [line for line in ax.lines if line.get_gid() == "modes"]
    page = opened(X, "Two modes")
    (path,) = [
        d
        for d in page.page.locator(".uapca-modes").evaluate_all(
            "(all) => all.map((node) => node.getAttribute('d'))"
        )
        if d
    ]
    x, y = np.array(re.findall(r"-?[\d.]+", path), dtype=float).reshape(2, 2).T
    a, b = line.get_xydata()
    assert np.hypot(*np.ptp([x, y], axis=1)) > 100
    direction = np.abs(np.array([np.ptp(x), np.ptp(y)])) / np.hypot(np.ptp(x), np.ptp(y))
    np.testing.assert_allclose(direction, np.abs(a - b) / np.linalg.norm(a - b), atol=0.01)
    note = page.page.locator(".uapca-key .uapca-note").inner_text()
    assert "joins the modes of one row" in note
    page.named("checkbox", "Densities").uncheck()
    page.settle()
    assert page.page.locator(".uapca-modes[d]").count() == 0
    assert "modes" not in page.page.locator(".uapca-key .uapca-note").inner_text()


def test_colors_of_data_stand_in_one_place():
    package = Path(uapca.__file__).parent
    plots = [*package.glob("plot/*.py"), *package.glob("explorer/*.py")]
    # Black and white are those of text and paper.
    written = {c for path in plots for c in re.findall("#[0-9A-Fa-f]{6}", path.read_text())}
    assert written <= {"#000000", "#FFFFFF"}
    folder = Path(__file__).parents[3] / "explorer" / "src"
    found = {
        path.name for path in folder.rglob("*.ts") if re.search("#[0-9a-f]{6}", path.read_text())
    }
    assert found == {"palette.ts"}
    sheet = (folder / "page.css").read_text()
    assert not [color for color in OKABE_ITO if color.lower() in sheet]


def test_the_same_traces_are_named_as_in_the_plots(opened):
    rng = np.random.default_rng(215)
    X = uapca.UncertainArray(rng.normal(size=(12, 70)) * np.linspace(4, 1, 70), std=0.5)
    ax = uapca.plot.factor_traces(uapca.UAPCA(2).fit(X))
    named = {t.get_text() for t in ax.texts if str(t.get_gid()).startswith("name:")}
    page = opened(X, "Many features")
    drawn = page.page.locator(".uapca-traces [data-feature]:not(.is-rest)")
    shown = {
        X.features[int(j)] if X.features else f"x{j}"
        for j in drawn.evaluate_all("(all) => all.map((node) => node.dataset.feature)")
    }
    assert len(shown) == len(named) == 6
    if not any("[" in name for name in named):
        assert shown == named
