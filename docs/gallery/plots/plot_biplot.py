"""
Biplot
======

Rows and features in one picture.
"""

import uapca

X = uapca.datasets.load_students()
pca = uapca.UAPCA(2).fit(X)
uapca.plot.biplot(pca, X)
