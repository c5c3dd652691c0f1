"""How uncertain the components are, in closed form.

First-order perturbation of eigenvectors and eigenvalues: a change δ of a covariance with
eigenpairs λ_i, v_i changes λ_i by v_iᵀδv_i and v_i by Σ_j v_j (v_jᵀδv_i) / (λ_i − λ_j). What
remains is the covariance of δv_i, a D × D matrix for each component, which is summed over the rows
without ever forming one matrix for each row.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from uapca._validation import complaint, out_of_range
from uapca.decomposition.spectrum import spectrum, tie_tolerance
from uapca.stability.realised import check_count, check_data, realised_covariance
from uapca.stability.rows import RowSums
from uapca.stability.verdict import SeparationWarning, verdict, warning_text
from uapca.uncertain import UncertainArray
from uapca.uncertain.blocks import Doubles

__all__ = ["ComponentUncertainty", "component_uncertainty"]

# Variances below this have lost digits, or their inverses overflow.
_SMALLEST = 1e-290

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class ComponentUncertainty:
    """How far eigenvectors and eigenvalues may be off.

    Attributes
    ----------
    components : ndarray of shape (q, D)
        The components the figures belong to, signed as those of `uapca.UAPCA`.
    eigenvalues : ndarray of shape (q,)
    covariance : ndarray of shape (q, D, D)
        The covariance of the entries of each component. Infinite where a component is tied.
    std : ndarray of shape (q, D)
        Standard errors of the entries.
    angle : ndarray of shape (q,)
        Half the opening of each component's cone in radians: the root mean square angle by which
        it tilts, √tr(covariance), at most π/2.
    eigenvalue_std : ndarray of shape (q,)
        Standard errors of the eigenvalues.
    gap : ndarray of shape (q,)
        The distance from each eigenvalue to its nearest neighbour, those left out included;
        infinite if there is one feature.
    separation : ndarray of shape (min(q, D − 1),)
        The gap between components i and i + 1 in standard deviations of what would close it: the
        errors of both eigenvalues, and the coupling that turns the components into each other.
    verdict : tuple of str
        ``separation`` in words, a sentence for each neighbouring pair.
    order : int
        The highest power of the errors that was kept.
    joint : ndarray of shape (q, D, q, D), or None
        The covariance between the entries of all components, if it was asked for.
    """

    components: Doubles
    eigenvalues: Doubles
    covariance: Doubles = field(repr=False)
    std: Doubles
    angle: Doubles
    eigenvalue_std: Doubles
    gap: Doubles
    separation: Doubles
    verdict: tuple[str, ...]
    order: int
    joint: Doubles | None = field(repr=False, default=None)

    def eigenvalue_interval(self, level: float = 0.95) -> Doubles:
        """Normal intervals for the eigenvalues, shape (q, 2); none reaches below zero.

        Parameters
        ----------
        level : float, default=0.95
            The share of realisations an interval should cover, between 0 and 1.
        """
        if not 0.0 < level < 1.0:
            raise ValueError(
                complaint("level", "lie between 0 and 1", f"got {level!r}", "Pass 0.95 for 95 %")
            )
        half = float(ndtri(0.5 + level / 2)) * self.eigenvalue_std
        return np.stack([np.maximum(self.eigenvalues - half, 0.0), self.eigenvalues + half], axis=1)

    def __repr__(self) -> str:
        lines = [f"ComponentUncertainty: {len(self.angle)} of {self.std.shape[1]} components"]
        for i, angle in enumerate(np.degrees(self.angle)):
            value, error = self.eigenvalues[i], self.eigenvalue_std[i]
            lines.append(f"  {i + 1}  variance {value:.4g} ± {error:.2g}, tilt {angle:.2g}°")
        return "\n".join(lines + [f"  {sentence}" for sentence in self.verdict])


def component_uncertainty(
    X: UncertainArray, n_components: int = 2, *, order: int = 2, joint: bool = False
) -> ComponentUncertainty:
    """The uncertainty of principal components whose rows are each one unknown realisation.

    The true values of the rows are not known, only their distributions; each possible set of
    values has its own PCA. This is the spread of those PCAs, to first order in the change of the
    covariance matrix, without a simulation.

    Parameters
    ----------
    X : UncertainArray of shape (N, D)
        Other errors: ``X.scaled(s)``.
    n_components : int, default=2
    order : {1, 2}, default=2
        Which powers of the errors count. 2 expands about the expected covariance
        C + Σ wₙ(1 − wₙ)Ψₙ, for equal weights C + (N − 1)/N Ψ̄, and includes the covariance of
        products of errors (Isserlis' theorem for normal rows): right for large errors too, as
        long as the gaps are. 1 expands about C, the PCA of the means, and keeps what is linear in
        the errors: Gaussian error propagation, as in VIPurPCA; right for small errors.
    joint : bool, default=False
        Whether to give the covariance between different components as well.

    Returns
    -------
    ComponentUncertainty

    Warns
    -----
    SeparationWarning
        If the gap between two neighbouring components is less than twice its standard deviation.

    See Also
    --------
    simulate : The same by drawing; the check on this, and the way on where this warns.

    Notes
    -----
    With aₙ = Vᵀ(mₙ − μ) and Pₙ = VᵀΨₙV the covariance of vᵢ's coefficients on v_j and v_l is

    Σ wₙ² [a_j a_l P_ii + a_j a_i P_il + a_i a_l P_ji + a_i² P_jl] / ((λᵢ − λ_j)(λᵢ − λ_l)),

    all with index n. Order 2 adds Σ B_nm² [Pₙ,ii P_m,jl + Pₙ,il P_m,ij] to the sum, with
    B = diag(w) − wwᵀ. The cost is that of a few (N, D) by (D, D) products for each component; there
    is no array of shape (N, D, D) unless X has one.

    The gap between components i and j is judged by the 2 × 2 block in which they mix: its standard
    deviation is √(Var(δᵢᵢ − δ_jj) + 4 Var δᵢ_j).

    References
    ----------
    S. Zabel, P. Hennig, K. Nieselt: VIPurPCA: Visualizing and Propagating Uncertainty in Principal
    Component Analysis. IEEE TVCG 30(4), 2024. doi:10.1109/TVCG.2023.3345532

    G. R. North, T. L. Bell, R. F. Cahalan, F. J. Moeng: Sampling Errors in the Estimation of
    Empirical Orthogonal Functions. Monthly Weather Review 110(7), 1982.

    Examples
    --------
    >>> import numpy as np, uapca
    >>> rng = np.random.default_rng(0)
    >>> X = uapca.UncertainArray(rng.normal(size=(100, 3)) * [5, 3, 1], std=0.5)
    >>> found = uapca.component_uncertainty(X)
    >>> found
    ComponentUncertainty: 2 of 3 components
      1  variance 29.83 ± 0.55, tilt 1°
      2  variance 9.304 ± 0.3, tilt 1.4°
      components 1 and 2 are well apart
      components 2 and 3 are well apart
    >>> found.eigenvalue_interval(0.9).round(2)
    array([[28.94, 30.73],
           [ 8.81,  9.8 ]])
    """
    X = check_data(X)
    d = X.shape[1]
    q = check_count(n_components, "n_components", d, "features")
    if isinstance(order, bool) or order not in (1, 2):
        raise ValueError(complaint("order", "be 1 or 2", f"got {order!r}", "Leave order at 2"))
    mean, base = realised_covariance(X, order)
    wanted = [(i, k) for i in range(q) for k in range(i, q if joint else i + 1)]
    # Numbers out of range are looked for once they have been used.
    with np.errstate(over="ignore", invalid="ignore"):
        unit, error = _units(X, base, order)
        pairs = spectrum(base / unit / unit)
        V = pairs.vectors
        sums = RowSums(X, mean, (unit, error), V[: q + 1], wanted, order)
        first, second = sums.first, sums.second
        turned = V @ sums.spreads @ V.T
        inverse, tied = _inverse_gaps(pairs.values * (unit / error), q)
        blocks = V.T @ (turned * inverse[first, :, None] * inverse[second, None, :]) @ V
        gap_variances = sums.gap_variances()
        if tied.any():
            loose = tied[first] | tied[second]
            _check_range(turned, gap_variances, blocks[~loose])
            blocks[loose] = np.inf
        else:  # what is not finite among the spreads is not among the blocks either
            _check_range(gap_variances, blocks)
    own = first == second
    covariance = blocks[own]
    variances = np.maximum(covariance.diagonal(axis1=1, axis2=2), 0.0)
    # Row i has Var(v_jᵀδv_i) for all j: δ_ii on its diagonal, and beside it the next component's.
    spreads = turned.diagonal(axis1=1, axis2=2)[own]
    separation = _separation(pairs.values, gap_variances + 4.0 * spreads.diagonal(1))
    separation *= unit / error
    text = warning_text(separation)
    if text is not None:
        warnings.warn(text, SeparationWarning, stacklevel=2)
    return ComponentUncertainty(
        components=V[:q],
        eigenvalues=pairs.values[:q] * unit**2,
        covariance=covariance,
        std=np.sqrt(variances),
        angle=np.minimum(np.sqrt(np.add.reduce(variances, axis=1)), np.pi / 2),
        eigenvalue_std=np.sqrt(np.maximum(spreads.diagonal(), 0.0)) * unit * error,
        gap=_gaps(pairs.values, q) * unit**2,
        separation=separation,
        verdict=verdict(separation),
        order=order,
        joint=_joint(blocks, first, second) if joint else None,
    )


def _units(X: UncertainArray, base: Doubles, order: int) -> tuple[float, float]:
    """Units of the spread and of the errors, powers of two: fourth powers to come stay finite.

    To order 2 both are one, the larger: there the errors are part of the spread.
    """
    spread = max(base.diagonal().tolist())
    within = float(X.cov.average_diagonal(X._weights).max())
    leading = max(spread, within) if order == 2 else spread
    lost = leading < _SMALLEST and (spread > 0.0 or _differ(X))
    if lost or not math.isfinite(within):
        raise ValueError(out_of_range("X", "underflows" if math.isfinite(within) else "overflows"))
    if order == 2:
        spread = within = max(spread, within)
    # What is too small to be squared is measured in the other's unit.
    large = max(spread, within)
    if spread < _SMALLEST:
        spread = large
    if within < _SMALLEST:
        within = large
    return _power_of_two(spread), _power_of_two(within)


def _differ(X: UncertainArray) -> bool:
    """Whether the means of rows that count are not all the same."""
    counted = X.mean if X._weights is None else X.mean[X._weights > 0.0]
    return bool((counted != counted[0]).any())


def _power_of_two(variance: float) -> float:
    """A power of two above the standard deviation, at most twice as large; 1 if there is none."""
    return math.ldexp(1.0, math.frexp(math.sqrt(max(variance, 0.0)))[1])


def _check_range(*found: Doubles) -> None:
    """Raise unless all numbers are finite and so are their sums."""
    if not all(math.isfinite(np.add.reduce(values, axis=None)) for values in found):
        raise ValueError(
            complaint(
                "X",
                "have errors and a spread of comparable size",
                "their ratio is so large that its powers do not fit into float64",
                "Check the units of the errors; to order 2 they are part of the spread",
            )
        )


def _inverse_gaps(values: Doubles, q: int) -> tuple[Doubles, npt.NDArray[np.bool_]]:
    """1 / (λ_i − λ_j), zero for j = i, shape (q, D); and which of the q components are tied."""
    gaps = values[:q, None] - values
    limit = tie_tolerance(len(values)) * float(values[0])
    equal = np.abs(gaps) <= limit
    gaps[equal] = np.inf
    return 1.0 / gaps, np.add.reduce(equal, axis=1) > 1


def _gaps(values: Doubles, q: int) -> Doubles:
    few = values[: q + 1].tolist()
    steps = [math.inf, *(a - b for a, b in pairwise(few)), math.inf]
    return np.array([min(pair) for pair in pairwise(steps)][:q])


def _separation(values: Doubles, variances: Doubles) -> Doubles:
    """Gaps between neighbours in standard deviations; a tie has none, whatever its errors."""
    limit = tie_tolerance(len(values)) * float(values[0])
    found = []
    for (a, b), variance in zip(pairwise(values.tolist()), variances.tolist(), strict=False):
        if a - b <= limit:
            found.append(0.0)
        else:
            found.append((a - b) / math.sqrt(variance) if variance > 0.0 else math.inf)
    return np.array(found)


def _joint(blocks: Doubles, first: Indices, second: Indices) -> Doubles:
    """The blocks of pairs, and their transposes, as one array (q, D, q, D)."""
    q, d = int(first[-1]) + 1, blocks.shape[1]
    joint = np.empty((q, d, q, d))
    joint[second, :, first, :] = blocks.transpose(0, 2, 1)
    joint[first, :, second, :] = blocks
    return joint
