"""How the components change with the uncertainty, and with the weights of rows."""

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
