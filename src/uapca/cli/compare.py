"""``uapca compare``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from uapca.cli.app import (
    Scale,
    components_option,
    data_argument,
    data_options,
    json_option,
    standardize_option,
    subcommand,
)

if TYPE_CHECKING:
    from uapca.decomposition import UAPCA
    from uapca.uncertain import UncertainArray

__all__ = ["compare"]


@subcommand(
    "compare",
    ("uapca compare model.json other.json", "two models that were kept"),
    ("uapca compare model.json new.csv", "a model and a fit of new data"),
    ("uapca compare students students --scale 0 --scale 1", "without the uncertainty, and with it"),
)
@data_argument("a")
@data_argument("b")
@components_option()
@click.option(
    "-s",
    "--scale",
    type=Scale(),
    multiple=True,
    help="The scale at which data is fitted; give it twice for A and B.  [default: 1]",
)
@standardize_option
@json_option
@data_options
def compare(
    a: str,
    b: str,
    components: Any,
    scale: tuple[float, ...],
    standardize: bool,
    as_json: bool,
    reading: Mapping[str, Any],
) -> None:
    """How different are two analyses?

    A and B are models (.json, from uapca fit -o) or DATA, which is fitted. The Hellinger distance
    of N(μ, K) goes from 0, the same, to 1, no overlap; principal angles compare the planes that
    are shown. The options for data hold for both.
    """
    from uapca.cli.console import CommandError, Grid, show, significant
    from uapca.cli.data import check_data, fitted, read_data, read_model

    if len(scale) > 2:
        raise CommandError("--scale can be given twice, for A and for B, not more often.")
    if a == b == "-":
        raise CommandError("standard input can be read once. Name a file for A or B.")
    for side in (a, b):
        check_data(side)
    data: dict[str, UncertainArray] = {}
    models: dict[str, UAPCA] = {}
    for name in dict.fromkeys((a, b)):  # what is named twice is read once
        if Path(name).suffix.lower() == ".json":
            models[name] = read_model(name)
        else:
            data[name] = read_data(name, reading)
    first, second = (
        models[name]
        if name in models
        else fitted(data[name], components, s, standardize=standardize)
        for name, s in zip((a, b), (scale or (1.0,)) * 2, strict=False)
    )
    found = _compared(first, _reordered(second, first))
    if as_json:
        click.echo(json.dumps(found, indent=1, allow_nan=False))
        return
    rows = []
    if found["hellinger"] is not None:
        rows += [
            ["Hellinger distance, 0 to 1", significant(found["hellinger"])],
            ["Bhattacharyya coefficient (overlap)", significant(found["bhattacharyya"])],
        ]
    for i, angle in enumerate(found["principal_angles_degrees"]):
        rows.append([f"principal angle {i + 1}", f"{angle:.3f}°"])
    show(Grid(["measure", "value"], rows))


def _reordered(pca: UAPCA, like: UAPCA) -> UAPCA:
    """The fit with its features in the order of another."""
    import copy

    import numpy as np

    from uapca.cli.console import CommandError, listed

    def features_of(fit: UAPCA) -> tuple[str, ...]:
        names = getattr(fit, "feature_names_in_", None)
        return tuple(f"x{j}" for j in range(fit.n_features_in_)) if names is None else tuple(names)

    features, wanted = features_of(pca), features_of(like)
    if features == wanted:
        return pca
    if set(features) != set(wanted):
        only = sorted(set(features) ^ set(wanted))
        raise CommandError(f"A and B have different features: {listed(only)} occur in one only.")
    order = [features.index(name) for name in wanted]
    turned = copy.copy(pca)
    turned.feature_names_in_ = np.array(wanted, dtype=object)
    turned.mean_, turned.components_ = pca.mean_[order], pca.components_[:, order]
    if pca.feature_scale_ is not None:
        turned.feature_scale_ = pca.feature_scale_[order]
    if pca._between is not None:
        turned._between = pca._between[order][:, order]
    if pca._within is not None:
        turned._within = pca._within[order][:, order]
    return turned


def _compared(a: UAPCA, b: UAPCA) -> dict[str, Any]:
    import numpy as np

    from uapca.cli.console import note
    from uapca.compare import bhattacharyya, hellinger, principal_angles

    if a.standardize != b.standardize:
        note("one of the two is standardized: angles compare components in different units")
    known = all(pca.solver_ == "eigh" and np.isfinite(pca.scale) for pca in (a, b))
    if not known:
        note("no Hellinger distance: K is known at finite scales and where a fit forms it only")
    angles = np.degrees(principal_angles(a.components_, b.components_)).tolist()
    return {
        "hellinger": hellinger(a, b) if known else None,
        "bhattacharyya": bhattacharyya(a, b) if known else None,
        "principal_angles_degrees": angles,
    }
