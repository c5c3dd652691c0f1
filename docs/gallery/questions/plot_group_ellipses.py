"""
Ellipses of groups of rows
==========================

Rows colored by group, with an ellipse for all rows of each group.
"""

import numpy as np

import uapca

rng = np.random.default_rng(10)
group = np.repeat(["control", "low dose", "high dose"], 12)
shift = np.repeat([[0, 0, 0, 0], [2, 1, 0, 0], [4, 0, 2, 0]], 12, axis=0)
X = uapca.UncertainArray(shift + rng.normal(size=(36, 4)), std=0.4)
pca = uapca.UAPCA(2).fit(X)
uapca.plot.projection(pca, X, groups=group, ellipses="mixture", labels=False)
