"""How far the components can be trusted: closed form, simulation and the sampling baseline.

- `uncertainty`: `component_uncertainty`, its result, swap probabilities and verdict; which method
  is used
- `redraw`: the three questions, what a redraw is, and drawing it
- `closed_form`: second-order perturbation of eigenpairs: covariances of the entries, from which
  `uncertainty` makes the standard errors and tilts
- `confidence`: which confidence intervals are stated, and their bounds
- `simulation`: `simulate`, the PCAs of redrawn data sets
- `sampling`: the baseline of the paper
"""

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
