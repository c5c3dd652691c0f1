"""Noisy and incomplete observations: posterior rows and the number of components."""

from uapca.posterior.count import ComponentCount, component_count
from uapca.posterior.denoiser import Denoiser, ParameterErrors

__all__ = ["ComponentCount", "Denoiser", "ParameterErrors", "component_count"]
