"""From uncertain data to components.

===============  =================================================================================
``uapca``        `UAPCA`: fit, transform, rescale, loadings and scores; `unwrap` of pipelines
``base``         what estimators share: reading data, underflow, standard deviations, `set_output`
``partial_fit``  fits of data in parts, batches of rows or Dask arrays, and how parts are merged
``sparse``       fits and scores of SciPy's sparse points
``solvers``      which solver is used when, and those that form no D × D matrix
``lanczos``      leading eigenpairs of a matrix known only by its products
``spectrum``     the rules about eigenpairs of K(s): order, signs (`_validation.signed`), ties,
                 clipping and s = ∞
``scaler``       `UncertainScaler`: features in units of their standard deviation
``results``      `LabeledArray`: tables of results with names, and their frames
``io``           fits as JSON files, without pickle, and `uapca.load`
===============  =================================================================================
"""

from uapca.decomposition.results import LabeledArray
from uapca.decomposition.scaler import UncertainScaler
from uapca.decomposition.uapca import UAPCA, unwrap

__all__ = ["UAPCA", "LabeledArray", "UncertainScaler", "unwrap"]
