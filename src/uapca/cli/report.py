"""The report of a fit: tables of variances and loadings, and a verdict."""

from __future__ import annotations

import numpy as np

from uapca.cli.fitting import Fit, feature_names
from uapca.cli.labels import counted, shown
from uapca.cli.say import Grid, line, note, show

__all__ = ["percent", "print_report", "significant"]

# Longer tables are cut; the model in JSON has everything.
_MOST_VARIANCES, _MOST_FEATURES, _MOST_COMPONENTS = 20, 40, 8
# A row is named if it makes this share of a variance, and so many times its fair one.
_DRIVING, _TIMES, _FEWEST_ROWS = 0.3, 2.0, 4

_STYLES = (("cannot be told apart", "bold red"), ("not determined", "bold red"))
_QUESTIONS = {
    "values": "each row is one unknown value",
    "sample": "the points behind the groups are drawn again",
    "truth": "the errors of the estimated truth are counted",
}


def print_report(fit: Fit) -> None:
    """Print eigenvalues, loadings and the verdict on standard output."""
    show(_variances(fit))
    line()
    show(_loadings(fit))
    line()
    for sentence in _driving_rows(fit):
        line(sentence, "bold" if sentence else "")
    if fit.uncertainty is None:
        line(f"Stability: {fit.why_not}.")
        return
    line("Stability", "bold underline")
    for sentence in fit.uncertainty.verdict[:_MOST_VARIANCES]:
        style = next((style for words, style in _STYLES if words in sentence), "")
        line(f"{sentence}.", style)
    if not fit.uncertainty.verdict:
        line("there is one feature, so there is one component.")
    found = fit.uncertainty
    how = f"{found.n_draws} draws" if found.n_draws else "closed form"
    note(
        f"±       one standard error, if {_QUESTIONS[found.of]} ({how})\n"
        "errors  the part of a variance that is uncertainty of the rows\n"
        "tilt    the angle by which a component may be off"
    )


def _driving_rows(fit: Fit) -> list[str]:
    """Rows that make much of a variance, with an empty line after them; none if there are few."""
    if len(fit.X) < _FEWEST_ROWS:
        return []
    shares = fit.pca.row_contributions(fit.X).values[:, :_MOST_COMPONENTS]
    names = fit.X.names or [f"row {i + 1}" for i in range(len(fit.X))]
    found = [
        f"rows: {shown(names[n], 40)} makes {100 * shares[n, i]:.0f} % of PC{i + 1}'s variance."
        for i, n in enumerate(shares.argmax(axis=0).tolist())
        if shares[n, i] > max(_DRIVING, _TIMES / len(fit.X))
    ]
    return [*found, ""] if found else []


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
    listed = q if q <= _MOST_VARIANCES + 1 else _MOST_VARIANCES
    for i in range(listed):
        variance = significant(pca.explained_variance_[i])
        if found is not None:
            variance += f" ± {significant(fit.variance_std()[i], 2)}"
        row = [f"PC{i + 1}", variance, percent(pca.explained_variance_ratio_[i])]
        row.append(percent(in_all[i]))
        row += [percent(own[i])] if own is not None else []
        row += [f"{np.degrees(found.angle[i]):.1f}°"] if found is not None else []
        rows.append(row)
    if listed < d and in_all[-1] > 0.0:
        total = float(pca.explained_variance_.sum()) / float(in_all[-1])
        rest = total * max(0.0, 1.0 - float(in_all[listed - 1]))
        left = percent(max(0.0, 1.0 - in_all[listed - 1]))
        row = [counted(d - listed, "other"), significant(rest), left, percent(1.0)]
        rows.append([*row, *[""] * (len(header) - len(row))])
    name = "∞" if limit else f"{pca.scale:g}"
    title = f"Variances at s = {name}" + ", features standardized" * bool(fit.kept.standardize)
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
    features = feature_names(fit.X)
    count = min(len(A), _MOST_COMPONENTS)
    chosen = list(range(len(features)))
    if len(features) > _MOST_FEATURES + 1:
        largest = np.abs(A[:count]).max(axis=0)
        chosen = sorted(np.argsort(-largest, kind="stable")[:_MOST_FEATURES].tolist())
    rows = []
    for j in chosen:
        row = [features[j]]
        for i in range(count):
            cell = f"{A[i, j] + 0.0:.3f}"
            if found is not None:
                std = found.std[i, j]
                cell += " ± ∞" if np.isinf(std) else f" ± {std:.3f}"
            row.append(cell)
        rows.append(row)
    cut = len(chosen) < len(features) or count < len(A)
    title = f"Loadings, the {len(chosen)} largest; --json has all" if cut else "Loadings"
    if len(chosen) == len(features) and cut:
        title = f"Loadings of the first {count} components; --json has all"
    return Grid(["feature", *(f"PC{i + 1}" for i in range(count))], rows, title)
