"""
Projection
==========

Each region holds 95 % of its row's probability.
"""

import uapca

X = uapca.datasets.load_students()
pca = uapca.UAPCA(2).fit(X)
uapca.plot.projection(pca, X)
