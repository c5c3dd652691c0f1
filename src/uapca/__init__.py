"""Uncertainty-aware principal component analysis."""

from uapca._version import __version__
from uapca.decomposition import UAPCA, UncertainScaler
from uapca.sensitivity import factor_traces, weight_traces
from uapca.uncertain import UncertainArray, concat, load

__all__ = [
    "UAPCA",
    "UncertainArray",
    "UncertainScaler",
    "__version__",
    "concat",
    "factor_traces",
    "load",
    "weight_traces",
]
