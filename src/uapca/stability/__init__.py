"""How far the components can be trusted: closed form, simulation and the sampling baseline."""

from uapca.exceptions import SeparationWarning
from uapca.stability.sampling import SamplingConvergence, fit_by_sampling, sampling_convergence
from uapca.stability.simulation import Simulation, simulate
from uapca.stability.uncertainty import ComponentUncertainty, component_uncertainty, ellipse_factor

__all__ = [
    "ComponentUncertainty",
    "SamplingConvergence",
    "SeparationWarning",
    "Simulation",
    "component_uncertainty",
    "ellipse_factor",
    "fit_by_sampling",
    "sampling_convergence",
    "simulate",
]
