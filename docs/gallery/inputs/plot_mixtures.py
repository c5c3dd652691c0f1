"""
Gaussian mixtures
=================

A row with two modes keeps them in the picture.
"""

import numpy as np
from sklearn.mixture import GaussianMixture

import uapca

rng = np.random.default_rng(0)
two = np.vstack([rng.normal([-3, 0, 0], 0.6, (150, 3)), rng.normal([3, 2, 0], 0.6, (100, 3))])
one = rng.normal([0, -2, 1], [1.5, 0.5, 0.5], (200, 3))
X = uapca.from_mixtures(
    {
        "two modes": GaussianMixture(2, random_state=0).fit(two),
        "one mode": GaussianMixture(1, random_state=0).fit(one),
    }
)
pca = uapca.UAPCA(2).fit(X)
uapca.plot.projection(pca, X)
