"""Laws as plain data that JSON can hold, and back."""

from __future__ import annotations

from typing import Any

from uapca.laws.foreign import Moments
from uapca.laws.marginals import (
    Affine,
    Independent,
    Marginal,
    NormalMarginal,
    Point,
    Trapezoid,
    Triangular,
    TwoPieceNormal,
    Uniform,
)
from uapca.laws.mixture import Mixture
from uapca.laws.normal import Normal
from uapca.laws.protocol import Law
from uapca.laws.samples import Samples
from uapca.laws.variable import Variable, frozen_parameters

__all__ = ["law_from_dict", "law_to_dict"]

_MARGINALS: dict[str, type[Marginal]] = {
    kind.kind: kind
    for kind in (Point, NormalMarginal, TwoPieceNormal, Uniform, Triangular, Trapezoid)
}
_MARGINALS["gaussian"] = NormalMarginal  # as in files of earlier versions


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
        f"a law must be one of uapca's own to be stored; got {law!r}, which samples through a "
        "foreign object, store Samples(law.sample(n))"
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
        return Samples(data["values"], data["weights"])
    if kind == "mixture":
        return Mixture(data["weights"], map(law_from_dict, data["components"]))
    if kind == "affine":
        law = law_from_dict(data["law"])
        if isinstance(law, Independent):
            return Affine(law, data["A"], data["b"])
        return law.affine(data["A"], data["b"])
    if kind == "moments":
        return Moments(data["mean"], data["cov"], name=data["name"])
    raise ValueError(
        "data['kind'] must be normal, independent, samples, mixture, affine or moments; "
        f"got {kind!r}, which a newer uapca may have written"
    )


def _marginal_to_dict(marginal: Marginal) -> dict[str, Any]:
    if marginal.kind in _MARGINALS:
        return {"kind": marginal.kind, "values": list(marginal.parameters)}
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
        "a marginal must be one of uapca's own or a frozen distribution of scipy.stats to be "
        f"stored; got {marginal!r}"
    )


def _marginal_from_dict(data: dict[str, Any]) -> Marginal:
    kind, values = data["kind"], data["values"]
    if kind in _MARGINALS:
        return _MARGINALS[kind](*values)
    if kind != "scipy":
        raise ValueError(
            f"a marginal's kind must be scipy or one of {list(_MARGINALS)}; got {kind!r}"
        )
    from scipy import stats

    found = getattr(stats, data["name"], None)
    # Only distributions are called: stored data must not reach any other function by name.
    if not isinstance(found, (stats.rv_continuous, stats.rv_discrete)):
        raise ValueError(
            f"a stored marginal must name a distribution of scipy.stats; got {data['name']!r}"
        )
    return Variable(found(**data["parameters"]), *values)
