"""
Projection
==========

The regions hold 50 % and 95 % of each row's probability.
"""

import uapca

X = uapca.datasets.load_students()
pca = uapca.UAPCA(2).fit(X)
uapca.plot.projection(pca, X)
