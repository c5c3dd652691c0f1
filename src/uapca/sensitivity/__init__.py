"""How the components change with the uncertainty, and with the weights of rows.

- ``family``: K as a function of the scale or of a weight, its derivative and eigenpairs at a point
- ``tracking``: eigenpairs followed along a family by overlap, whichever rank they have; ties;
  where the grid is refined
- ``crossings``: where neighboring eigenvalues come closest, cross and swap their ranks
- ``traces``: `factor_traces`, over the scale, and what both kinds of traces share
- ``weights``: `weight_traces`, over the weight of some rows
"""

from uapca.sensitivity.crossings import Crossing, WeightCrossing
from uapca.sensitivity.traces import FactorTraces, TraceSummary, factor_traces
from uapca.sensitivity.weights import WeightTraces, weight_traces

__all__ = [
    "Crossing",
    "FactorTraces",
    "TraceSummary",
    "WeightCrossing",
    "WeightTraces",
    "factor_traces",
    "weight_traces",
]
