"""Many points to mergeable moments: counts, means and covariances of groups."""

from uapca.aggregate.labels import Factor, Keyed, factorize, keyed
from uapca.aggregate.moments import Moments

__all__ = ["Factor", "Keyed", "Moments", "factorize", "keyed"]
