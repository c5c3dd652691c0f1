"""What one uncertain row can be: normal, independent marginals, samples, a mixture.

Every law has a mean, a covariance, affine images and samples; in one and two dimensions also a
density, found without sampling where the law is known.
"""

from uapca.exceptions import DegenerateLawError
from uapca.laws.density import Lattice
from uapca.laws.foreign import Moments, Variable, as_law
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
    "Lattice",
    "Law",
    "Line",
    "Marginal",
    "Mixture",
    "Moments",
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
]
