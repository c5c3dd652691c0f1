"""The progression as a film: the traces grow and the rows turn as s goes from 0 to ∞."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uapca._files import replacing
from uapca._progress import Progress, reported
from uapca.plot.base import Data, Fit, Panel, joint_legend
from uapca.plot.labels import distinct, scale_text
from uapca.plot.progression import NAMED, Turning, turning
from uapca.plot.style import GREY, Floats, drawn_color, looks, readable, settings

__all__ = ["animation"]

Pixels = NDArray[np.uint8]
REST = 0.08  # the share of the time spent at rest at s = 0, 1 and ∞, each


def animation(
    pca: Fit,
    X: Data,
    path: str | os.PathLike[str],
    *,
    seconds: float = 8.0,
    fps: int = 15,
    dpi: float = 120.0,
    components: Any = (0, 1),
    level: float = 0.95,
    highlight: Any = None,
    mirrored: bool = True,
    progress: Progress = False,
) -> Path:
    """Write `progression` as a film, a GIF or an MP4.

    s runs from 0 to ∞ so that u = s / (1 + s) grows evenly, and rests at 0, at 1 and at ∞. Signs
    are followed along the path: nothing flips from one frame to the next. What stood at `path` is
    replaced when the film is complete, and not before.

    Parameters
    ----------
    pca : fitted UAPCA, or a Pipeline that ends in one
    X : UncertainArray
        The data of the fit.
    path : path
        Ends in ``.gif`` or, where the program ffmpeg is installed, ``.mp4``.
    seconds : float, default=8
    fps : int, default=15
        Frames per second.
    dpi : float, default=120
        Pixels per inch; the film is 7.2 inches wide.
    components, level, highlight, mirrored
        As in `progression`.
    progress : bool or callable, default=False
        True shows a bar (needs tqdm); a function is called with (frames done, frames in all).

    Returns
    -------
    pathlib.Path
        The file.

    Examples
    --------
    >>> import pathlib, tempfile, uapca
    >>> X = uapca.datasets.make_progression()
    >>> pca = uapca.UAPCA(2).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     film = pathlib.Path(folder) / "turning.gif"
    ...     print(uapca.plot.animation(pca, X, film, seconds=0.4, fps=10, dpi=40).name)
    turning.gif
    """
    target = Path(path)
    encode = _encoder(target)
    rate = _positive(fps, "fps")
    steps = frame_path(round(_positive(seconds, "seconds") * rate))
    sharpness = _positive(dpi, "dpi")
    plan = turning(pca, X, components, level, highlight, mirrored)
    with reported(progress, len(steps), "frames") as done, settings():
        pictures = _pictures(plan, steps, sharpness, done)
        first = next(pictures)
        with replacing(target) as file:
            encode(file, first, pictures, float(rate))
    return target


def frame_path(count: int) -> Floats:
    """The u of each frame: even steps from 0 to 1, with rests at 0, ½ and 1."""
    rest = max(round(REST * count), 1)
    moving = max(count - 3 * rest, 2)
    first = np.linspace(0.0, 0.5, moving // 2 + 2)[1:-1]
    second = np.linspace(0.5, 1.0, moving - moving // 2 + 2)[1:-1]
    return np.sort(np.concatenate([first, second, np.repeat([0.0, 0.5, 1.0], rest)]))


def _pictures(plan: Turning, steps: Floats, dpi: float, done: Any) -> Iterator[Pixels]:
    """Every frame as pixels (height, width, 3), drawn without a screen; rests are drawn once."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.9), layout="constrained", dpi=dpi)
    canvas: Any = FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    # The legend of the whole film, so that nothing moves but what is meant to.
    draw_frame(plan, left, right, 1.0)
    joint_legend(figure, [left, right])
    canvas.draw()
    figure.set_layout_engine("none")
    drawn, previous = None, None
    for u in steps.tolist():
        if drawn is None or u != previous:
            left.clear()
            right.clear()
            draw_frame(plan, left, right, u)
            _name_things(plan, left, right, u)
            canvas.draw()
            drawn = np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
        previous = u
        done(1)
        yield drawn


def draw_frame(plan: Turning, left: Any, right: Any, u: float) -> None:
    """The traces up to u, and the rows projected there."""
    course = plan.course(u)
    traces, rows = Panel(left), Panel(right)
    plan.draw_traces(traces, course, size=1.0, labels=False)
    plan.draw_rows(rows, course)
    left.set(xlim=(-1.28, 1.28), ylim=(-1.28, 1.28))
    text = f"s = {u / (1.0 - u):.2f}" if u < 1.0 else ""
    if u in (0.0, 0.5, 1.0):
        text = scale_text({0.0: 0.0, 0.5: 1.0}.get(u, float("inf")))
    traces.title(text)
    rows.title(f"rows projected at {text}")
    traces.axis_names(*(f"PC{i + 1}" for i in plan.pair))
    left._uapca_entries, right._uapca_entries = traces.entries, rows.entries


