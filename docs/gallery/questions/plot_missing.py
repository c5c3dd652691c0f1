"""
Missing cells
=============

A third of the cells is missing. Rows of which little was observed have wide regions.
"""

import numpy as np

import uapca

rng = np.random.default_rng(6)
truth = rng.normal(size=(30, 2)) @ rng.normal(size=(2, 8)) * 2
values = truth + rng.normal(size=truth.shape) * 0.3
values[rng.random(values.shape) < 0.33] = np.nan
X = uapca.UncertainArray(values, std=0.3, missing="keep")
rows = uapca.Denoiser(n_components=2).fit_transform(X)
uapca.plot.projection(uapca.UAPCA(2).fit(rows), rows)
