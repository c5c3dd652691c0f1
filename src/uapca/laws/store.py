"""Laws as plain data that JSON can hold, and back."""

from __future__ import annotations

from typing import Any

from uapca._validation import complaint
from uapca.laws.affine import Affine, Imaged
from uapca.laws.independent import Independent
from uapca.laws.marginal import Gaussian, Marginal, Point
from uapca.laws.mixture import Mixture
from uapca.laws.moments import Moments
from uapca.laws.normal import Normal
from uapca.laws.protocol import Law
from uapca.laws.samples import Samples
from uapca.laws.trapezoid import Trapezoid, Triangular, Uniform
from uapca.laws.variable import Variable, frozen_parameters

__all__ = ["law_from_dict", "law_to_dict"]

_KNOTTED: dict[str, type[Uniform] | type[Triangular] | type[Trapezoid]] = {
    "uniform": Uniform,
    "triangular": Triangular,
    "trapezoid": Trapezoid,
}


def law_to_dict(law: Law) -> dict[str, Any]:
    """A law as nested dicts, lists, strings and floats; floats come back to the last bit.

    Examples
    --------
    >>> law_to_dict(Independent([15, Uniform(10, 12)]))
    {'kind': 'independent', 'marginals': [{'kind': 'point', 'values': [15.0]},
     {'kind': 'uniform', 'values': [10.0, 12.0]}]}
    """
    if isinstance(law, Normal):
        return {"kind": "normal", "mean": law.mean.tolist(), "cov": law.cov.tolist()}
    if isinstance(law, Independent):
        return {"kind": "independent", "marginals": [_marginal_to_dict(m) for m in law.marginals]}
    if isinstance(law, Samples):
        return {
            "kind": "samples",
            "values": law.values.tolist(),
            "weights": law.weights.tolist(),
        }
    if isinstance(law, Mixture):
        return {
            "kind": "mixture",
            "weights": law.weights.tolist(),
            "components": [law_to_dict(component) for component in law.components],
        }
    if isinstance(law, Affine):
        return {
            "kind": "affine",
            "law": law_to_dict(law.law),
            "A": law.A.tolist(),
            "b": law.b.tolist(),
        }
    if isinstance(law, Moments) and law.sampler is None:
        return {
            "kind": "moments",
            "mean": law.mean.tolist(),
            "cov": law.cov.tolist(),
            "name": law.name,
        }
    raise TypeError(
        complaint(
            "a law",
            "be one of uapca's own to be stored",
            f"got {law!r}, which samples through a foreign object",
            "Store Samples(law.sample(n)), or Normal(law.mean, law.cov)",
        )
    )


def law_from_dict(data: dict[str, Any]) -> Law:
    """The law that `law_to_dict` wrote.

    Examples
    --------
    >>> law = Independent([15, Uniform(10, 12)])
    >>> law_from_dict(law_to_dict(law)) == law
    True
    """
    kind = data.get("kind")
    if kind == "normal":
        return Normal(data["mean"], data["cov"])
    if kind == "independent":
        return Independent(_marginal_from_dict(m) for m in data["marginals"])
    if kind == "samples":
        return Samples._restored(data["values"], data["weights"])
    if kind == "mixture":
        return Mixture._restored(data["weights"], map(law_from_dict, data["components"]))
    if kind == "affine":
        law = law_from_dict(data["law"])
        if isinstance(law, Imaged):
            return Affine(law, data["A"], data["b"])
        return law.affine(data["A"], data["b"])
    if kind == "moments":
        return Moments(data["mean"], data["cov"], name=data["name"])
    raise ValueError(
        complaint(
            "data['kind']",
            "be normal, independent, samples, mixture, affine or moments",
            f"got {kind!r}",
            "Pass what law_to_dict returned; a newer uapca may have written it",
        )
    )


def _marginal_to_dict(marginal: Marginal) -> dict[str, Any]:
    if isinstance(marginal, Point):
        return {"kind": "point", "values": [marginal.value]}
    if isinstance(marginal, Gaussian):
        return {"kind": "gaussian", "values": [marginal.mean, marginal.std]}
    if isinstance(marginal, Uniform):
        return {"kind": "uniform", "values": [marginal.low, marginal.high]}
    if isinstance(marginal, Triangular):
        return {"kind": "triangular", "values": [marginal.low, marginal.mode, marginal.high]}
    if isinstance(marginal, Trapezoid):
        return {"kind": "trapezoid", "values": list(marginal.knots)}
    if isinstance(marginal, Variable) and hasattr(marginal.rv, "dist"):
        from scipy import stats

        name = marginal.rv.dist.name
        # A user's own distribution, or a histogram's, cannot be found again by its name.
        if type(getattr(stats, str(name), None)) is type(marginal.rv.dist):
            return {
                "kind": "scipy",
                "name": name,
                "parameters": frozen_parameters(marginal.rv),
                "values": [marginal.factor, marginal.shift],
            }
    raise TypeError(
        complaint(
            "a marginal",
            "be one of uapca's own or a frozen distribution of scipy.stats to be stored",
            f"got {marginal!r}",
            "Store Samples of the law, or use the frozen form, such as scipy.stats.gamma(2.0)",
        )
    )


def _marginal_from_dict(data: dict[str, Any]) -> Marginal:
    kind, values = data["kind"], data["values"]
    if kind == "point":
        return Point(*values)
    if kind == "gaussian":
        return Gaussian(*values)
    if kind == "scipy":
        from scipy import stats

        return Variable(_frozen_by_name(stats, data), *values)
    if kind in _KNOTTED:
        return _KNOTTED[kind](*values)
    raise ValueError(
        complaint(
            "a marginal's kind",
            "be point, gaussian, scipy, " + ", ".join(_KNOTTED),
            f"got {kind!r}",
            "Pass what law_to_dict returned",
        )
    )


def _frozen_by_name(stats: Any, data: dict[str, Any]) -> Any:
    found = getattr(stats, data["name"], None)
    # Only distributions are called: stored data must not reach any other function by name.
    if not isinstance(found, (stats.rv_continuous, stats.rv_discrete)):
        raise ValueError(
            complaint(
                "a stored SciPy marginal",
                "name a distribution of scipy.stats",
                f"got {data['name']!r}",
                "Check the SciPy version that wrote it",
            )
        )
    return found(**data["parameters"])
