"""
Posterior draws
===============

Draws of shape (draws, rows, features). Regions are those of the draws themselves.
"""

import numpy as np

import uapca

rng = np.random.default_rng(2)
center = rng.normal(size=(5, 3)) * [3, 2, 1]
draws = center + rng.gamma(2.0, 0.4, size=(1500, 5, 3))
X = uapca.from_draws(draws, names=[f"site {i + 1}" for i in range(5)], keep_samples=True)
pca = uapca.UAPCA(2).fit(X)
uapca.plot.projection(pca, X)
