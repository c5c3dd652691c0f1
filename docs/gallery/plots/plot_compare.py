"""
Two fits side by side
=====================

Regular PCA and uncertainty-aware PCA; the second is turned to match the first.
"""

import uapca

X = uapca.datasets.load_students()
pca = uapca.UAPCA(2).fit(X)
uapca.plot.compare(pca.rescale(0.0), pca, X)
