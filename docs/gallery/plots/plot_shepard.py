"""
Shepard diagram
===============

Distances in the picture against distances in the data.
"""

import numpy as np

import uapca

rng = np.random.default_rng(8)
truth = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 6)) * 2
X = uapca.UncertainArray(
    truth + rng.normal(size=truth.shape) * 0.5,
    std=0.5,
    names=[f"star {i + 1}" for i in range(40)],
    features=["u", "g", "r", "i", "z", "y"],
)
pca = uapca.UAPCA(2).fit(X)
uapca.plot.shepard(pca, X)
