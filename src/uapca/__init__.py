"""Uncertainty-aware principal component analysis."""

from uapca import datasets, laws
from uapca._version import __version__
from uapca.decomposition import UAPCA, UncertainScaler
from uapca.inputs import (
    CorrelationWarning,
    TableError,
    from_distributions,
    from_draws,
    from_frame,
    from_groups,
    from_intervals,
    from_mixtures,
    from_table,
    from_uncertainties,
)
from uapca.sensitivity import factor_traces, weight_traces
from uapca.uncertain import UncertainArray, concat, load

__all__ = [
    "UAPCA",
    "CorrelationWarning",
    "TableError",
    "UncertainArray",
    "UncertainScaler",
    "__version__",
    "concat",
    "datasets",
    "factor_traces",
    "from_distributions",
    "from_draws",
    "from_frame",
    "from_groups",
    "from_intervals",
    "from_mixtures",
    "from_table",
    "from_uncertainties",
    "laws",
    "load",
    "weight_traces",
]
