"""
Three hundred rows
==================

The density of all rows is shaded; only the widest and the outlying rows have regions and names.
"""

import numpy as np

import uapca

rng = np.random.default_rng(9)
truth = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 7)) * 2
X = uapca.UncertainArray(
    truth,
    std=np.exp(rng.normal(-0.5, 0.5, size=truth.shape)),
    names=[f"HD {i}" for i in range(300)],
)
uapca.plot.projection(uapca.UAPCA(2).fit(X), X)
