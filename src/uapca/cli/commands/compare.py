"""``uapca compare``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from uapca.cli.choices import Choices
from uapca.cli.options import (
    Scale,
    components_option,
    data_argument,
    data_options,
    standardize_option,
    subcommand,
)

if TYPE_CHECKING:
    from uapca.cli.model import Model
    from uapca.uncertain import UncertainArray

__all__ = ["command"]


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
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@data_options
def compare(
    a: str,
    b: str,
    components: int | float | None,
    scale: tuple[float, ...],
    standardize: bool,
    as_json: bool,
    choices: Choices,
) -> None:
    """How different are two analyses?

    A and B are models (.json, from uapca fit -o) or DATA, which is fitted. The Hellinger distance
    of N(μ, K) goes from 0, the same, to 1, no overlap; principal angles compare the planes that
    are shown. The options for data hold for both.
    """
    from uapca.cli.data import check_data
    from uapca.cli.errors import CommandError

    if len(scale) > 2:
        raise CommandError("--scale can be given twice, for A and for B, not more often.")
    if a == b == "-":
        raise CommandError("standard input can be read once. Name a file for A or B.")
    for side in (a, b):
        check_data(side)
    scales = (scale or (1.0,)) * 2
    first, second = _sides(a, b, components, scales, standardize, choices)
    found = _compared(first, _reordered(second, first))
    if as_json:
        import json

        click.echo(json.dumps(found, indent=1, allow_nan=False))
        return
    _print(found)


def _sides(
    a: str, b: str, components: Any, scales: Sequence[float], standardize: bool, choices: Choices
) -> list[Model]:
    """The models, and the fits of data; data that is named twice is read once."""
    from pathlib import Path

    from uapca.cli.model import read_model

    models: dict[str, Model] = {}
    data: dict[str, UncertainArray] = {}
    for name in dict.fromkeys((a, b)):
        if Path(name).suffix.lower() == ".json":
            models[name] = read_model(name)
        else:
            from uapca.cli.data import read_data

            data[name] = read_data(name, choices)
    if not data:
        return [models[a], models[b]]
    from uapca.cli.fitting import fitted

    return [
        models[name]
        if name in models
        else fitted(data[name], components, scale, standardize=standardize).model()
        for name, scale in zip((a, b), scales, strict=False)
    ]


def _reordered(model: Model, like: Model) -> Model:
    """The model with its features in the order of another."""
    from dataclasses import replace

    from uapca.cli.errors import CommandError
    from uapca.cli.labels import listed

    if model.features == like.features:
        return model
    if set(model.features) != set(like.features):
        only = sorted(set(model.features) ^ set(like.features))
        raise CommandError(f"A and B have different features: {listed(only)} occur in one only.")
    order = [model.features.index(name) for name in like.features]
    square = {
        name: None if matrix is None else matrix[order][:, order]
        for name, matrix in (("between", model.between), ("within", model.within))
    }
    return replace(
        model,
        features=like.features,
        mean=model.mean[order],
        components=model.components[:, order],
        scaler=None if model.scaler is None else (model.scaler[0][order], model.scaler[1][order]),
        between=square["between"],
        within=square["within"],
        uncertainty=None,
    )


def _compared(a: Model, b: Model) -> dict[str, Any]:
    import numpy as np

    from uapca.cli.say import note
    from uapca.compare import bhattacharyya, hellinger, principal_angles

    if (a.scaler is None) != (b.scaler is None):
        note("one of the two is standardised: angles compare components in different units")
    first, second = a.normal(), b.normal()
    known = first is not None and second is not None
    if not known:
        note("no Hellinger distance: K is known at finite scales and where a fit forms it only")
    return {
        "hellinger": hellinger(first, second) if known else None,
        "bhattacharyya": bhattacharyya(first, second) if known else None,
        "principal_angles_degrees": np.degrees(
            principal_angles(a.components, b.components)
        ).tolist(),
    }


def _print(found: dict[str, Any]) -> None:
    from uapca.cli.report import significant
    from uapca.cli.say import Grid, show

    rows = []
    if found["hellinger"] is not None:
        rows += [
            ["Hellinger distance, 0 to 1", significant(found["hellinger"])],
            ["Bhattacharyya coefficient (overlap)", significant(found["bhattacharyya"])],
        ]
    for i, angle in enumerate(found["principal_angles_degrees"]):
        rows.append([f"principal angle {i + 1}", f"{angle:.3f}°"])
    show(Grid(["measure", "value"], rows))


command = compare
