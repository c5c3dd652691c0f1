"""Many points to mergeable moments: counts, means and covariances of groups."""

from uapca.aggregate.keys import keyed
from uapca.aggregate.labels import Factor, factorise
from uapca.aggregate.moments import Moments

__all__ = ["Factor", "Moments", "factorise", "keyed"]
