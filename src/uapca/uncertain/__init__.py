"""Uncertain data: `UncertainArray` and the representations of its covariances."""

from uapca.uncertain.array import UncertainArray, concat
from uapca.uncertain.covariance import Covariance
from uapca.uncertain.dense import Dense
from uapca.uncertain.files import load
from uapca.uncertain.structured import Diagonal, LowRank, Shared, Zero

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
