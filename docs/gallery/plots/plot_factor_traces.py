"""
Factor traces
=============

The features in the picture as the uncertainty counts more and more.
"""

import uapca

X = uapca.datasets.load_students()
pca = uapca.UAPCA(2).fit(X)
uapca.plot.factor_traces(uapca.factor_traces(pca))
