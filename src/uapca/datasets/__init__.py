"""What ships, what is fetched, and the paper's synthetic data.

- `bundled`: student grades and iris groups
- `anuran`: the fetcher of the Anuran Calls data
- `synthetic`: data sets made by formulas
"""

from uapca.datasets.anuran import AnuranPoints, fetch_anuran
from uapca.datasets.bundled import GRADES, load_iris_groups, load_students
from uapca.datasets.synthetic import (
    ErrorModels,
    make_crossings,
    make_error_models,
    make_progression,
    make_teaser,
)
from uapca.stability.sampling import make_sampling_experiment

__all__ = [
    "GRADES",
    "AnuranPoints",
    "ErrorModels",
    "fetch_anuran",
    "load_iris_groups",
    "load_students",
    "make_crossings",
    "make_error_models",
    "make_progression",
    "make_sampling_experiment",
    "make_teaser",
]
