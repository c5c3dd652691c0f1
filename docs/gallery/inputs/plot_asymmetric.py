"""
Asymmetric errors
=================

Columns ``x_err_lo`` and ``x_err_hi`` make two-piece normal laws.
"""

import pandas as pd

import uapca

frame = pd.DataFrame(
    {
        "planet": ["b", "c", "d", "e"],
        "mass": [1.37, 1.31, 0.39, 0.69],
        "mass_err_lo": [0.07, 0.06, 0.01, 0.02],
        "mass_err_hi": [0.27, 0.16, 0.10, 0.12],
        "radius": [1.12, 1.10, 0.79, 0.92],
        "radius_err_lo": [0.10, 0.02, 0.10, 0.02],
        "radius_err_hi": [0.04, 0.12, 0.04, 0.13],
    }
)
X = uapca.read(frame)
uapca.plot.distributions(uapca.UAPCA(2).fit(X), X)
