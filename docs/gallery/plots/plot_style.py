"""
Sizes for a talk
================

``style`` sets the size of figures and text: ``"paper"``, ``"notebook"`` or ``"talk"``. In a
``with`` block it applies to that block only.
"""

import uapca

X = uapca.datasets.load_iris_groups()
pca = uapca.UAPCA(2).fit(X)
with uapca.plot.style("talk"):
    uapca.plot.projection(pca, X, title="Three species of iris")
