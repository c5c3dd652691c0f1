"""Colors, dashes and shapes of the page are those of the plots."""

import re

import numpy as np
from matplotlib.colors import to_hex

import uapca
from uapca._looks import DASHES, SHAPES, looks

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
          const [region, mean] = row.children;
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
