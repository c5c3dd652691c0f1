"""
Labeled points
==============

One distribution for each label. The components are those of all 150 flowers, exactly.
"""

from sklearn.datasets import load_iris

import uapca

iris = load_iris(as_frame=True)
frame = iris.data.assign(species=iris.target_names[iris.target])
X = uapca.read(frame, by="species")
pca = uapca.UAPCA(2).fit(X)
uapca.plot.biplot(pca, X)
