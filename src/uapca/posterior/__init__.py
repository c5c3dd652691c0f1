"""Noisy and incomplete observations: posterior rows and the number of components.

- ``denoiser``: `Denoiser`, the estimator: what it refuses, the closed form, the check that an end
  is the maximum (with the EM step that leaves a saddle), errors of the parameters
- ``likelihood``: the model's mathematics: `Observations` in blocks, log-likelihood and gradients,
  posterior rows, a step of EM for the loadings
- ``optimizer``: the climb to the maximum of the likelihood (L-BFGS) and where it starts
- ``count``: `component_count`, the sequence of score tests
"""

from uapca.posterior.count import ComponentCount, component_count
from uapca.posterior.denoiser import Denoiser, ParameterErrors

__all__ = ["ComponentCount", "Denoiser", "ParameterErrors", "component_count"]
