"""Uncertainty-aware principal component analysis."""

from uapca import datasets, laws
from uapca._version import __version__
from uapca.compare import bhattacharyya, hellinger, principal_angles
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
from uapca.stability import (
    ComponentsNotSeparated,
    component_uncertainty,
    fit_by_sampling,
    sampling_convergence,
    simulate,
)
from uapca.uncertain import UncertainArray, concat, load

__all__ = [
    "UAPCA",
    "ComponentsNotSeparated",
    "CorrelationWarning",
    "TableError",
    "UncertainArray",
    "UncertainScaler",
    "__version__",
    "bhattacharyya",
    "component_uncertainty",
    "concat",
    "datasets",
    "factor_traces",
    "fit_by_sampling",
    "from_distributions",
    "from_draws",
    "from_frame",
    "from_groups",
    "from_intervals",
    "from_mixtures",
    "from_table",
    "from_uncertainties",
    "hellinger",
    "laws",
    "load",
    "principal_angles",
    "sampling_convergence",
    "simulate",
    "weight_traces",
]
