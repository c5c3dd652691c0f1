"""Many points to mergeable moments: counts, means and covariances of groups.

- `accumulate`: the accumulator; sums of blocks of points and their exact merge (Chan)
- `moments`: `Moments`, the summary of labeled points, and its rows
- `labels`: labels of any kind as small integers
- `bins`: labels for points that have none: nearest centers, cells of a grid
- `collector`: points that come in pieces: all, a sliding window, or with decay
- `dask`, `spark`: partitions summed on the workers
"""

from uapca.aggregate.labels import Factor, Keyed, factorize, keyed
from uapca.aggregate.moments import Moments

__all__ = ["Factor", "Keyed", "Moments", "factorize", "keyed"]
