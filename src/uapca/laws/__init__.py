"""What one uncertain row can be: normal, independent marginals, samples, a mixture.

Every law has a mean, a covariance, affine images and samples; in one and two dimensions also a
density, found without sampling where the law is known.

- ``protocol``: `Law`, what every law offers: affine images, samples, cumulants, density, levels,
  the line of a degenerate law; checks of its arguments
- ``normal``: `Normal`, in closed form; the check of a mean and a covariance
- ``marginals``: laws of one number (points, intervals, triangles, trapezoids, one- and two-piece
  normals), `Independent` rows of them, their `Affine` images, and draws of many rows at once
- ``asymmetric``: rows of values with different errors below and above, found for a whole table
- ``samples``: `Samples`, weighted draws and their kernel estimate; the check of weights
- ``mixture``: `Mixture`
- ``foreign``: SciPy's random variables as marginals (`Variable`), other libraries' distributions
  (`as_law`), laws of which only moments are known (`KnownMoments`)
- ``density``: `Lattice`, densities of sums of independent parts, their highest-density regions, and
  the levels of these
- ``store``: laws as plain data for files
"""

from uapca.exceptions import DegenerateLawError
from uapca.laws.density import Lattice
from uapca.laws.foreign import KnownMoments, Variable, as_law
from uapca.laws.marginals import (
    Affine,
    Independent,
    Marginal,
    NormalMarginal,
    Point,
    Trapezoid,
    Triangular,
    TwoPieceNormal,
    Uniform,
    as_marginal,
    sample_rows,
)
from uapca.laws.mixture import Mixture
from uapca.laws.normal import Normal
from uapca.laws.protocol import Law, Line
from uapca.laws.samples import Samples
from uapca.laws.store import law_from_dict, law_to_dict

__all__ = [
    "Affine",
    "DegenerateLawError",
    "Independent",
    "KnownMoments",
    "Lattice",
    "Law",
    "Line",
    "Marginal",
    "Mixture",
    "Normal",
    "NormalMarginal",
    "Point",
    "Samples",
    "Trapezoid",
    "Triangular",
    "TwoPieceNormal",
    "Uniform",
    "Variable",
    "as_law",
    "as_marginal",
    "law_from_dict",
    "law_to_dict",
    "sample_rows",
]
