"""From uncertain data to components."""

from uapca.decomposition.scaler import UncertainScaler
from uapca.decomposition.uapca import UAPCA

__all__ = ["UAPCA", "UncertainScaler"]
