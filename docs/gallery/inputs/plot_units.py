"""
Quantities with units
=====================

Errors are converted to the unit of their values, and plots show it.
"""

from astropy import units as u

import uapca

X = uapca.UncertainArray(
    {
        "mass": [1.2, 3.4, 2.2, 2.9] * u.kg,
        "size": [5.0, 6.5, 5.5, 7.5] * u.cm,
        "time": [2.0, 1.0, 1.8, 1.1] * u.min,
    },
    std={
        "mass": [90.0, 140.0, 80.0, 200.0] * u.g,
        "size": [1.0, 3.0, 2.0, 2.0] * u.mm,
        "time": [4.0, 3.0, 6.0, 5.0] * u.s,
    },
)
pca = uapca.UAPCA(2, standardize=True).fit(X)
uapca.plot.biplot(pca, X)
