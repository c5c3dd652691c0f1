"""
Values with standard errors in arrays
=====================================

An array of values, an array of errors, and a picture of where the rows may be.
"""

import numpy as np

import uapca

rng = np.random.default_rng(0)
values = rng.normal(size=(12, 2)) @ rng.normal(size=(2, 5)) + rng.normal(size=(12, 5)) * 0.3
X = uapca.UncertainArray(
    values,
    std=rng.uniform(0.1, 0.8, size=values.shape),
    names=[f"sample {i + 1}" for i in range(12)],
    features=["Na", "Mg", "Al", "Si", "K"],
)
pca = uapca.UAPCA(2).fit(X)
uapca.plot.projection(pca, X)
