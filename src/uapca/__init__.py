"""Uncertainty-aware principal component analysis.

The public names are imported when they are first used, so that a command that needs none of them
starts at once. The packages go as data travels:

==================  ==============================================================================
``uncertain``       the data: `UncertainArray` and its covariances
``laws``            distributions of a row: marginals, mixtures, samples, densities and levels
``inputs``          the ways in: files, frames, draws, intervals, groups
``aggregate``       sums over points: accumulator, labels and bins, Dask, Spark
``decomposition``   the fit: `UAPCA`, solvers, saved fits
``posterior``       noisy or incomplete observations: `Denoiser`, `component_count`
``sensitivity``     factor traces and weight traces over the scale s
``stability``       how far to trust components: closed form, simulation, sampling
``compare``         distances (Hellinger, Bhattacharyya) and angles between fits
``datasets``        example data
``plot``            pictures, with matplotlib
``figures``         the paper's figures
``explorer``        the interactive page and widget
``cli``             the command line
``exceptions``      all warnings and errors of our own
``_names``          names of columns: errors, counters, identifiers; what was probably meant
``_validation``     checks of arguments, and the rule for signs of directions
``_files``          files written whole or not at all; the archive format, without pickle
``_looks``          colors, dashes and shapes of rows, in plots and on the page
``_progress``       progress of long work: silent, a bar, or a function of the caller
==================  ==============================================================================
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from uapca._version import __version__

if TYPE_CHECKING:
    from uapca import (
        aggregate,
        compare,
        datasets,
        decomposition,
        exceptions,
        inputs,
        laws,
        plot,
        posterior,
        sensitivity,
        stability,
    )
    from uapca.compare import bhattacharyya, hellinger, principal_angles
    from uapca.decomposition import UAPCA, UncertainScaler
    from uapca.decomposition.io import load
    from uapca.exceptions import (
        ApproximationWarning,
        CellError,
        CorrelationWarning,
        DegenerateLawError,
        DroppedRowsWarning,
        ErrorColumnWarning,
        ErrorSizeWarning,
        FileError,
        SeparationWarning,
        SkippedFilesWarning,
        SupportWarning,
        TableError,
        UnitsWarning,
    )
    from uapca.explorer import explore
    from uapca.inputs import (
        Aggregator,
        from_distributions,
        from_draws,
        from_frame,
        from_groups,
        from_intervals,
        from_mixtures,
        from_table,
        from_uncertainties,
    )
    from uapca.inputs.read import read
    from uapca.posterior import Denoiser, component_count
    from uapca.sensitivity import factor_traces, weight_traces
    from uapca.stability import (
        component_uncertainty,
        fit_by_sampling,
        sampling_convergence,
        simulate,
    )
    from uapca.uncertain import UncertainArray, concat

__all__ = [
    "UAPCA",
    "Aggregator",
    "ApproximationWarning",
    "CellError",
    "CorrelationWarning",
    "DegenerateLawError",
    "Denoiser",
    "DroppedRowsWarning",
    "ErrorColumnWarning",
    "ErrorSizeWarning",
    "FileError",
    "SeparationWarning",
    "SkippedFilesWarning",
    "SupportWarning",
    "TableError",
    "UncertainArray",
    "UncertainScaler",
    "UnitsWarning",
    "__version__",
    "aggregate",
    "bhattacharyya",
    "compare",
    "component_count",
    "component_uncertainty",
    "concat",
    "datasets",
    "decomposition",
    "exceptions",
    "explore",
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
    "inputs",
    "laws",
    "load",
    "plot",
    "posterior",
    "principal_angles",
    "read",
    "sampling_convergence",
    "sensitivity",
    "simulate",
    "stability",
    "weight_traces",
]

# Where the names come from; errors and warnings from `exceptions`, and the others are modules.
_NAMES = {
    "exceptions": tuple(name for name in __all__ if name.endswith(("Error", "Warning"))),
    "uncertain": ("UncertainArray", "concat"),
    "inputs": (
        "Aggregator",
        "from_distributions",
        "from_draws",
        "from_frame",
        "from_groups",
        "from_intervals",
        "from_mixtures",
        "from_table",
        "from_uncertainties",
    ),
    "inputs.read": ("read",),
    "decomposition": ("UAPCA", "UncertainScaler"),
    "decomposition.io": ("load",),
    "posterior": ("Denoiser", "component_count"),
    "sensitivity": ("factor_traces", "weight_traces"),
    "compare": ("bhattacharyya", "hellinger", "principal_angles"),
    "stability": (
        "component_uncertainty",
        "fit_by_sampling",
        "sampling_convergence",
        "simulate",
    ),
    "explorer": ("explore",),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}
# Names in other libraries, by ours.
_OTHER_WORDS = {
    "read": (
        "from_csv",
        "load_csv",
        "read_csv",
        "read_excel",
        "read_fits",
        "read_json",
        "read_parquet",
        "read_table",
    ),
    "from_frame": ("from_arrow", "from_dataframe", "from_pandas", "from_polars", "from_records"),
    "from_draws": ("from_arviz", "from_posterior", "from_samples", "from_xarray"),
    "from_uncertainties": ("from_ufloats",),
    "from_distributions": ("from_laws", "from_marginals", "from_scipy"),
    "UAPCA": ("PCA",),
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = globals()[name] = getattr(import_module(f"uapca.{_HOME[name]}"), name)
        return value
    if name in __all__:
        return import_module(f"uapca.{name}")
    raise AttributeError(f"module 'uapca' has no attribute {name!r}{_meant(name)}")


def _meant(name: str) -> str:
    """A suggestion for a misspelled name; none for names that start with an underscore."""
    if name.startswith("_"):
        return ""
    from uapca import datasets
    from uapca._names import nearest

    known = {other: other for other in __all__}
    known |= {other: home for home, others in _OTHER_WORDS.items() for other in others}
    known |= {other: f"datasets.{other}" for other in datasets.__all__}
    close = nearest(name, known)
    return f"; did you mean 'uapca.{known[close]}'?" if close else ""


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
