"""
Distributions of two features
=============================

Rows as they are, and the components as arrows.
"""

import uapca

X = uapca.datasets.make_teaser()
uapca.plot.distributions(uapca.UAPCA(2).fit(X), X)
