"""What one uncertain row can be: normal, independent marginals, samples, a mixture.

Every law has a mean, a covariance, affine images, samples and a characteristic function; in one
and two dimensions also a density, found without sampling where the law is known.
"""

from uapca.laws.affine import Affine
from uapca.laws.coerce import as_law
from uapca.laws.degenerate import DegenerateLawError, Line
from uapca.laws.independent import Independent, as_marginal
from uapca.laws.marginal import Gaussian, Marginal, Point
from uapca.laws.mixture import Mixture
from uapca.laws.moments import Moments
from uapca.laws.normal import Normal
from uapca.laws.protocol import Law
from uapca.laws.samples import Samples
from uapca.laws.store import law_from_dict, law_to_dict
from uapca.laws.trapezoid import Trapezoid, Triangular, Uniform
from uapca.laws.variable import Variable

__all__ = [
    "Affine",
    "DegenerateLawError",
    "Gaussian",
    "Independent",
    "Law",
    "Line",
    "Marginal",
    "Mixture",
    "Moments",
    "Normal",
    "Point",
    "Samples",
    "Trapezoid",
    "Triangular",
    "Uniform",
    "Variable",
    "as_law",
    "as_marginal",
    "law_from_dict",
    "law_to_dict",
]
