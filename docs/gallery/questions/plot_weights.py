"""
The weight of one row
=====================

How the components turn as one row counts more.
"""

import uapca

X = uapca.datasets.load_students()
traces = uapca.weight_traces(X, "Tom")
uapca.plot.eigenvalues(traces)
