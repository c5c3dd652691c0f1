"""``uapca compare``."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click

import uapca
from uapca.cli.app import (
    components_option,
    data_options,
    json_option,
    scale_from,
    standardize_option,
    subcommand,
)
from uapca.cli.console import CommandError, line, listed, note, show, significant
from uapca.cli.data import Data, feature_names, fitted, read_model

__all__ = ["compare"]


@subcommand(
    "compare",
    ("uapca compare model.json other.json", "two models that were kept"),
    ("uapca compare model.json new.csv", "a model and a fit of new data"),
    ("uapca compare students students --scale 0 --scale 1", "without the uncertainty, and with it"),
)
@data_options("a", "b")
@components_option
@click.option(
    "-s",
    "--scale",
    type=scale_from,
    metavar="S",
    multiple=True,
    help="The scale at which data is fitted; give it twice for A and B.  [default: 1]",
)
@standardize_option
@json_option
def compare(
    a: Data,
    b: Data,
    components: Any,
    scale: tuple[float, ...],
    standardize: bool,
    as_json: bool,
) -> None:
    """How different are two analyses?

    A and B are models (.json, from uapca fit -o) or DATA, which is fitted. The Hellinger distance
    of N(μ, K) goes from 0, the same, to 1, no overlap; principal angles compare the planes that
    are shown. The options for data hold for both.
    """
    if len(scale) > 2:
        raise CommandError("--scale can be given twice, for A and for B, not more often.")
    if a.name == b.name == "-":
        raise CommandError("standard input can be read once. Name a file for A or B.")
    fits = []
    # What is named twice is read once.
    for data, s in zip((a, a if a.name == b.name else b), (scale or (1.0,)) * 2, strict=False):
        if Path(data.name).suffix.lower() == ".json":
            fits.append(read_model(data.name))
        else:
            fits.append(fitted(data.rows(), components, scale=s, standardize=standardize))
    found = _compared(*fits)
    if as_json:
        line(json.dumps(found, indent=1, allow_nan=False))
        return
    rows = []
    if found["hellinger"] is not None:
        rows += [
            ["Hellinger distance, 0 to 1", significant(found["hellinger"])],
            ["Bhattacharyya coefficient (overlap)", significant(found["bhattacharyya"])],
        ]
    for i, angle in enumerate(found["principal_angles_degrees"]):
        rows.append([f"principal angle {i + 1}", f"{angle:.3f}°"])
    show(["measure", "value"], rows)


def _compared(a: uapca.UAPCA, b: uapca.UAPCA) -> dict[str, Any]:
    """Distances and angles, with the features of b in the order of a."""
    features, others = (
        feature_names(getattr(pca, "feature_names_in_", None), pca.n_features_in_) for pca in (a, b)
    )
    if set(features) != set(others):
        only = sorted(set(features) ^ set(others))
        raise CommandError(f"A and B have different features: {listed(only)} occur in one only.")
    order = [others.index(name) for name in features]
    if a.standardize != b.standardize:
        note("one of the two is standardized: angles compare components in different units")
    angles = uapca.principal_angles(a.components_, b.components_[:, order])
    found = {
        "hellinger": None,
        "bhattacharyya": None,
        "principal_angles_degrees": [math.degrees(angle) for angle in angles],
    }
    if not all(pca.solver_ == "eigh" and math.isfinite(pca.scale) for pca in (a, b)):
        note("no Hellinger distance: K is known at finite scales and where a fit forms it only")
        return found
    mean, cov = _normal(b)
    pair = _normal(a), (mean[order], cov[order][:, order])
    return found | {
        "hellinger": uapca.hellinger(*pair),
        "bhattacharyya": uapca.bhattacharyya(*pair),
    }


def _normal(pca: uapca.UAPCA) -> tuple[Any, Any]:
    """N(μ, K) in the units of the data."""
    K = pca.get_covariance()
    units = pca.feature_scale_
    return (pca.mean_, K) if units is None else (pca.mean_ * units, K * units * units[:, None])
