"""Files of this package, damaged or crafted: the data that was saved, or a sentence.

Damaged bytes of a ``.uapca`` file never give other data, since its parts have checksums. Crafted
files have right checksums and wrong content: what loads obeys every rule of the constructors.
"""

import copy
import io
import json
import random
import warnings
import zipfile

import numpy as np
import pytest

import uapca
from builders import KINDS, random_uncertain
from robustness.cases import BATCHES, batch_of, damaged

NUMBERS = (-1, -0.0, 0, 1, 2, 0.5, 3.7, 1e308, 1e400, -1e400, float("nan"), 10**30, 5e-324)
OTHERS = (None, True, "", "x", "\x1b[2J", [], {}, [[]], [1.0], ["a", "a"], {"kind": "normal"})


def same(X, Y):
    """Whether two arrays are equal in everything that a file holds."""
    described = ("names", "features", "total_weight", "origin", "source")
    pairs = [(X.mean, Y.mean), (X.given_weights, Y.given_weights), (X.counts, Y.counts)]
    pairs += [(X.cov.arrays[name], Y.cov.arrays[name]) for name in X.cov.arrays]
    return (
        all(getattr(X, name) == getattr(Y, name) for name in described)
        and (X.cov.kind, X.cov.multiplier) == (Y.cov.kind, Y.cov.multiplier)
        and all(a is b or np.array_equal(a, b, equal_nan=True) for a, b in pairs)
        and (X.laws is None) == (Y.laws is None)
        and (X.laws is None or list(X.laws) == list(Y.laws))
    )


def content_of(path):
    """The header and the arrays of a ``.uapca`` file, without this package's reader."""
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("uapca.json"))
        arrays = {
            name[:-4]: np.load(io.BytesIO(archive.read(name)))
            for name in archive.namelist()
            if name.endswith(".npy")
        }
    return header, arrays


def written(path, header, arrays, rng):
    header = dict(header)
    if isinstance(header.get("arrays"), dict) and rng.random() < 0.9:
        header["arrays"] = {name: [own.dtype.str, *own.shape] for name, own in arrays.items()}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("uapca.json", json.dumps(header))
        for name, own in arrays.items():
            kept = io.BytesIO()
            np.lib.format.write_array(kept, own)
            archive.writestr(f"{name}.npy", kept.getvalue())


def places(value):
    """Every container in a JSON value with every key in it."""
    keys = range(len(value)) if isinstance(value, list) else value
    for key in keys:
        yield value, key
        if isinstance(value[key], list | dict):
            yield from places(value[key])


