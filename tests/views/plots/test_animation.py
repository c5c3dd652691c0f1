"""The film of the progression: what is in the frames, and the files."""

import shutil

import numpy as np
import pytest
from PIL import Image

import uapca
from uapca.views.plots import animation
from uapca.views.scene import Label, Markers, Polyline

X = uapca.datasets.make_progression()
SHORT = {"seconds": 1.0, "fps": 6, "dpi": 40}


def test_u_grows_evenly_and_rests_at_0_1_and_infinity():
    steps = animation.path_of(100)
    assert len(steps) == 100
    assert (np.diff(steps) >= 0).all()
    assert [np.sum(steps == rest) for rest in (0.0, 0.5, 1.0)] == [8, 8, 8]
    assert np.diff(steps).max() < 0.014
    assert set(animation.path_of(1)) >= {0.0, 0.5, 1.0}


def test_frames_are_smooth_and_nothing_flips():
    steps = np.linspace(0.0, 1.0, 61)
    before = None
    for sheet in animation.frames(uapca.datasets.load_students(), steps):
        traces, rows = sheet.flat()
        ends = np.array([line.points[1] for line in traces.of(Polyline, "now")])
        means = np.concatenate([mark.points for mark in rows.of(Markers, "mean")])
        labels = np.array([label.at for label in traces.of(Label, "feature")])
        now = ends, means / rows.x.limits[1], labels
        if before is not None:
            for a, b in zip(before, now, strict=True):
                assert np.linalg.norm(a - b, axis=1).max() < 0.3
        before = now


def test_every_frame_has_the_same_room_and_legend():
    sheets = list(animation.frames(X, [0.0, 0.3, 1.0]))
    assert len({panel.x.limits for sheet in sheets for panel in sheet.flat()[1:]}) == 1
    assert {tuple(entry.text for entry in sheet.legend) for sheet in sheets} == {
        ("0 ≤ s ≤ 1", "1 < s → ∞", "s = 0", "s = 1", "mirror image", "95 % of each row")
    }
    assert [sheet.flat()[0].title for sheet in sheets] == ["s = 0", "s = 0.43", "s → ∞"]


def test_a_gif_has_the_frames_and_the_time(tmp_path):
    seen = []
    path = uapca.plot.animate(
        X, tmp_path / "film.gif", progress=lambda done, total: seen.append((done, total)), **SHORT
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
    assert total == 6 * 170  # hundredths of a second, rounded
    assert [entry.name for entry in tmp_path.iterdir()] == ["film.gif"]


def test_an_mp4_is_written_with_even_sides(tmp_path):
    path = uapca.plot.animate(X, tmp_path / "film.mp4", **{**SHORT, "dpi": 41})
    content = path.read_bytes()
    assert content[4:8] == b"ftyp"
    assert [entry.name for entry in tmp_path.iterdir()] == ["film.mp4"]


def test_without_ffmpeg_it_says_so_before_drawing(tmp_path, monkeypatch):
    monkeypatch.setattr(animation, "which", lambda name: None)
    path = tmp_path / "film.mp4"
    with pytest.raises(ValueError) as error:
        uapca.plot.animate(X, path)
    assert str(error.value) == (
        f"path must end in .gif where ffmpeg is not installed; got {str(path)!r}. "
        "Install the program ffmpeg for MP4, or write a GIF."
    )
    assert list(tmp_path.iterdir()) == []


def test_what_ffmpeg_says_is_passed_on_and_nothing_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(animation, "_ffmpeg", lambda: shutil.which("false"))
    path = tmp_path / "film.mp4"
    path.write_bytes(b"before")
    with pytest.raises(RuntimeError, match="^ffmpeg could not write the film"):
        uapca.plot.animate(X, path, **SHORT)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupted_film_leaves_what_was_there(tmp_path):
    path = tmp_path / "film.gif"
    path.write_bytes(b"before")

    def stop(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        uapca.plot.animate(X, path, progress=stop, **SHORT)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "film.avi",
            {},
            "path must end in .gif or .mp4; got 'film.avi'. A GIF needs no other program.",
        ),
        ("film.gif", {"fps": 0}, "fps must be a positive number; got 0. Leave it out."),
        ("film.gif", {"seconds": "2"}, "seconds must be a positive number; got '2'. Leave it out."),
        (
            "film.gif",
            {"components": (0, 5)},
            "components must be two different numbers from 0 to 2; got (0, 5). "
            "Pass (0, 1) for the first two.",
        ),
    ],
)
def test_bad_options_write_nothing(tmp_path, monkeypatch, name, options, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError) as error:
        uapca.plot.animate(X, name, **options)
    assert str(error.value) == message
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="path must lie in a folder that exists"):
        uapca.plot.animate(X, tmp_path / "none" / "film.gif", **SHORT)
