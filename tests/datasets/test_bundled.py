"""Student grades and irises, against hand computation and published numbers."""

from fractions import Fraction

import numpy as np
import pytest

import uapca
from uapca.datasets import GRADES, load_iris_groups, load_students
from uapca.inputs import parse_cell
from uapca.laws import NormalMarginal, Point, Trapezoid, Uniform


def trapezoid_moments(a, b, c, d):
    """Mean and variance by exact integration of x and x² over the three pieces."""
    a, b, c, d = map(Fraction, (a, b, c, d))
    height = 2 / ((d - a) + (c - b))
    total = [Fraction(0)] * 2
    for low, high, at_low, at_high in ((a, b, 0, 1), (b, c, 1, 1), (c, d, 1, 0)):
        if high == low:
            continue
        slope = Fraction(at_high - at_low) / (high - low)
        for k in (1, 2):
            # ∫ xᵏ (at_low + slope (x − low)) dx
            first = (at_low - slope * low) * (high ** (k + 1) - low ** (k + 1)) / (k + 1)
            second = slope * (high ** (k + 2) - low ** (k + 2)) / (k + 2)
            total[k - 1] += height * (first + second)
    return total[0], total[1] - total[0] ** 2


def test_the_words_by_hand():
    for text in GRADES.values():
        law = parse_cell(text)
        mean, var = trapezoid_moments(*law.numbers)
        assert law.mean == pytest.approx(float(mean), rel=1e-12)
        assert law.var == pytest.approx(float(var), rel=1e-12)
    assert trapezoid_moments(10, 11, 13, 15)[0] == Fraction(86, 7)
    assert parse_cell(GRADES["fairly good"]).var == pytest.approx(1.2278911564, abs=1e-10)


def test_the_table():
    X = load_students()
    assert X.names == ("Tom", "David", "Bob", "Jane", "Joe", "Jack")
    assert X.features == ("M1", "M2", "P1", "P2")
    good, fair = Trapezoid(13, 14, 16, 18), Trapezoid(10, 11, 13, 15)
    expected = {
        "Tom": (Point(15), fair, NormalMarginal(14, 5.7), Uniform(14, 16)),
        "David": (Point(9), good, fair, Point(10)),
        "Bob": (Point(6), Uniform(10, 11), Uniform(13, 20), good),
        "Jane": (fair, Trapezoid(14, 18, 20, 20), Point(19), Uniform(10, 12)),
        "Joe": (Trapezoid(0, 0, 2, 6), Trapezoid(5, 7, 9, 10), Uniform(10, 14), Point(14)),
        "Jack": (Point(1), Uniform(4, 6), Point(9), Uniform(6, 9)),
    }
    assert {name: law.marginals for name, law in zip(X.names, X.laws, strict=True)} == expected


def test_eigenvalues():
    X = load_students()
    assert uapca.UAPCA(scale=0).fit(X).explained_variance_[0] == pytest.approx(46.92907, abs=5e-6)
    assert uapca.UAPCA(scale=1).fit(X).explained_variance_[0] == pytest.approx(48.59875, abs=5e-6)


def test_the_length_of_p1_rises_toward_one():
    X = load_students()
    lengths = [
        np.linalg.norm(uapca.UAPCA(2, scale=s).fit(X).components_[:, 2])
        for s in (0, 0.25, 0.5, 1, 2, 4, 8, 100)
    ]
    assert np.all(np.diff(lengths) > 0)
    assert 1 - lengths[-1] < 1e-6


def test_laws_and_moments_fit_identically():
    X = load_students()
    a = uapca.UAPCA().fit(X)
    b = uapca.UAPCA().fit(uapca.UncertainArray(X.mean, std=X.std))
    np.testing.assert_array_equal(a.components_, b.components_)
    np.testing.assert_array_equal(a.explained_variance_, b.explained_variance_)


def test_the_csv_is_what_from_table_reads():
    path = load_students(as_table=True)
    assert path.name == "students.csv"
    assert list(uapca.from_table(path, words=GRADES).laws) == list(load_students().laws)


def test_irises_have_the_covariance_of_all_flowers():
    from sklearn.datasets import load_iris

    X = load_iris_groups()
    cov = uapca.UAPCA(scale=1).fit(X).get_covariance()
    np.testing.assert_allclose(cov, np.cov(load_iris().data.T, ddof=0), rtol=1e-12)
    assert X.features[0] == "sepal length (cm)"
