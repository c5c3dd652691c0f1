"""From uncertain data to components."""

from uapca.decomposition.results import LabeledArray
from uapca.decomposition.scaler import UncertainScaler
from uapca.decomposition.uapca import UAPCA, unwrap

__all__ = ["UAPCA", "LabeledArray", "UncertainScaler", "unwrap"]
