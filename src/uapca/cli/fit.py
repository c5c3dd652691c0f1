"""``uapca fit``."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import click

import uapca
from uapca.cli.app import (
    components_option,
    data_options,
    json_option,
    output_options,
    scale_option,
    standardize_option,
    subcommand,
)
from uapca.cli.console import (
    STDOUT,
    TABLES,
    CommandError,
    line,
    percent,
    plural,
    rounded,
    show,
    shown,
    significant,
    write_bytes,
    write_table,
)
from uapca.cli.data import Data, feature_names, fitted

__all__ = ["fit"]

# Longer tables are cut; the model in JSON has everything.
_MOST_VARIANCES, _MOST_FEATURES, _MOST_COMPONENTS = 20, 40, 8
# A row is named if it makes this share of a variance, and so many times its fair one.
_DRIVING, _TIMES, _FEWEST_ROWS = 0.3, 2.0, 4
_ROUNDING = 1e-12  # a share of the variance that is rounding error
# Standard errors need a D × D matrix for each component: at most so many numbers in all.
_MOST_NUMBERS = 30_000_000
# Values up to which the number of components that stand out is looked for without being asked.
_COUNTED = 20_000
_OF_ROWS = ("cos2", "row_contributions")
_TABLES = ("loadings", "contributions", "summary", *_OF_ROWS)


@subcommand(
    "fit",
    ("uapca fit students", ""),
    ("uapca fit stars.csv --scale 0", "ordinary PCA of the values, without their errors"),
    ("uapca fit stars.csv --denoise", "PCA of the true values, their errors removed"),
    ("uapca fit flowers.csv --by species --standardize", "labeled points: one row per species"),
    ("uapca fit grades.csv --words words.toml", 'cells such as 14±5.7, "[10, 12]" and words'),
    ("uapca fit stars.parquet -n 0.95 -o model.json", "as many components as explain 95 %"),
    ("uapca fit stars.csv --table loadings -o loadings.xlsx", "or contributions, cos2, summary"),
    ("uapca fit iris --json | jq .shares", ""),
)
@data_options("data")
@components_option
@scale_option
@standardize_option
@click.option(
    "--ddof",
    type=click.FloatRange(0.0),
    metavar="N",
    default=0.0,
    show_default=True,
    help="Divide by N − ddof; with 1, certain points give what scikit-learn gives.",
)
@json_option
@click.option(
    "--table",
    type=click.Choice(_TABLES),
    help="What -o writes as a table: features or rows in the components, or the components.",
)
@output_options(
    ".json", *TABLES, what="Keep the model, which uapca project and compare read; with --table",
    default="", allowed=lambda options: TABLES if options["table"] else (".json",),
)  # fmt: skip
def fit(
    data: Data,
    components: Any,
    as_json: bool,
    table: str | None,
    output: Path | None,
    **parameters: Any,
) -> None:
    """Eigenvalues, components and how far they can be trusted.

    Prints the variance of each component and its share, the entries of the components with their
    standard errors, and whether neighboring components can be told apart.
    """
    if table and output is None:
        raise CommandError("--table needs a file: -o FILE.csv, or -o - for standard output.")
    X = data.rows()
    pca = fitted(X, components, **parameters)
    if table:
        made = getattr(pca, table)(*[X] * (table in _OF_ROWS))
        rows = made.rows or range(1, len(made) + 1)
        columns = dict(zip(made.columns, made.values.T, strict=True))
        write_table(output, {made.of: rows, **columns}, table)
        return
    found, why_not = _judged(pca, X)
    if as_json:
        write_bytes(None, _json(pca, found).encode())
    elif output != STDOUT:
        _report(pca, X, data.observed, found, why_not)
    if output is not None and not (as_json and output == STDOUT):
        write_bytes(output, _json(pca, found).encode(), "model")


def _judged(
    pca: uapca.UAPCA, X: uapca.UncertainArray
) -> tuple[uapca.stability.ComponentUncertainty | None, str]:
    """How uncertain the components are, or why that is not said."""
    many = pca.n_components_ * X.shape[1] ** 2 > _MOST_NUMBERS
    reasons = {
        "the rows are certain, so there are no standard errors": (
            X.cov.kind == "zero" and X.counts is None
        ),
        "at s = 0 the rows count as certain, so there are no standard errors": pca.scale == 0.0,
        "in the limit s = ∞ there are no standard errors": math.isinf(pca.scale),
        "for so many features and components standard errors are not computed": many,
    }
    if any(reasons.values()):
        return None, next(why for why, holds in reasons.items() if holds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uapca.SeparationWarning)  # the verdict says it
        try:
            return uapca.component_uncertainty(X, fit=pca), ""
        except ValueError as error:
            return None, str(error)


def _json(pca: uapca.UAPCA, found: uapca.stability.ComponentUncertainty | None) -> str:
    """The model as `UAPCA.save` writes it, and its standard errors beside it."""
    import numpy as np

    from uapca.decomposition.io import fit_to_json

    if found is None:
        return fit_to_json(pca)

    def plain(array: Any) -> Any:  # JSON has no infinity: null for what is not determined
        values: Any = np.where(np.isfinite(array), array, np.array(None))
        return values.tolist()

    errors = {
        "components_std": plain(found.std),
        "variances_std": plain(found.eigenvalue_std),
        "tilt_degrees": plain(np.degrees(found.angle)),
        "verdict": list(found.verdict),
    }
    return fit_to_json(pca, errors)


def _report(
    pca: uapca.UAPCA,
    X: uapca.UncertainArray,
    observed: uapca.UncertainArray,
    found: uapca.stability.ComponentUncertainty | None,
    why_not: str,
) -> None:
    _show_variances(pca, found)
    line()
    _show_components(pca, X, found)
    line()
    driving = _driving_rows(pca, X)
    for sentence in driving:
        line(sentence, bold=True)
    if driving:
        line()
    if X.cov.kind != "zero":
        held = percent(pca.uncertainty_share())
        line(f"The components shown hold {held} of the rows' uncertainty.")
        line()
    if found is None:
        line(f"Stability: {why_not}.")
        return
    line("Stability", bold=True, underline=True)
    for sentence in found.verdict[:_MOST_VARIANCES]:
        line(f"{sentence.rstrip('.')}.")
    if not found.verdict:
        line("there is one feature, so there is one component.")
    how = f"{found.n_draws:,} draws" if found.n_draws else "closed form"
    line()
    line(f"±       one standard error, {found.assumption} ({how})")
    line("errors  the part of a variance that is uncertainty of the rows")
    line("tilt    the angle by which a component may be off")
    count = _count(observed)
    if count:
        line()
        denoised = X.source == "posterior"
        of = "Of the observations" if denoised else "If the rows are noisy observations"
        line(f"{of}: {count}")


def _show_variances(pca: uapca.UAPCA, found: uapca.stability.ComponentUncertainty | None) -> None:
    q, d = pca.n_components_, len(pca.mean_)
    at_infinity = math.isinf(pca.scale)
    summary = pca.summary()
    with_errors = bool(summary["uncertainty"].any()) and not at_infinity
    header = ["component", "variance" + " / s²" * at_infinity, "share", "sum"]
    header += ["errors"] * with_errors + ["tilt"] * (found is not None)
    most = q if q <= _MOST_VARIANCES + 1 else _MOST_VARIANCES
    rows = []
    for i, (value, share, total, errors, _) in enumerate(summary.values[:most].tolist()):
        row = [f"PC{i + 1}", significant(value), percent(share), percent(total)]
        row += [percent(errors)] * with_errors
        if found is not None:
            row[1] = rounded(value, found.eigenvalue_std[i])
            row.append(f"{math.degrees(found.angle[i]):.1f}°")
        rows.append(row)
    if most < d and total > 0.0:
        left = max(0.0, 1.0 - total)
        whole = summary["variance"].sum() / summary["share"].sum()
        row = [plural(d - most, "other"), significant(whole * left), percent(left), percent(1.0)]
        rows.append(row + [""] * (len(header) - len(row)))
    name = "∞" if at_infinity else f"{pca.scale:g}"
    show(header, rows, f"Variances at s = {name}" + ", features standardized" * pca.standardize)


def _show_components(
    pca: uapca.UAPCA, X: uapca.UncertainArray, found: uapca.stability.ComponentUncertainty | None
) -> None:
    A, features = pca.components_, feature_names(X.features, X.shape[1])
    count, chosen = min(len(A), _MOST_COMPONENTS), list(range(len(features)))
    title = "Components"
    if len(features) > _MOST_FEATURES + 1:
        largest = (-abs(A[:count]).max(axis=0)).argsort(kind="stable")
        chosen = sorted(largest[:_MOST_FEATURES].tolist())
        title += f", the {_MOST_FEATURES} features with the largest entries; --json has all"
    elif count < len(A):
        title = f"The first {count} components; --json has all"
    rows = []
    for j in chosen:
        cells = [
            f"{A[i, j] + 0.0:.3f}" if found is None else rounded(A[i, j], found.std[i, j])
            for i in range(count)
        ]
        rows.append([features[j], *cells])
    show(["feature", *(f"PC{i + 1}" for i in range(count))], rows, title)


def _driving_rows(pca: uapca.UAPCA, X: uapca.UncertainArray) -> list[str]:
    """Sentences on rows that make much of a variance."""
    if len(X) < _FEWEST_ROWS:
        return []
    shares = pca.row_contributions(X).values[:, :_MOST_COMPONENTS]
    names = X.names or [f"row {i + 1}" for i in range(len(X))]
    there = pca.explained_variance_ratio_ > _ROUNDING
    return [
        f"rows: {shown(names[n], 40)} makes {100 * shares[n, i]:.0f} % of PC{i + 1}'s variance."
        for i, n in enumerate(shares.argmax(axis=0).tolist())
        if there[i] and shares[n, i] > max(_DRIVING, _TIMES / len(X))
    ]


def _count(X: uapca.UncertainArray) -> str:
    """How many components stand out from the errors, where finding out does not take long."""
    if X.source != "values" or X.cov.kind == "zero" or X.mean.size > _COUNTED or len(X) < 4:
        return ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return uapca.component_count(X).verdict
    except ValueError as error:
        return f"the components that stand out cannot be counted: {error}."
