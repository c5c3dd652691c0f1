"""
A data frame with errors under names of its own
===============================================

``errors=`` says how the columns with errors are named, for pandas, polars and other frames.
"""

import pandas as pd

import uapca

frame = pd.DataFrame(
    {
        "mass": [1.1, 2.3, 1.9, 3.2, 2.8],
        "d_mass": [0.1, 0.2, 0.1, 0.3, 0.2],
        "radius": [0.9, 1.8, 1.7, 2.9, 2.0],
        "d_radius": [0.2, 0.1, 0.3, 0.2, 0.2],
        "luminosity": [1.0, 4.1, 3.0, 7.9, 6.2],
        "d_luminosity": [0.3, 0.4, 0.4, 0.9, 0.8],
    },
    index=["A", "B", "C", "D", "E"],
)
X = uapca.from_frame(frame, errors="d_{}")
pca = uapca.UAPCA(2, standardize=True).fit(X)
uapca.plot.projection(pca, X)
