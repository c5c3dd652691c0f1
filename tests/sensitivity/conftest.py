"""Data sets whose traces are known."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from uapca import UncertainArray


@pytest.fixture
def iris() -> UncertainArray:
    """The three species of iris: means and population covariances, weights by size."""
    data = load_iris()
    points, species = data.data, data.target
    groups = [points[species == k] for k in range(3)]
    return UncertainArray(
        [g.mean(axis=0) for g in groups],
        [np.cov(g.T, ddof=0) for g in groups],
        weights=[float(len(g)) for g in groups],
        names=list(data.target_names),
        features=["sepal length", "sepal width", "petal length", "petal width"],
    )


@pytest.fixture
def students() -> UncertainArray:
    """Student grades (Denœux & Masson 2004), by the means and deviations of their marks."""
    bad, fair, good, great = (0, 0, 2, 6), (10, 11, 13, 15), (13, 14, 16, 18), (14, 18, 20, 20)
    rows = {
        "Tom": [15, fair, (14.0, 5.7, "normal"), (14, 16)],
        "David": [9, good, fair, 10],
        "Bob": [6, (10, 11), (13, 20), good],
        "Jane": [fair, great, 19, (10, 12)],
        "Joe": [bad, (5, 7, 9, 10), (10, 14), 14],
        "Jack": [1, (4, 6), 9, (6, 9)],
    }
    moments = np.array([[_moments(cell) for cell in row] for row in rows.values()])
    return UncertainArray(
        moments[..., 0], std=moments[..., 1], names=list(rows), features=["M1", "M2", "P1", "P2"]
    )


def _moments(cell: object) -> tuple[float, float]:
    """Mean and standard deviation of a mark: certain, uniform, normal or trapezoidal."""
    if not isinstance(cell, tuple):
        return float(cell), 0.0  # type: ignore[arg-type]
    if len(cell) == 2:
        return (cell[0] + cell[1]) / 2, (cell[1] - cell[0]) / np.sqrt(12)
    if len(cell) == 3:
        return cell[0], cell[1]
    # The density rises from a to b, is flat to c and falls to d; by exact quadrature of x and x².
    a, b, c, d = cell
    nodes, weights = np.polynomial.legendre.leggauss(3)
    first = second = mass = 0.0
    for low, high, left, right in ((a, b, 0.0, 1.0), (b, c, 1.0, 1.0), (c, d, 1.0, 0.0)):
        x = low + (high - low) * (nodes + 1) / 2
        density = (left + (right - left) * (nodes + 1) / 2) * weights * (high - low) / 2
        mass += density.sum()
        first += (density * x).sum()
        second += (density * x * x).sum()
    mean = first / mass
    return mean, np.sqrt(second / mass - mean**2)


@pytest.fixture
def two_bumps() -> UncertainArray:
    """Four normals in three dimensions with two avoided crossings, near s = 0.37 and 0.54."""
    means = [[-1.7, 0.4, 2.3], [-2.0, 1.0, -1.9], [1.1, -2.7, -0.4], [2.6, 1.3, 0.0]]
    shape = np.array([[1.6, 3.4, -0.8], [3.4, 8.9, -2.8], [-0.8, -2.8, 8.1]])
    sizes = np.array([0.6, 0.8, 1.2, 1.4])
    return UncertainArray(means, sizes[:, None, None] * shape, features=["u", "v", "w"])
