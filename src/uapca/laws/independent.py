"""Rows whose features are independent, each with its own marginal law."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from uapca._validation import Floats, complaint
from uapca.laws.affine import Affine, Imaged
from uapca.laws.arrays import frozen
from uapca.laws.degenerate import DegenerateLawError
from uapca.laws.levels import Block
from uapca.laws.lines import LineSum
from uapca.laws.marginal import Gaussian, Marginal, Point
from uapca.laws.normal import Normal
from uapca.laws.protocol import Law
from uapca.laws.sheets import Way
from uapca.laws.sums import PlaneSum, has_density
from uapca.laws.variable import is_variable, marginal_from_variable

__all__ = ["Independent", "as_marginal"]


class Independent(Imaged):
    """Independent features, each with a law of its own.

    Densities of projections are exact where one or two marginals remain, and otherwise found by
    inversion of the product of characteristic functions. Heavy tails of SciPy's variables are cut
    off where they lead out of a window around the grid, and beside a pole the density is averaged
    over what the grid cannot show. Levels, and grids that show more than a series can, take such
    variables by conditioning on them. The probability of a region is meant to be right within
    1e-3; where it is not, as with several poles in the plane, `describe` of the projected law says
    how far it is off.

    Parameters
    ----------
    marginals : sequence of D marginals
        Numbers (certain values), `Point`, `Gaussian`, `Uniform`, `Triangular`, `Trapezoid`, and
        SciPy's random variables, frozen or of the new interface.

    Examples
    --------
    >>> from uapca.laws import Trapezoid, Uniform
    >>> tom = Independent([15, Trapezoid(10, 11, 13, 15), Gaussian(14, 5.7), Uniform(14, 16)])
    >>> tom.mean.round(4)
    array([15.    , 12.2857, 14.    , 15.    ])
    >>> tom.describe()
    'independent: 15, T(10, 11, 13, 15), N(14, 5.7), U(14, 16)'
    """

    def __init__(self, marginals: Iterable[Any]) -> None:
        self.marginals = tuple(as_marginal(m, i) for i, m in enumerate(marginals))
        if not self.marginals:
            raise ValueError(
                complaint(
                    "marginals", "hold at least one law", "got none", "Pass one for each feature"
                )
            )

    @cached_property
    def mean(self) -> Floats:
        return frozen([m.mean for m in self.marginals])

    @cached_property
    def cov(self) -> Floats:
        return frozen(np.diag([m.var for m in self.marginals]))

    def describe(self) -> str:
        return f"independent: {', '.join(map(str, self.marginals))}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Independent):
            return NotImplemented
        return self.marginals == other.marginals

    def __repr__(self) -> str:
        return f"Independent({list(self.marginals)!r})"

    def _affine(self, A: Floats, b: Floats) -> Law:
        used = A != 0
        if np.all(used.sum(axis=0) <= 1) and np.all(used.sum(axis=1) <= 1):
            # Each result depends on one feature of its own: a selection, permutation or rescaling.
            return Independent(
                self.marginals[np.argmax(row)].affine(float(A[i, np.argmax(row)]), float(b[i]))
                if row.any()
                else Point(b[i])
                for i, row in enumerate(used)
            )
        if all(isinstance(m, (Gaussian, Point)) for m in self.marginals):
            return Normal(self.mean, self.cov).affine(A, b)
        return Affine(self, A, b)

    def _rescale(self, a: Floats, b: Floats) -> Independent:
        pairs = zip(self.marginals, a.tolist(), b.tolist(), strict=True)
        return Independent(m.affine(factor, shift) for m, factor, shift in pairs)

    def _scaled(self, s: float) -> Independent:
        return Independent(m.scaled(s) for m in self.marginals)

    def _sample(self, n: int, rng: np.random.Generator) -> Floats:
        return np.stack([m.sample(n, rng) for m in self.marginals], axis=1)

    def _cf(self, t: Floats) -> npt.NDArray[np.complex128]:
        result = np.ones(len(t), dtype=np.complex128)
        with np.errstate(under="ignore"):
            for m, column in zip(self.marginals, t.T, strict=True):
                result *= m.cf(column)
        return result

    def _refuse_image(self, image: Affine) -> None:
        if not has_density(image.A, self.marginals):
            atoms = ", ".join(str(m) for m in self.marginals if m.discrete and not m.certain)
            raise DegenerateLawError(
                f"this law has no density: {atoms} sits on separate values and the continuous "
                f"marginals do not spread over all {image.dim} dimension{'s' * (image.dim > 1)}. "
                "Draw samples of it, or replace the discrete marginals by continuous ones."
            )

    def _image_on_line(self, image: Affine, x: Floats) -> Floats:
        return self._line_sum(image).density(x - image.mean[0])

    def _image_plane(self, image: Affine) -> Way:
        return PlaneSum(image.A, self.marginals, image.cov).way()

    def _image_error(self, image: Affine) -> float:
        if image.dim == 1:
            return self._line_sum(image).error()
        return PlaneSum(image.A, self.marginals, image.cov).error()

    def _image_blocks(self, image: Affine) -> list[Block]:
        if image.dim > 1:
            return super()._image_blocks(image)
        block = self._line_sum(image).block()
        return [block._replace(places=block.places + image.mean)]

    def _line_sum(self, image: Affine) -> LineSum:
        return LineSum(list(zip(image.A[0].tolist(), self.marginals, strict=True)))


def as_marginal(obj: Any, index: int | None = None) -> Marginal:
    """A marginal from a marginal, a number or a SciPy random variable.

    Examples
    --------
    >>> as_marginal(3)
    Point(value=3.0)
    """
    if isinstance(obj, Marginal):
        return obj
    if is_variable(obj):
        return marginal_from_variable(obj)
    if not isinstance(obj, (str, bytes)) and np.ndim(obj) == 0:
        try:
            number = float(obj)
        except (TypeError, ValueError):
            pass
        else:
            return Point(number)
    place = "a marginal" if index is None else f"marginals[{index}]"
    raise TypeError(
        complaint(
            place,
            "be a number, a marginal law or a SciPy random variable",
            f"got {obj!r}",
            "Use for instance Uniform(10, 12), Gaussian(14, 5.7) or scipy.stats.gamma(2.0)",
        )
    )
