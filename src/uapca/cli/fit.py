"""``uapca fit``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from uapca.cli.app import (
    components_option,
    data_argument,
    data_options,
    denoise_option,
    force_option,
    json_option,
    output_option,
    scale_option,
    standardize_option,
    subcommand,
)

if TYPE_CHECKING:
    from uapca.decomposition import UAPCA
    from uapca.stability import ComponentUncertainty
    from uapca.uncertain import UncertainArray

__all__ = ["fit"]

# Longer tables are cut; the model in JSON has everything.
_MOST_VARIANCES, _MOST_FEATURES, _MOST_COMPONENTS = 20, 40, 8
# A row is named if it makes this share of a variance, and so many times its fair one.
_DRIVING, _TIMES, _FEWEST_ROWS = 0.3, 2.0, 4
# Standard errors need a D × D matrix for each component: at most so many numbers in all.
_MOST_NUMBERS = 30_000_000
# Values up to which the number of components that stand out is looked for without being asked.
_COUNTED = 20_000


@subcommand(
    "fit",
    ("uapca fit students", ""),
    ("uapca fit stars.csv --scale 0", "ordinary PCA of the values, without their errors"),
    ("uapca fit stars.csv --denoise", "PCA of the true values, their errors removed"),
    ("uapca fit flowers.csv --by species --standardize", "labelled points: one row per species"),
    ("uapca fit grades.csv --words words.toml", 'cells such as 14±5.7, "[10, 12]" and words'),
    ("uapca fit stars.parquet -n 0.95 -o model.json", "as many components as explain 95 %"),
    ("uapca fit iris --json | jq .shares", ""),
)
@data_argument()
@components_option()
@scale_option
@standardize_option
@denoise_option
@click.option(
    "--ddof",
    type=click.FloatRange(0.0),
    metavar="N",
    default=0.0,
    show_default=True,
    help="Divide by N − ddof; with 1, certain points give what scikit-learn gives.",
)
@json_option
@output_option(".json", what="Keep the model, which uapca project and compare read")
@force_option
@data_options
def fit(
    data: str,
    components: Any,
    scale: float,
    standardize: bool,
    denoise: str | None,
    ddof: float,
    as_json: bool,
    output: str | None,
    force: bool,
    reading: Mapping[str, Any],
) -> None:
    """Eigenvalues, components and how far they can be trusted.

    Prints the variance of each component and its share, the entries of the components with their
    standard errors, and whether neighboring components can be told apart.
    """
    from uapca.cli.console import check_output, write_bytes
    from uapca.cli.data import check_data, denoised, fitted, read_data

    check_data(data)
    target = check_output(output, [".json"], force)
    observed = read_data(data, reading, denoise)
    X = denoised(observed, denoise)
    pca = fitted(X, components, scale, ddof=ddof, standardize=standardize)
    found, why_not = _judged(pca, X)
    if as_json or output == "-":
        write_bytes(None, _json(pca, found).encode(), "")
    else:
        _report(pca, X, found, why_not)
        if found is not None:
            _count(observed)
    if target is not None:
        write_bytes(target, _json(pca, found).encode(), "model")


def _judged(pca: UAPCA, X: UncertainArray) -> tuple[ComponentUncertainty | None, str]:
    """How uncertain the components are, or why that is not said."""
    import numpy as np

    from uapca.decomposition import unwrap
    from uapca.exceptions import SeparationWarning
    from uapca.stability import component_uncertainty

    if X.cov.kind == "zero" and X.counts is None:
        return None, "the rows are certain, so there are no standard errors"
    if pca.scale == 0.0:
        return None, "at s = 0 the rows count as certain, so there are no standard errors"
    if np.isinf(pca.scale):
        return None, "in the limit s = ∞ there are no standard errors"
    if pca.n_components_ * X.shape[1] ** 2 > _MOST_NUMBERS:
        return None, "for so many features and components standard errors are not computed"
    fitted, data = unwrap(pca, X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)  # the verdict says it
        try:
            return component_uncertainty(data, fitted.n_components_, scale=float(fitted.scale)), ""
        except ValueError as error:
            return None, str(error)


def _json(pca: UAPCA, found: ComponentUncertainty | None) -> str:
    """The model as `UAPCA.save` writes it, and its standard errors beside it."""
    import numpy as np

    from uapca.decomposition.io import fit_to_json

    def plain(array: Any) -> Any:  # JSON has no infinity: null for what is not determined
        if array.ndim > 1:
            return [plain(row) for row in array]
        return [value if np.isfinite(value) else None for value in array.tolist()]

    errors = (
        None
        if found is None
        else {
            "components_std": plain(found.std),
            "variances_std": plain(_variance_std(pca, found)),
            "tilt_degrees": plain(np.degrees(found.angle)),
            "verdict": list(found.verdict),
        }
    )
    return fit_to_json(pca, errors)


def _variance_std(pca: UAPCA, found: ComponentUncertainty) -> Any:
    """Standard errors of the variances, with the divisor of the fit."""
    return found.eigenvalue_std * (
        pca.explained_variance_[0] / found.eigenvalues[0] if pca.ddof else 1.0
    )


def _report(
    pca: UAPCA, X: UncertainArray, found: ComponentUncertainty | None, why_not: str
) -> None:
    from uapca.cli.console import line, percent, show

    show(_variances(pca, X, found))
    line()
    show(_components(pca, X, found))
    line()
    for sentence in _driving_rows(pca, X):
        line(sentence, "bold" if sentence else "")
    if pca.solver_ == "eigh" and X.cov.kind != "zero":
        shared = float(pca.uncertainty_share())
        line(f"The components shown hold {percent(shared)} of the rows' uncertainty.")
        line()
    if found is None:
        line(f"Stability: {why_not}.")
        return
    line("Stability", "bold underline")
    for sentence in found.verdict[:_MOST_VARIANCES]:
        line(f"{sentence.rstrip('.')}.")
    if not found.verdict:
        line("there is one feature, so there is one component.")
    question = {
        "values": "if each row is one unknown value",
        "sample": "if the points behind the groups were drawn again",
        "truth": "with the errors of the estimated truth",
    }[found.of]
    how = f"{found.n_draws:,} draws" if found.n_draws else "closed form"
    line()
    line(f"±       one standard error, {question} ({how})")
    line("errors  the part of a variance that is uncertainty of the rows")
    line("tilt    the angle by which a component may be off")


def _count(X: UncertainArray) -> None:
    """How many components stand out of the errors, where finding out does not take long."""
    import uapca
    from uapca.cli.console import line

    if X.source != "values" or X.cov.kind == "zero" or X.mean.size > _COUNTED or len(X) < 4:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = uapca.component_count(X)
    except ValueError:  # the errors do not fit the question; nobody asked
        return
    line()
    line(f"If the rows are noisy observations: {found.verdict}")


def _driving_rows(pca: UAPCA, X: UncertainArray) -> list[str]:
    """Rows that make much of a variance, with an empty line after them; none if there are few."""
    import numpy as np

    from uapca.cli.console import shown

    if len(X) < _FEWEST_ROWS:
        return []
    shares = np.asarray(pca.row_contributions(X))[:, :_MOST_COMPONENTS]
    names = X.names or [f"row {i + 1}" for i in range(len(X))]
    found = [
        f"rows: {shown(names[n], 40)} makes {100 * shares[n, i]:.0f} % of PC{i + 1}'s variance."
        for i, n in enumerate(shares.argmax(axis=0).tolist())
        if shares[n, i] > max(_DRIVING, _TIMES / len(X))
    ]
    return [*found, ""] if found else []


def _variances(pca: UAPCA, X: UncertainArray, found: ComponentUncertainty | None) -> Any:
    import numpy as np

    from uapca.cli.console import Grid, counted, percent, rounded, significant

    q, d = pca.n_components_, len(pca.mean_)
    limit = np.isinf(pca.scale)
    own = _from_errors(pca)
    header = ["component", "variance" + " / s²" * bool(limit), "share", "sum"]
    header += ["errors"] * (own is not None) + ["tilt"] * (found is not None)
    in_all = np.cumsum(pca.explained_variance_ratio_)
    listed = q if q <= _MOST_VARIANCES + 1 else _MOST_VARIANCES
    std = None if found is None else _variance_std(pca, found)
    rows = []
    for i in range(listed):
        value = pca.explained_variance_[i]
        variance = significant(value) if std is None else rounded(value, std[i])
        row = [
            f"PC{i + 1}",
            variance,
            percent(pca.explained_variance_ratio_[i]),
            percent(in_all[i]),
        ]
        row += [percent(own[i])] if own is not None else []
        row += [f"{np.degrees(found.angle[i]):.1f}°"] if found is not None else []
        rows.append(row)
    if listed < d and in_all[-1] > 0.0:
        total = float(pca.explained_variance_.sum()) / float(in_all[-1])
        left = max(0.0, 1.0 - float(in_all[listed - 1]))
        row = [counted(d - listed, "other"), significant(total * left), percent(left), percent(1.0)]
        rows.append([*row, *[""] * (len(header) - len(row))])
    name = "∞" if limit else f"{pca.scale:g}"
    title = f"Variances at s = {name}" + ", features standardized" * bool(pca.standardize)
    return Grid(header, rows, title)


def _from_errors(pca: UAPCA) -> list[float] | None:
    """The share of each variance that is uncertainty of the rows: s² vᵀΨ̄v / λ."""
    import numpy as np

    if pca.solver_ != "eigh" or np.isinf(pca.scale) or not pca.within_covariance_.any():
        return None
    A = pca.components_
    parts = pca.scale**2 * np.einsum("qi,ij,qj->q", A, pca.within_covariance_, A)
    total = np.where(pca.explained_variance_ > 0.0, pca.explained_variance_, 1.0)
    shares: list[float] = (parts / total).tolist()
    return shares


def _components(pca: UAPCA, X: UncertainArray, found: ComponentUncertainty | None) -> Any:
    import numpy as np

    from uapca.cli.console import Grid
    from uapca.cli.data import feature_names

    A, features = pca.components_, feature_names(X)
    count = min(len(A), _MOST_COMPONENTS)
    chosen = list(range(len(features)))
    if len(features) > _MOST_FEATURES + 1:
        largest = np.abs(A[:count]).max(axis=0)
        chosen = sorted(np.argsort(-largest, kind="stable")[:_MOST_FEATURES].tolist())
    rows = []
    for j in chosen:
        cells = [f"{A[i, j] + 0.0:.3f}" for i in range(count)]
        if found is not None:
            cells = [f"{cell} ± {found.std[i, j]:.3f}" for i, cell in enumerate(cells)]
        rows.append([features[j], *cells])
    title = "Components"
    if len(chosen) < len(features):
        title = f"Components, the {len(chosen)} features with the largest entries; --json has all"
    elif count < len(A):
        title = f"The first {count} components; --json has all"
    return Grid(["feature", *(f"PC{i + 1}" for i in range(count))], rows, title)
