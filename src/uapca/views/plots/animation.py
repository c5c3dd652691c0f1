"""The progression as a film: the traces grow and the rows turn as s goes from 0 to ∞."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uapca._files import replacing
from uapca._progress import Progress, reported
from uapca._validation import complaint
from uapca.uncertain import UncertainArray
from uapca.views.palette import inks, text_color
from uapca.views.placing import apart
from uapca.views.plots.progression import FILM_EM, Turning, grown, level_entry, turned, turning
from uapca.views.scene import Ink, Label, LegendEntry, Sheet
from uapca.views.text import scale_text, shortened
from uapca.views.traces.course import Course

__all__ = ["animate", "frames"]

Pixels = NDArray[np.uint8]

# The share of the time spent at rest at s = 0, 1 and ∞, each.
_REST = 0.08
_LIMITS = (-1.28, 1.28)


def animate(
    X: UncertainArray,
    path: str | os.PathLike[str],
    *,
    seconds: float = 8.0,
    fps: int = 15,
    dpi: float = 120.0,
    components: tuple[int, int] = (0, 1),
    level: float = 0.95,
    highlight: Iterable[str | int] | None = None,
    mirrored: bool = True,
    progress: Progress = False,
) -> Path:
    """Write `progression` as a film, a GIF or an MP4.

    s runs from 0 to ∞ so that u = s / (1 + s) grows evenly, and rests at 0, at 1 and at ∞. Signs
    are followed along the path: nothing flips from one frame to the next. What stood at `path` is
    replaced when the film is complete, and not before.

    Parameters
    ----------
    X : UncertainArray
    path : path
        Ends in ``.gif`` or, where the program ffmpeg is installed, ``.mp4``.
    seconds : float, default=8
    fps : int, default=15
        Frames a second.
    dpi : float, default=120
        Pixels an inch; the film is 7.2 inches wide.
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
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     film = pathlib.Path(folder) / "turning.gif"
    ...     print(uapca.plot.animate(X, film, seconds=0.4, fps=10, dpi=40).name)
    turning.gif
    """
    target = Path(path)
    encode = _encoder(target)
    rate = _positive(fps, "fps")
    steps = path_of(round(_positive(seconds, "seconds") * rate))
    sharpness = _positive(dpi, "dpi")
    sheets = frames(
        X, steps, components=components, level=level, highlight=highlight, mirrored=mirrored
    )
    with reported(progress, len(steps), "frames") as done:
        pictures = _pictures(sheets, steps, sharpness, done)
        first = next(pictures)
        with replacing(target) as file:
            encode(file, first, pictures, float(rate))
    return target


def path_of(count: int) -> NDArray[np.float64]:
    """The u of each frame: even steps from 0 to 1, with rests at 0, ½ and 1."""
    rest = max(round(_REST * count), 1)
    moving = max(count - 3 * rest, 2)
    first = np.linspace(0.0, 0.5, moving // 2 + 2)[1:-1]
    second = np.linspace(0.5, 1.0, moving - moving // 2 + 2)[1:-1]
    still = np.repeat([0.0, 0.5, 1.0], rest)
    return np.sort(np.concatenate([first, second, still]))


def frames(
    X: UncertainArray,
    steps: Iterable[float],
    *,
    components: tuple[int, int] = (0, 1),
    level: float = 0.95,
    highlight: Iterable[str | int] | None = None,
    mirrored: bool = True,
) -> Iterator[Sheet]:
    """The sheet of every frame, at each u of ``steps``; checks are done before the first."""
    plan = turning(X, components, level, highlight, mirrored)
    # The legend of the whole film, so that nothing moves but what is meant to.
    legend = (*grown(plan, plan.course(1.0), em=None).legend, level_entry(plan))
    return (_frame(plan, float(u), legend) for u in steps)


def _frame(plan: Turning, u: float, legend: tuple[LegendEntry, ...]) -> Sheet:
    course = plan.course(u)
    left, right = grown(plan, course, em=None), turned(plan, course, named=True)
    return Sheet(
        panels=(
            (
                left.with_(
                    marks=(*left.marks, *_labels(plan, course)),
                    title=_title(u),
                    legend=(),
                    x=replace(left.x, limits=_LIMITS),
                    y=replace(left.y, limits=_LIMITS),
                ),
                right.with_(title=f"rows projected at {_title(u)}"),
            ),
        ),
        name="animation",
        legend=legend,
        legend_columns=6 if plan.normal else 5,
        row_heights=(0.96,),
    )


def _title(u: float) -> str:
    """The scale, with as many digits in every frame."""
    if u in (0.0, 0.5, 1.0):
        return scale_text({0.0: 0.0, 0.5: 1.0}.get(u, float("inf")))
    return f"s = {u / (1.0 - u):.2f}"


def _labels(plan: Turning, course: Course) -> list[Label]:
    """Names just outside where the features are, which move as smoothly as they do."""
    names = plan.traces.features
    colours = inks(len(names))
    ends = course.points[-1, list(plan.shown)]
    away = ends / np.sqrt((ends**2).sum(axis=1, keepdims=True) + 0.02)
    texts = [shortened(names[j], 14) for j in plan.shown]
    places = apart(ends + 0.12 * away + np.array([0.0, 0.03]), texts, FILM_EM * _LIMITS[1])
    return [
        Label(
            role="feature",
            key=names[j],
            at=(float(place[0]), float(place[1])),
            text=text,
            ink=Ink(color=text_color(colours[j])),
            layer=7,
        )
        for j, place, text in zip(plan.shown, places, texts, strict=True)
    ]


def _pictures(
    sheets: Iterator[Sheet], steps: NDArray[np.float64], dpi: float, done: Any
) -> Iterator[Pixels]:
    """Every frame as pixels (height, width, 3), drawn without a screen; rests are drawn once."""
    from uapca.views.mpl.draw import draw
    from uapca.views.mpl.sheet import draw_sheet
    from uapca.views.mpl.style import matplotlib, print_settings

    figure = matplotlib("figure").Figure(figsize=(7.2, 3.9), layout="constrained", dpi=dpi)
    canvas = matplotlib("backends.backend_agg").FigureCanvasAgg(figure)
    drawn: Pixels | None = None
    previous = None
    for u, sheet in zip(steps, sheets, strict=True):
        if drawn is None:
            draw_sheet(sheet, figure)
            canvas.draw()
            figure.set_layout_engine("none")  # what was laid out once stays where it is
        elif u != previous:
            with print_settings():
                for ax, panel in zip(figure.axes, sheet.flat(), strict=True):
                    ax.clear()
                    draw(panel, ax)
                canvas.draw()
        if drawn is None or u != previous:
            drawn = np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
        previous = u
        done(1)
        yield drawn


def _encoder(path: Path) -> Any:
    """How the kind of file is written, checked before anything is drawn."""
    kind = path.suffix.lower()
    if kind == ".gif":
        return _write_gif
    if kind != ".mp4":
        raise ValueError(
            complaint(
                "path", "end in .gif or .mp4", f"got {str(path)!r}", "A GIF needs no other program"
            )
        )
    if _ffmpeg() is None:
        raise ValueError(
            complaint(
                "path",
                "end in .gif where ffmpeg is not installed",
                f"got {str(path)!r}",
                "Install the program ffmpeg for MP4, or write a GIF",
            )
        )
    return _write_mp4


def _ffmpeg() -> str | None:
    from uapca.views.mpl.style import matplotlib

    return which(str(matplotlib().rcParams["animation.ffmpeg_path"]))


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
    # GIF counts in hundredths of a second.
    duration = max(round(100.0 / fps), 2) * 10
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
        raise ValueError(
            complaint(parameter, "be a positive number", f"got {value!r}", "Leave it out")
        )
    return number
