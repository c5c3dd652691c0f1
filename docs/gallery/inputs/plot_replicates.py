"""
Replicates: the standard error of a mean
========================================

``spread="sem"`` says how well each mean is known instead of where replicates fall.
"""

import matplotlib.pyplot as plt
import numpy as np

import uapca

rng = np.random.default_rng(4)
labels = np.repeat(list("ABCDEF"), 6)
points = np.repeat(rng.normal(size=(6, 3)) * 2, 6, axis=0) + rng.normal(size=(36, 3))
figure, axes = plt.subplots(1, 2, figsize=(8, 4.2), layout="constrained", sharex=True, sharey=True)
for ax, spread in zip(axes, ["std", "sem"], strict=True):
    X = uapca.from_groups(points, by=labels, spread=spread)
    uapca.plot.projection(uapca.UAPCA(2).fit(X), X, ax=ax, title=f'spread="{spread}"', legend=False)
