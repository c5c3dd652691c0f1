"""The ways in: what users hold, as an `UncertainArray`."""

from uapca.inputs.cells import format_cell, from_table, parse_cell
from uapca.inputs.distributions import from_distributions
from uapca.inputs.draws import from_draws
from uapca.inputs.frame import from_frame
from uapca.inputs.groups import Aggregator, from_groups
from uapca.inputs.intervals import from_intervals
from uapca.inputs.mixtures import from_mixtures
from uapca.inputs.read import read
from uapca.inputs.uncertainties import from_uncertainties

__all__ = [
    "Aggregator",
    "format_cell",
    "from_distributions",
    "from_draws",
    "from_frame",
    "from_groups",
    "from_intervals",
    "from_mixtures",
    "from_table",
    "from_uncertainties",
    "parse_cell",
    "read",
]
