"""The ways in: what users hold, as an `UncertainArray`."""

from uapca.inputs.aggregator import Aggregator
from uapca.inputs.cells import CellError, format_cell, parse_cell
from uapca.inputs.distributions import from_distributions
from uapca.inputs.draws import from_draws
from uapca.inputs.frame import ErrorColumnWarning, from_frame
from uapca.inputs.groups import from_groups
from uapca.inputs.intervals import from_intervals
from uapca.inputs.mixtures import from_mixtures
from uapca.inputs.sources import FileError
from uapca.inputs.streams import DroppedRowsWarning, SkippedFilesWarning
from uapca.inputs.table import BadCell, TableError, from_table
from uapca.inputs.uncertainties import CorrelationWarning, from_uncertainties

__all__ = [
    "Aggregator",
    "BadCell",
    "CellError",
    "CorrelationWarning",
    "DroppedRowsWarning",
    "ErrorColumnWarning",
    "FileError",
    "SkippedFilesWarning",
    "TableError",
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
]
