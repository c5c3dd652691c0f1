"""The report of a fit: tables of variances and loadings, and a verdict."""

from __future__ import annotations

import numpy as np

from uapca.cli.fitting import Fit, feature_names
from uapca.cli.say import Grid, line, note, show

__all__ = ["percent", "print_report", "significant"]

_STYLES = (("cannot be told apart", "bold red"), ("are close", "yellow"), ("well apart", "green"))


def print_report(fit: Fit, groups: bool = False) -> None:
    """Print eigenvalues, loadings and the verdict on standard output.

    Where the rows are ``groups`` of points, what is one unknown value needs another word.
    """
    show(_variances(fit))
    line()
    show(_loadings(fit))
    line()
    if fit.uncertainty is None:
        line(f"Stability: {fit.why_not}.")
        return
    line("Stability", "bold underline")
    for sentence in fit.uncertainty.verdict:
        style = next((style for words, style in _STYLES if words in sentence), "")
        line(f"{sentence}.", style)
    if not fit.uncertainty.verdict:
        line("there is one feature, so there is one component.")
    value = "one point is drawn from each group" if groups else "each row is one unknown value"
    note(
        f"±       one standard error, if {value}\n"
        "errors  the part of a variance that is uncertainty of the rows\n"
        "tilt    the angle by which a component may be off"
    )


def significant(value: float, digits: int = 4) -> str:
    """A number with so many digits."""
    return "∞" if np.isinf(value) else f"{value:.{digits}g}"


def percent(share: float) -> str:
    """A share of one."""
    return f"{100 * share:.1f} %"


def _variances(fit: Fit) -> Grid:
    pca, found = fit.pca, fit.uncertainty
    q, d = pca.n_components_, len(pca.mean_)
    limit = np.isinf(pca.scale)
    header = ["component", "variance" + " / s²" * bool(limit), "share", "sum"]
    own = _from_errors(fit)
    header += ["errors"] * (own is not None) + ["tilt"] * (found is not None)
    rows = []
    in_all = np.cumsum(pca.explained_variance_ratio_)
    for i in range(q):
        variance = significant(pca.explained_variance_[i])
        if found is not None:
            variance += f" ± {significant(fit.variance_std()[i], 2)}"
        row = [f"PC{i + 1}", variance, percent(pca.explained_variance_ratio_[i])]
        row.append(percent(in_all[i]))
        row += [percent(own[i])] if own is not None else []
        row += [f"{np.degrees(found.angle[i]):.1f}°"] if found is not None else []
        rows.append(row)
    if q < d and pca.explained_variance_ratio_.sum() > 0.0:
        rest = pca.noise_variance_ * (d - q)
        others = f"{d - q} other{'s' * (d - q > 1)}"
        row = [others, significant(rest), percent(max(0.0, 1.0 - in_all[-1])), percent(1.0)]
        rows.append([*row, *[""] * (len(header) - len(row))])
    name = "∞" if limit else f"{pca.scale:g}"
    title = f"Variances at s = {name}" + ", features standardised" * (fit.scaler is not None)
    return Grid(header, rows, title)


def _from_errors(fit: Fit) -> list[float] | None:
    """The share of each variance that is uncertainty of the rows: s² vᵀΨ̄v / λ."""
    pca = fit.pca
    if pca.solver_ != "eigh" or np.isinf(pca.scale):
        return None
    within = pca.within_covariance_
    if not within.any():
        return None
    A = pca.components_
    parts = pca.scale**2 * np.einsum("qi,ij,qj->q", A, within, A)
    total = np.where(pca.explained_variance_ > 0.0, pca.explained_variance_, 1.0)
    shares: list[float] = (parts / total).tolist()
    return shares


def _loadings(fit: Fit) -> Grid:
    A, found = fit.pca.components_, fit.uncertainty
    rows = []
    for j, feature in enumerate(feature_names(fit.X)):
        row = [feature]
        for i in range(len(A)):
            cell = f"{A[i, j] + 0.0:.3f}"
            if found is not None:
                std = found.std[i, j]
                cell += " ± ∞" if np.isinf(std) else f" ± {std:.3f}"
            row.append(cell)
        rows.append(row)
    return Grid(["feature", *(f"PC{i + 1}" for i in range(len(A)))], rows, "Loadings")
