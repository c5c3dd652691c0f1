"""
SciPy distributions
===================

Each value may have a law of its own: SciPy's random variables are accepted as they are.
"""

from scipy import stats

import uapca

X = uapca.from_distributions(
    [
        [15, stats.uniform(10, 4), stats.gamma(4, 8)],
        [9, stats.norm(14, 0.8), stats.uniform(8, 2)],
        [4, stats.triang(0.3, 4, 6), 13],
    ],
    names=["first", "second", "third"],
    features=["x", "y", "z"],
)
pca = uapca.UAPCA(2).fit(X)
uapca.plot.projection(pca, X)
