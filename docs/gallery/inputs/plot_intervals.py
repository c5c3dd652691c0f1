"""
Intervals
=========

Lower and upper bounds; each value is uniform between them.
"""

import uapca

low = [[10.0, 60.0, 1.0], [14.0, 45.0, 2.0], [8.0, 72.0, 1.5], [16.0, 40.0, 4.0]]
high = [[13.0, 66.0, 3.0], [15.0, 58.0, 2.5], [12.0, 75.0, 2.0], [21.0, 52.0, 5.0]]
X = uapca.from_intervals(
    low, high, names=["Bergen", "Lyon", "Turku", "Porto"], features=["°C", "% humid", "m/s"]
)
pca = uapca.UAPCA(2, standardize=True).fit(X)
uapca.plot.projection(pca, X)
