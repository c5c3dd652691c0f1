"""Uncertain data: `UncertainArray` and the representations of its covariances.

===============  =================================================================================
``array``        `UncertainArray`: selecting, affine maps, draws, frames, text; `concat`; what
                 `numpy.asarray` and other libraries are told
``checks``       checks of its arguments: values, missing cells, errors, weights, counts
``units``        quantities of astropy and pint: errors in the units of their values
``covariance``   the covariances of all rows: diagonal, dense, shared, low-rank, along shared axes
``propagate``    functions of uncertain values (``X.map("log")``) to second order
``io``           the ``.uapca`` file: save and load, without pickle
===============  =================================================================================
"""

from uapca.uncertain.array import UncertainArray, concat
from uapca.uncertain.covariance import (
    Covariance,
    Dense,
    Diagonal,
    LowRank,
    Shared,
    SharedAxes,
    Zero,
)
from uapca.uncertain.io import load

__all__ = [
    "Covariance",
    "Dense",
    "Diagonal",
    "LowRank",
    "Shared",
    "SharedAxes",
    "UncertainArray",
    "Zero",
    "concat",
    "load",
]
