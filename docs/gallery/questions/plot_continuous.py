"""
Rows colored by a number
========================

A continuous ``groups=`` gets a color bar.
"""

import numpy as np

import uapca

rng = np.random.default_rng(12)
temperature = rng.uniform(5, 30, 40)
values = temperature[:, None] * [0.2, -0.1, 0.05] + rng.normal(size=(40, 3))
X = uapca.UncertainArray(values, std=0.3)
uapca.plot.projection(uapca.UAPCA(2).fit(X), X, groups=temperature, labels=False)
