"""The pictures of the README and of docs/pictures.md. Run it to draw them again.

The frog calls of figures.png are fetched, or read from the folder that UAPCA_DATA names.
"""

import tempfile
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("agg")
from PIL import Image

import uapca
from uapca import figures
from uapca.figures.contact import contact_sheet

HERE = Path(__file__).parent


def plots():
    """A picture of most plots, by name."""
    plot, students = uapca.plot, uapca.datasets.load_students()
    iris = uapca.datasets.load_iris_groups()
    rng = np.random.default_rng(3)
    mean, std = rng.normal(size=(300, 5)) * [4, 3, 2, 1, 1], rng.gamma(2, 0.3, (300, 5))
    stars = uapca.UncertainArray(mean, std=std, names=[f"star {i}" for i in range(300)])
    pca, flowers, sky = (uapca.UAPCA().fit(X) for X in (students, iris, stars))
    return {
        "projection": plot.projection(pca, students),
        "projection, 300 rows": plot.projection(sky, stars),
        "biplot": plot.biplot(flowers, iris),
        "projection, one component": plot.projection(pca, students, components=0),
        "eigenvalues": plot.eigenvalues(uapca.datasets.make_crossings()),
        "scree": plot.scree(pca, students),
        "factor_traces": plot.factor_traces(pca),
        "loadings": plot.loadings(pca, students),
        "cos2": plot.cos2(pca, students),
        "contributions": plot.contributions(pca),
        "components": plot.components(pca, students),
        "shepard": plot.shepard(sky, stars),
    }


def write(figure, name, width, **options):
    """A PNG of 256 colors, so many pixels wide."""
    stream = BytesIO()
    figure.savefig(stream, **options)
    image = Image.open(stream).convert("RGB")
    image = image.resize((width, round(width * image.height / image.width)), Image.LANCZOS)
    few = image.quantize(256, kmeans=4, dither=Image.Dither.NONE)
    few.save(HERE / f"{name}.png", optimize=True)


def sheet(drawn, columns):
    """All figures on one page."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{i}.png" for i, name in enumerate(drawn)}
        for name, path in files.items():
            drawn[name].savefig(path, dpi=200)
        return contact_sheet(files, columns)


if __name__ == "__main__":
    mpl.rcParams["figure.max_open_warning"] = 0
    write(sheet({name: ax.figure for name, ax in plots().items()}, 4), "plots", 1500, dpi=150)
    papers = {name: figures.draw(name) for name in figures.NAMES}
    write(sheet(papers, 2), "figures", 1700, dpi=170)
    write(papers["student"], "student", 1500, dpi=220)
