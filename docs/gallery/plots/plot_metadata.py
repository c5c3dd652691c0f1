"""
Correlation with metadata
=========================

Other columns that describe the rows, against the components.
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
table = {"age": truth[:, 0] + rng.normal(size=40), "distance": rng.normal(size=40)}
uapca.plot.metadata(pca, X, table)
