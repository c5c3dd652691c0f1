"""
Projection on one component
===========================

The densities of the rows along the first component.
"""

import uapca

X = uapca.datasets.load_students()
pca = uapca.UAPCA(2).fit(X)
uapca.plot.projection(pca, X, components=0)
