"""
Sampling against the closed form
================================

How many samples it takes to match the exact result, by the number of features.
"""

import uapca

uapca.plot.convergence(uapca.sampling_convergence(dims=(2, 4, 8), n_runs=10, rng=0))
