"""The film of the progression: what is in the frames, and the files."""

import shutil
from importlib import import_module

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from PIL import Image

import uapca
from builders import program
from uapca.plot.progression import turning

animation = import_module("uapca.plot.animation")  # the attribute of the package is the function
X = uapca.datasets.make_progression()
PCA = uapca.UAPCA(2).fit(X)
SHORT = {"seconds": 1.0, "fps": 6, "dpi": 40}


def test_u_grows_evenly_and_rests_at_0_1_and_infinity():
    steps = animation.frame_path(100)
    assert len(steps) == 100
    assert (np.diff(steps) >= 0).all()
    assert [np.sum(steps == rest) for rest in (0.0, 0.5, 1.0)] == [8, 8, 8]
    assert np.diff(steps).max() < 0.014
    assert set(animation.frame_path(1)) >= {0.0, 0.5, 1.0}


def frame(plan, u):
    figure = plt.figure()
    left, right = figure.subplots(1, 2)
    animation.draw_frame(plan, left, right, u)
    return left, right


def test_frames_are_smooth_and_nothing_flips():
    students = uapca.datasets.load_students()
    plan = turning(uapca.UAPCA().fit(students), students)
    before = None
    for u in np.linspace(0.0, 1.0, 61):
        course = plan.course(float(u))
        now = course.points[-1], np.asarray(plan.rows(course).mean) / plan.reach
        if before is not None:
            for a, b in zip(before, now, strict=True):
                assert np.linalg.norm(a - b, axis=1).max() < 0.3
        before = now


def test_every_frame_has_the_same_room():
    plan = turning(PCA, X)
    frames = [frame(plan, u) for u in (0.0, 0.3, 1.0)]
    assert len({right.get_xlim() for _, right in frames}) == 1
    assert [left.get_title() for left, _ in frames] == ["s = 0", "s = 0.43", "s → ∞"]
    ends = [line.get_xydata()[1] for line in frames[1][0].lines if line.get_gid() == "now"]
    np.testing.assert_allclose(ends, plan.course(0.3).points[-1])


def test_a_gif_has_the_frames_and_the_time(tmp_path):
    seen = []
    path = uapca.plot.animation(
        PCA,
        X,
        tmp_path / "film.gif",
        progress=lambda done, total: seen.append((done, total)),
        **SHORT,
    )
    assert path == tmp_path / "film.gif"
    assert seen == [(k, 6) for k in range(1, 7)]
    with Image.open(path) as film:
        total = 0
        for k in range(film.n_frames):
            film.seek(k)
            total += film.info["duration"]
        film.seek(0)
        assert film.convert("RGB").getpixel((1, 1)) == (255, 255, 255)
        assert film.info["loop"] == 0
    assert abs(total - 1000) < 6 * 10  # each frame is in whole hundredths of a second
    assert [entry.name for entry in tmp_path.iterdir()] == ["film.gif"]


def test_a_title_a_size_and_no_legend(tmp_path):
    made = {}
    for name, options in {
        "plain": {"legend": False},
        "titled": {"legend": False, "title": "T" * 40},
        "small": {"figsize": (5.0, 3.0)},
    }.items():
        path = uapca.plot.animation(PCA, X, tmp_path / f"{name}.gif", **SHORT, **options)
        with Image.open(path) as film:
            made[name] = np.asarray(film.convert("L"))
    assert made["small"].shape == (120, 200)
    assert made["plain"].shape == made["titled"].shape == (156, 288)
    inked = {name: (film < 200).any(axis=1) for name, film in made.items()}
    assert inked["titled"][:12].any()
    assert inked["plain"].sum() > 100  # the panels take the room of the legend


def test_an_mp4_is_written_with_even_sides(tmp_path):
    program("ffmpeg")
    path = uapca.plot.animation(PCA, X, tmp_path / "film.mp4", **{**SHORT, "dpi": 41})
    content = path.read_bytes()
    assert content[4:8] == b"ftyp"
    assert [entry.name for entry in tmp_path.iterdir()] == ["film.mp4"]


def test_without_ffmpeg_it_says_so_before_drawing(tmp_path):
    path = tmp_path / "film.mp4"
    missing = mpl.rc_context({"animation.ffmpeg_path": "not-installed"})
    with missing, pytest.raises(ValueError) as error:
        uapca.plot.animation(PCA, X, path)
    assert str(error.value) == (
        f"path must end in .gif where ffmpeg is not installed; got {str(path)!r}"
    )
    assert list(tmp_path.iterdir()) == []


def test_what_ffmpeg_says_is_passed_on_and_nothing_is_left(tmp_path):
    path = tmp_path / "film.mp4"
    path.write_bytes(b"before")
    failing = mpl.rc_context({"animation.ffmpeg_path": shutil.which("false")})
    with failing, pytest.raises(RuntimeError, match="^ffmpeg could not write the film"):
        uapca.plot.animation(PCA, X, path, **SHORT)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_film_leaves_what_was_there(tmp_path):
    path = tmp_path / "film.gif"
    path.write_bytes(b"before")

    def stop(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        uapca.plot.animation(PCA, X, path, progress=stop, **SHORT)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "film.avi",
            {},
            "path must end in .gif or .mp4; got 'film.avi'",
        ),
        ("film.gif", {"fps": 0}, "fps must be a positive number; got 0"),
        ("film.gif", {"seconds": "2"}, "seconds must be a positive number; got '2'"),
        (
            "film.gif",
            {"components": (0, 5)},
            "components must be two different numbers from 0 to 2; got (0, 5)",
        ),
    ],
)
def test_bad_options_write_nothing(tmp_path, monkeypatch, name, options, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError) as error:
        uapca.plot.animation(PCA, X, name, **options)
    assert str(error.value) == message
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="path must lie in a folder that exists"):
        uapca.plot.animation(PCA, X, tmp_path / "none" / "film.gif", **SHORT)
