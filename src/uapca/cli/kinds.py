"""The kinds of pictures, and what each is drawn from."""

from __future__ import annotations

__all__ = ["KINDS"]

KINDS = {
    "distributions": "two-dimensional rows as they are, with the components as axes",
    "projection": "the projected rows, as regions of their probability",
    "traces": "factor traces: the features as s goes from 0 to infinity",
    "eigenvalues": "the eigenvalues over s, with their crossings",
    "progression": "the traces growing beside the projection (.gif and .mp4 too)",
    "scree": "the variances, split into spread of means and errors",
    "biplot": "the projected rows and the features",
    "loadings": "the features in the circle of correlations",
    "contributions": "the share of each feature in each component",
    "cos2": "how well each row is represented",
    "components": "the loadings with their standard errors",
    "convergence": "sampling against the closed form",
    "simulation": "scores of simulated data sets",
}
