"""
Data that arrives in chunks
===========================

``Aggregator`` keeps moments only; the fit is that of all points.
"""

import numpy as np

import uapca

rng = np.random.default_rng(5)
centers = rng.normal(size=(4, 3)) * 3
live = uapca.Aggregator(by="sensor")
for _ in range(20):  # twenty chunks of a stream
    sensor = rng.integers(0, 4, 500)
    values = centers[sensor] + rng.normal(size=(500, 3)) * [1, 0.5, 0.3]
    columns = dict(zip("abc", values.T, strict=True))
    live.partial_fit({"sensor": np.char.add("sensor ", sensor.astype(str)), **columns})
X = live.to_uncertain()
pca = uapca.UAPCA(2).fit(X)
uapca.plot.projection(pca, X)
