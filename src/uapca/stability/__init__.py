"""How far the components can be trusted: closed form, simulation and the sampling baseline."""

from uapca.stability.closed_form import ComponentUncertainty, component_uncertainty
from uapca.stability.sampling import SamplingConvergence, fit_by_sampling, sampling_convergence
from uapca.stability.simulation import Simulation, simulate
from uapca.stability.verdict import SeparationWarning

__all__ = [
    "ComponentUncertainty",
    "SamplingConvergence",
    "SeparationWarning",
    "Simulation",
    "component_uncertainty",
    "fit_by_sampling",
    "sampling_convergence",
    "simulate",
]
