"""
Adding or removing the errors
=============================

The same noisy table, errors added and errors removed. The truth has two components.
"""

import matplotlib.pyplot as plt
import numpy as np

import uapca

rng = np.random.default_rng(3)
truth = rng.normal(size=(50, 2)) @ rng.normal(size=(2, 6)) * 2
std = np.exp(rng.uniform(-2, 1.2, size=truth.shape))
X = uapca.UncertainArray(truth + std * rng.normal(size=truth.shape), std=std)
rows = uapca.Denoiser(n_components=2).fit_transform(X)
figure, axes = plt.subplots(1, 2, figsize=(8.5, 4.4), layout="constrained")
for ax, title, data in zip(axes, ["errors added", "errors removed"], [X, rows], strict=True):
    pca = uapca.UAPCA(2).fit(data)
    uapca.plot.projection(pca, data, ax=ax, title=title, labels=False, legend=False)
