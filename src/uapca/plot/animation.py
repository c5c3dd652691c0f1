"""The progression as a film: the traces grow and the rows turn as s goes from 0 to ∞."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.animation import FFMpegWriter, PillowWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from uapca._files import replacing
from uapca._progress import Progress, reported
from uapca._validation import Doubles
from uapca.plot.base import Data, Fit, Panel, joint_legend, settings
from uapca.plot.labels import drawable, scale_text
from uapca.plot.progression import Turning, turning

__all__ = ["animation"]

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
    title: str = "",
    figsize: tuple[float, float] = (7.2, 3.9),
    legend: bool = True,
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
        Pixels per inch.
    components, level, highlight, mirrored
        As in `progression`.
    title : str, optional
        Above the whole film.
    figsize : tuple of float, default=(7.2, 3.9)
        Width and height in inches.
    legend : bool, default=True
    progress : bool or callable, default=False
        True shows a bar (needs tqdm); a function is called with (frames done, frames in all).

    Returns
    -------
    pathlib.Path
        The file.

    See Also
    --------
    uapca.plot.progression : Traces and projected rows at several scales.
    uapca.explore : The interactive page.

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
    kind = target.suffix.lower()
    if kind not in (".gif", ".mp4"):
        raise ValueError(f"path must end in .gif or .mp4; got {str(path)!r}")
    if kind == ".mp4" and not FFMpegWriter.isAvailable():
        raise ValueError(f"path must end in .gif where ffmpeg is not installed; got {str(path)!r}")
    rate, sharpness = _positive(fps, "fps"), _positive(dpi, "dpi")
    steps = frame_path(round(_positive(seconds, "seconds") * rate))
    with np.errstate(divide="ignore"):
        scales = steps / (1.0 - steps)
    plan = turning(pca, X, components, level, highlight, mirrored, scales)
    make: Any = PillowWriter if kind == ".gif" else FFMpegWriter
    writer = make(fps=rate)
    with (
        replacing(target) as file,
        tempfile.TemporaryDirectory() as folder,
        reported(progress, len(steps), "frames") as done,
        settings(),
    ):
        film = Path(folder) / f"film{kind}"
        figure = Figure(figsize=figsize, layout="constrained", dpi=sharpness)
        canvas: Any = FigureCanvasAgg(figure)
        left, right = figure.subplots(1, 2)
        figure.suptitle(drawable(title), parse_math=False, wrap=True, in_layout=bool(title))
        # The legend of the whole film, so that nothing moves but what is meant to.
        draw_frame(plan, left, right, 1.0)
        joint_legend(figure, [left, right] if legend else [])
        canvas.draw()
        figure.set_layout_engine("none")
        try:
            with writer.saving(figure, film, sharpness):
                for u in steps.tolist():
                    left.clear()
                    right.clear()
                    draw_frame(plan, left, right, u)
                    writer.grab_frame()
                    done(1)
        except (subprocess.CalledProcessError, BrokenPipeError) as error:
            reason = getattr(error, "stderr", None) or error
            raise RuntimeError(f"ffmpeg could not write the film: {reason}") from None
        file.write(film.read_bytes())
    return target


def frame_path(count: int) -> Doubles:
    """The u of each frame: even steps from 0 to 1, with rests at 0, ½ and 1."""
    rest = max(round(REST * count), 1)
    moving = max(count - 3 * rest, 2)
    first = np.linspace(0.0, 0.5, moving // 2 + 2)[1:-1]
    second = np.linspace(0.5, 1.0, moving - moving // 2 + 2)[1:-1]
    return np.sort(np.concatenate([first, second, np.repeat([0.0, 0.5, 1.0], rest)]))


def draw_frame(plan: Turning, left: Any, right: Any, u: float) -> None:
    """The traces up to u, and the rows projected there."""
    traces, rows = Panel(left), Panel(right)
    plan.draw_traces(traces, u, size=1.0, direct=False)
    plan.draw_rows(rows, u)
    left.set(xlim=(-1.28, 1.28), ylim=(-1.28, 1.28))
    rest = {0.0: 0.0, 0.5: 1.0, 1.0: np.inf}
    text = scale_text(rest[u]) if u in rest else f"s = {u / (1.0 - u):.2f}"
    traces.words(f"PC{plan.pair[0] + 1}", f"PC{plan.pair[1] + 1}", text)
    rows.words(title=f"rows projected at {text}")


def _positive(value: Any, parameter: str) -> float:
    number = float(value) if isinstance(value, int | float | np.number) else float("nan")
    if not 0.0 < number < float("inf"):
        raise ValueError(f"{parameter} must be a positive number; got {value!r}")
    return number
