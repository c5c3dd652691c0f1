"""
Supplementary rows
==================

Rows that are shown but do not enter the fit.
"""

import uapca

X = uapca.datasets.load_students()
pca = uapca.UAPCA(2).fit(X)
new = uapca.UncertainArray(
    [[12.0, 11.0, 15.0, 9.0]], std=[[0.5, 0.5, 2.0, 0.5]], names=["new"], features=X.features
)
uapca.plot.projection(pca, X, supplementary=new)
