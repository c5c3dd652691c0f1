"""Uncertain data: `UncertainArray` and the representations of its covariances."""

from uapca.uncertain.array import UncertainArray, concat
from uapca.uncertain.covariance import Covariance, Dense, Diagonal, LowRank, Shared, Zero
from uapca.uncertain.io import load

__all__ = [
    "Covariance",
    "Dense",
    "Diagonal",
    "LowRank",
    "Shared",
    "UncertainArray",
    "Zero",
    "concat",
    "load",
]
