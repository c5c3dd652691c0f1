"""Which eigenvector is which, from one matrix of a path to the next.

An eigenvector is followed by its overlap with its predecessor: never by a rule about its sign, and
never by its place in the order alone. Where the overlap of a vector with its like-placed
predecessor exceeds √½, no other can be larger and nothing has to be decided; only the other steps
are looked into. Vectors of tied eigenvalues have no identity of their own: their subspace is
matched as a whole, and its basis turned to its predecessor's (orthogonal Procrustes).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import scipy.optimize

from uapca.decomposition.spectrum import signed
from uapca.sensitivity.family import Eigenpairs, Flags
from uapca.uncertain.blocks import Doubles

__all__ = ["Positions", "follow", "like_placed", "match", "reach"]

Positions = npt.NDArray[np.intp]


def follow(pairs: Eigenpairs, anchor: int = 0) -> Positions:
    """Follow the eigenvectors from the first matrix to the last.

    Parameters
    ----------
    pairs : Eigenpairs
        Their vectors are changed in place: signs follow the predecessor, and so do the bases of
        tied subspaces.
    anchor : int
        The step at which the vectors have the signs of a fit there.

    Returns
    -------
    ndarray of shape (S, D)
        Where each of the D followed eigenvectors stands in the falling order, at each step; the
        numbers at the first are 0, 1, …, D - 1.
    """
    vectors, tied = pairs.vectors, pairs.tied
    steps, d = vectors.shape[:2]
    overlaps = like_placed(vectors[:-1], vectors[1:])
    loose = np.asarray(tied.any(axis=1))
    unclear = (np.abs(overlaps).min(axis=1) <= np.sqrt(0.5)) | loose[1:] | loose[:-1]
    order = np.tile(np.arange(d), (steps, 1))
    swapped = False
    for k in np.flatnonzero(unclear):
        places, overlaps[k] = match(vectors[k], vectors[k + 1], tied[k + 1])
        if (places != np.arange(d)).any():
            order[k + 1 :] = places[order[k]]
            swapped = True
    running = np.ones((steps, d))
    signs = np.where(overlaps < 0.0, -1.0, 1.0)
    np.cumprod(np.take_along_axis(signs, order[:-1], axis=1), axis=0, out=running[1:])
    # The rule of `spectrum` decides once, at the anchor; from there signs follow both ways.
    rows = vectors[anchor].T
    ruled = np.sign((signed(rows) * rows).sum(axis=1))[order[anchor]]
    running *= ruled * running[anchor]
    if swapped:
        placed = np.empty_like(running)
        np.put_along_axis(placed, order, running, axis=1)
        running = placed
    if (running < 0.0).any():
        vectors *= running[:, None, :]
    return order


def like_placed(before: Doubles, after: Doubles) -> Doubles:
    """Overlaps of the vectors with the same places, shape (S, q)."""
    return np.asarray(np.einsum("kdi,kdi->ki", before, after))


def match(before: Doubles, after: Doubles, tied: Flags) -> tuple[Positions, Doubles]:
    """Where each vector of one basis is found in the next, and its overlap with it.

    ``after``, shape (D, D), is changed in place: the basis of each of its ``tied`` subspaces is
    turned to fit ``before``.
    """
    d = len(after)
    overlap = before.T @ after
    share = np.square(overlap)
    groups = list(_groups(tied))
    for group in groups:
        share[:, group] = share[:, group].mean(axis=1, keepdims=True)
    places = _assignment(share)
    for group in groups:
        inside = (places >= group.start) & (places < group.stop)
        members = np.flatnonzero(inside)
        left, _, right = np.linalg.svd(overlap[members, group].T)
        after[:, group] = after[:, group] @ (left @ right)
        places[members] = np.arange(group.start, group.stop)
    if groups:
        overlap = before.T @ after
    return places, np.asarray(overlap[np.arange(d), places])


def reach(
    before: tuple[Doubles, Flags], after: tuple[Doubles, Flags], shown: range
) -> tuple[Positions, float]:
    """How two neighbours' vectors are matched, and the largest angle between matched ones.

    Only those count that stand in a ``shown`` place before or after. Unlike in `follow` neither
    basis has been turned to its predecessor's before, so that ties are undone on both sides.
    """
    (first, first_tied), (second, second_tied) = before, after
    second = second.copy()
    if first_tied.any():
        first = first.copy()
        match(second, first, first_tied)
    places, overlaps = match(first, second, second_tied)
    start = np.arange(len(places))
    count = (start >= shown.start) & (start < shown.stop)
    count |= (places >= shown.start) & (places < shown.stop)
    return places, float(np.arccos(np.minimum(np.abs(overlaps[count]), 1.0)).max())


def _assignment(share: Doubles) -> Positions:
    """The one-to-one matching: who keeps more than half stays, the others share out the rest best.

    Neighbours on the path are close, so that mostly all stay; more than half of a vector is in
    one place only, so that this is never ambiguous.
    """
    d = len(share)
    places = np.arange(d)
    open_ = np.flatnonzero(share[places, places] <= 0.5)
    if len(open_):
        rows, columns = scipy.optimize.linear_sum_assignment(
            share[np.ix_(open_, open_)], maximize=True
        )
        places[open_[rows]] = open_[columns]
    return places


def _groups(tied: Flags) -> Iterator[slice]:
    """Runs of tied vectors, two or more each."""
    start = 0
    for i, alike in enumerate([*tied, False]):
        if not alike:
            if i > start:
                yield slice(start, i + 1)
            start = i + 1
