"""
Eigenvalues over the scale
==========================

Where eigenvalues come close the components turn quickly.
"""

import uapca

X = uapca.datasets.make_crossings()
uapca.plot.eigenvalues(uapca.factor_traces(X))
