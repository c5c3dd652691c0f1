"""
Scree plot
==========

Variances, split into between and within rows.
"""

from sklearn.datasets import load_wine

import uapca

wine = load_wine(as_frame=True)
frame = wine.data.assign(cultivar=["cultivar " + str(k) for k in wine.target])
X = uapca.read(frame, by="cultivar")
pca = uapca.UAPCA(3, standardize=True).fit(X)
uapca.plot.scree(pca, X)
