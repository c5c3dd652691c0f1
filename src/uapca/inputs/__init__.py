"""The ways in: what users hold, as an `UncertainArray`.

===================  =============================================================================
``read``             any table: finds out what it is and calls one of the others
``columns``          which columns are values, errors, correlations and names; the words for
                     errors (``x_err``, ``e_x``, ``x_ivar``) are in ``uapca._names``
``frame``            data frames and mappings as named columns; text as numbers; values with errors
``cells``            the grammar of uncertain cells such as ``14±5.7``, and tables of them
``groups``           labeled points: one row for each label; `Aggregator`
``files``            files, folders and addresses: as one table, or a chunk at a time
``draws``            posterior draws: arrays, xarray, ArviZ
``distributions``    rows given as distributions
``intervals``        lower and upper bounds
``mixtures``         Gaussian mixtures
``uncertainties``    objects with errors: ``ufloat``, pint measurements, astropy NDData
===================  =============================================================================
"""

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