def tampered(value, rng):
    """A copy of a JSON value with something changed, left out or put in."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice([1, 1, 2])):
        found = list(places(value))
        if not found:
            break
        container, key = rng.choice(found)
        kind = rng.randrange(10)
        if kind == 0:
            del container[key]
        elif kind == 1 and isinstance(container, list):
            container.append(copy.deepcopy(container[key]))
        elif kind == 2:
            source, other = rng.choice(found)
            with_it = source if isinstance(source, dict) else dict(enumerate(source))
            container[key] = copy.deepcopy(with_it.get(other))
        elif kind == 3 and type(container[key]) in (int, float):
            container[key] *= rng.choice([-1, 0, 1e-9, 1 + 1e-6, 1e300])
        else:
            container[key] = copy.deepcopy(rng.choice(NUMBERS if kind < 7 else OTHERS))
    return value


def tampered_array(own, rng):
    kind = rng.randrange(6)
    if kind == 0:
        with np.errstate(invalid="ignore", over="ignore"):
            return own.astype(rng.choice(["f4", "f2", "i8", "u1", "c16", "?", "U5", ">f8"]))
    if kind == 1:
        return own[: rng.randrange(len(own) + 1)] if own.ndim else own
    if kind == 2:
        return np.moveaxis(own, 0, -1) if own.ndim else own[None]
    if kind == 3:
        return own.reshape(rng.choice([(-1,), (1, *own.shape), (*own.shape, 1)]))
    own = own.copy()
    number = float(rng.choice(NUMBERS[:-3] + (np.inf, -np.inf)))
    if own.size and own.dtype.kind == "f":
        own.flat[rng.randrange(own.size)] = number
    return own


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Arrays of every kind, with their files and what those hold, and the files of a few fits."""
    path = tmp_path_factory.mktemp("saved") / "x"
    rng, arrays, fits = np.random.default_rng(0), [], []
    for kind in KINDS:
        arrays.append(random_uncertain(rng, 3, 2, kind, names=list("abc"), weights=[1, 2, 3]))
    cells = {"x": ["1", "[1, 2]", "3±1"], "y": ["T(1,2,3,4)", "Tri(0,1,2)", "5 +1 -2"]}
    arrays.append(uapca.from_table(cells))
    arrays.append(uapca.UncertainArray([[1.0, np.nan]] * 3, std=0.1, missing="keep"))
    arrays.append(uapca.from_groups(rng.normal(size=(6, 2)), ["a", "a", "b", "b", "b", "c"]))
    for k, X in enumerate(arrays):
        X.save(path)
        arrays[k] = X, path.read_bytes(), content_of(path)
        if X.missing is None:
            scale = [1.0, 0.0, np.inf][k % 3]
            own = uapca.UAPCA(1 + k // 2 % 2, scale=scale, standardize=k % 4 == 0)
            own.fit(X).save(path)
            fits.append(path.read_bytes())
    return arrays, fits


def obeys_the_rules(found):
    """What is wrong with data or a fit that was loaded, or None."""
    if isinstance(found, uapca.UncertainArray):
        cov, missing = found.cov.dense().astype(float), np.zeros(found.shape, bool)
        if found.missing is not None:
            missing = found.missing
        # Errors may have squares that overflow: a fit refuses them, if their row has a weight.
        known = np.isfinite(found.mean) & ~np.isnan(found.std)
        if not (known | missing).all():
            return "not finite"
        cov = cov[np.isfinite(cov).all(axis=(1, 2))]
        size = np.abs(cov).max(axis=(1, 2), initial=0.0)
        if (np.linalg.eigvalsh(cov).min(axis=1) < -1e-6 * size).any():
            return "an indefinite covariance"
        w = found.weights
        if not ((w >= 0).all() and abs(w.sum() - 1) < 1e-9):
            return f"weights {w}"
        for names, n in zip((found.names, found.features), found.shape, strict=True):
            if names is not None and not (len(names) == n == len(set(names))):
                return f"names {names}"
        if found.laws is not None:
            spread = np.abs(found.mean) + found.std
            for law, mean, near in zip(found.laws, found.mean, spread, strict=True):
                if not (np.abs(law.mean - mean) <= 1e-6 * near).all():
                    return f"a law with mean {law.mean} for {mean}"
        repr(found)
        if found.missing is None:
            try:
                found = uapca.UAPCA().fit(found)
            except ValueError as error:
                return None if "\n" not in str(error) else f"fit: {error!r}"
        else:
            return None
    A, values = found.components_.astype(float), found.explained_variance_
    if np.abs(A @ A.T - np.eye(len(A))).max() > 1e-5:
        return "components that are not orthonormal"
    shares = found.explained_variance_ratio_
    if not (np.isfinite(values).all() and (values >= 0).all() and np.sum(shares) < 1 + 1e-6):
        return f"variances {values} and shares {shares}"
    if found._between is not None:
        rest = A @ found.get_covariance() - values[:, None] * A
        if np.abs(rest).max() > 1e-5 * values.max():
            return "components of another covariance"
    repr(found)
    return None


def wrong_load(path, saved_as):
    """What is wrong with loading a file, or None; ``saved_as`` is what damage must give."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = uapca.load(path)
            if saved_as is not None:
                return None if same(found, saved_as) else f"other data: {found!r}"
            return obeys_the_rules(found)
    except ValueError as error:
        said = str(error)
        worded = "\n" not in said and repr(str(path)) in said and len(said) < 600
        return None if worded else f"{type(error).__name__}: {said!r}"
    except Exception as error:  # noqa: BLE001  (this is what the harness looks for)
        return f"{type(error).__name__}: {error}"


def make(case, path, arrays, fits):
    """Write the file of a case; what it must give, if that is known."""
    rng = random.Random(case)
    kind = case % 4
    if kind == 0:
        X, data, _ = rng.choice(arrays)
        path.write_bytes(damaged(data, rng))
        return X
    if kind == 1:
        _, _, (header, parts) = rng.choice(arrays)
        if rng.randrange(2):
            header = tampered(header, rng)
        else:
            name = rng.choice([*parts])
            parts = {**parts, name: tampered_array(parts[name], rng)}
        written(path, header, parts, rng)
        return None
    text = rng.choice(fits)  # without checksums: a digit may change, but every rule holds
    if kind == 2:
        path.write_bytes(damaged(text, rng))
    else:
        path.write_text(json.dumps(tampered(json.loads(text), rng)))
    return None


@pytest.mark.parametrize("batch", range(BATCHES))
def test_files_of_this_package(saved, tmp_path, batch, tried):
    path, wrong, cases = tmp_path / "x", [], batch_of("own files", batch)
    for case in cases:
        problem = wrong_load(path, make(case, path, *saved))
        if problem:
            wrong.append(f"case {case}: {problem}")
    tried("own files", len(cases))
    assert not wrong, "\n".join(wrong[:20])
