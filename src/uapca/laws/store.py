"""Laws as plain data that JSON can hold, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from uapca.laws.foreign import KnownMoments, Variable, frozen_parameters
from uapca.laws.marginals import (
    Affine,
    ClosedForm,
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

__all__ = ["law_from_dict", "law_to_dict"]

_LAWS: dict[str, type[Law]] = {
    kind.__name__.lower(): kind
    for kind in (Normal, Independent, Samples, Mixture, Affine, KnownMoments)
}
_LAWS["moments"] = KnownMoments  # as in files of earlier versions
_MARGINALS: dict[str, type[Marginal]] = {
    kind.kind: kind
    for kind in (Point, NormalMarginal, TwoPieceNormal, Uniform, Triangular, Trapezoid)
}
_MARGINALS["gaussian"] = NormalMarginal  # as in files of earlier versions


def law_to_dict(law: Law) -> dict[str, Any]:
    """A law as nested dicts, lists, strings and floats; floats come back to the last bit.

    See Also
    --------
    uapca.laws.law_from_dict : The way back.

    Examples
    --------
    >>> law_to_dict(Independent([15, Uniform(10, 12)]))
    {'kind': 'independent', 'marginals': [{'kind': 'point', 'values': [15.0]},
     {'kind': 'uniform', 'values': [10.0, 12.0]}]}
    """
    kind = type(law).__name__.lower()
    if kind not in _LAWS or getattr(law, "sampler", None) is not None:
        raise TypeError(
            f"a law must be of uapca.laws to be stored; got {law!r}, which draws from an object of "
            "another library: store Samples(law.sample(n))"
        )
    return {"kind": kind, **{name: _plain(getattr(law, name)) for name in law.fields}}


def _plain(value: Any) -> Any:
    """An argument of a law as data that JSON can hold."""
    if isinstance(value, Law):
        return law_to_dict(value)
    if isinstance(value, Marginal):
        return _marginal_to_dict(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def law_from_dict(data: dict[str, Any]) -> Law:
    """The law that `law_to_dict` wrote.

    See Also
    --------
    uapca.laws.law_to_dict : The way there.

    Examples
    --------
    >>> law = Independent([15, Uniform(10, 12)])
    >>> law_from_dict(law_to_dict(law)) == law
    True
    """
    kind = _LAWS.get(data.get("kind", ""))
    if kind is None:
        raise ValueError(
            f"data['kind'] must be one of {', '.join(_LAWS)}; got {data.get('kind')!r}, which a "
            "newer uapca may have written"
        )
    given: dict[str, Any] = {name: data[name] for name in kind.fields}
    if kind is Independent:
        given["marginals"] = [_marginal_from_dict(marginal) for marginal in given["marginals"]]
    if kind is Mixture:
        given["components"] = [law_from_dict(component) for component in given["components"]]
    if kind is Affine:
        law = given["law"] = law_from_dict(given["law"])
        if not isinstance(law, Independent):  # as in files of earlier versions
            return law.affine(given["A"], given["b"])
    return kind(**given)


def _marginal_to_dict(marginal: Marginal) -> dict[str, Any]:
    if isinstance(marginal, ClosedForm):
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
        "a marginal must be of uapca.laws or a frozen distribution of scipy.stats to be "
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
