"""Colors, dashes and shapes of the page are those of the plots."""

import numpy as np

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