def _name_things(plan: Turning, left: Any, right: Any, u: float) -> None:
    """Names of features and rows, which move as smoothly as what they belong to."""
    course = plan.course(u)
    names = [plan.traces.features[j] for j in plan.shown]
    colors = [looks(len(plan.traces.features))[j].color for j in plan.shown]
    ends = course.points[-1, list(plan.shown)]
    away = ends / np.sqrt((ends**2).sum(axis=1, keepdims=True) + 0.02)
    _write_apart(left, names, ends + 0.12 * away + [0.0, 0.03], colors)
    if plan.data.names is not None and len(plan.data) <= NAMED:
        means = np.asarray(plan.rows(course).mean, dtype=np.float64)
        above = means + [0.0, 0.07 * plan.reach]
        _write_apart(right, plan.data.names, above, [GREY] * len(means))


def _write_apart(ax: Any, names: Any, places: Floats, colors: list[str]) -> None:
    ax.apply_aspect()
    texts = [
        ax.text(*at, text, ha="center", va="center", color=color, parse_math=False, zorder=20)
        for text, at, color in zip(
            distinct(names, 14),
            places,
            [readable(drawn_color(color), ax.get_facecolor()) for color in colors],
            strict=True,
        )
    ]
    sizes = np.array([text.get_window_extent().size for text in texts]).reshape(-1, 2)
    moved = apart(ax.transData.transform(places), sizes)
    for text, place in zip(texts, ax.transData.inverted().transform(moved), strict=True):
        text.set_position(place)


def apart(places: Floats, sizes: Floats) -> Floats:
    """The places pushed apart until no two texts overlap: a smooth function of where they were.

    For pictures that move: labels that choose among places may jump, these cannot.
    """
    count = len(places)
    around = 2 * np.pi * np.arange(count) / max(count, 1)
    # Texts in one place have no direction to part in unless they are given one.
    tiny = 0.02 * float(sizes[:, 1].max(initial=1.0))
    moved = places + tiny * np.column_stack([np.cos(around), np.sin(around)])
    room = (sizes[:, None] + sizes[None]) / 2
    for _ in range(60):
        steps = (moved[:, None] - moved[None]) / room
        distance = np.maximum(np.abs(steps).max(axis=2), 1e-9)
        np.fill_diagonal(distance, np.inf)
        push = np.clip(1.02 - distance, 0.0, None)[:, :, None] * steps / distance[:, :, None]
        moved = moved + 0.25 * (push * room).sum(axis=1)
    return np.asarray(moved)


def _encoder(path: Path) -> Any:
    """How the kind of file is written, checked before anything is drawn."""
    kind = path.suffix.lower()
    if kind == ".gif":
        return _write_gif
    if kind != ".mp4":
        raise ValueError(f"path must end in .gif or .mp4; got {str(path)!r}")
    if _ffmpeg() is None:
        raise ValueError(f"path must end in .gif where ffmpeg is not installed; got {str(path)!r}")
    return _write_mp4


def _ffmpeg() -> str | None:
    with settings():
        import matplotlib as mpl

        return which(str(mpl.rcParams["animation.ffmpeg_path"]))


def _write_gif(file: Any, first: Pixels, rest: Iterator[Pixels], fps: float) -> None:
    from PIL import Image

    # One palette for all frames, from the first and the last, which have all the colours: a palette
    # for each frame would shimmer.
    everything = [first, *rest]
    both = np.concatenate([everything[0], everything[-1]])
    palette = Image.fromarray(both).quantize(255, dither=Image.Dither.NONE)
    colors = np.array(palette.getpalette()).reshape(-1, 3)
    colors[colors.min(axis=1) >= 248] = 255  # the paper is white, not nearly so
    palette.putpalette(colors.ravel().tolist())
    reduced = [
        Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)
        for frame in everything
    ]
    duration = max(round(100.0 / fps), 2) * 10  # GIF counts in hundredths of a second
    reduced[0].save(
        file,
        format="GIF",
        save_all=True,
        append_images=reduced[1:],
        duration=duration,
        loop=0,
        optimize=False,
    )


def _write_mp4(file: Any, first: Pixels, rest: Iterator[Pixels], fps: float) -> None:
    height, width = first.shape[:2]
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "film.mp4"
        command = [_ffmpeg() or "ffmpeg", "-loglevel", "error", "-y"]
        command += ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
        command += ["-r", f"{fps:g}", "-i", "-", "-an", "-c:v", "libx264", "-pix_fmt", "yuv420p"]
        # The codec wants even sides.
        command += ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", str(film)]
        with (
            tempfile.TemporaryFile() as said,
            subprocess.Popen(command, stdin=subprocess.PIPE, stderr=said) as running,
        ):
            assert running.stdin is not None
            try:
                running.stdin.write(first.tobytes())
                for frame in rest:
                    running.stdin.write(frame.tobytes())
                running.stdin.close()
            except BrokenPipeError:
                pass  # it ended early; what it said is raised below
            except BaseException:
                running.kill()
                raise
            if running.wait() != 0:
                said.seek(0)
                reason = said.read().decode(errors="replace").strip()
                raise RuntimeError(f"ffmpeg could not write the film: {reason}")
        file.write(film.read_bytes())


def _positive(value: Any, parameter: str) -> float:
    number = float(value) if isinstance(value, int | float | np.number) else float("nan")
    if not 0.0 < number < float("inf"):
        raise ValueError(f"{parameter} must be a positive number; got {value!r}")
    return number
