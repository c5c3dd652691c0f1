"""
Values of the uncertainties package
===================================

``ufloat`` values keep their correlations within a row.
"""

import numpy as np
from uncertainties import ufloat

import uapca

rows = []
for length, width in [(10.0, 4.0), (12.0, 3.0), (9.0, 5.5), (14.0, 2.5)]:
    a, b = ufloat(length, 0.4), ufloat(width, 0.3)
    rows.append([a, b, a * b / 10])  # the area depends on both
X = uapca.from_uncertainties(np.array(rows), features=["length", "width", "area / 10"])
pca = uapca.UAPCA(2).fit(X)
uapca.plot.projection(pca, X)
