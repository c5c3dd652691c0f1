"""Many points to mergeable moments: counts, means and covariances of groups."""

from uapca.aggregate.labels import Factor, factorise
from uapca.aggregate.local import GroupedMoments, grouped_moments

__all__ = ["Factor", "GroupedMoments", "factorise", "grouped_moments"]
