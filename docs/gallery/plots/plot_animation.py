"""
Film
====

The same as a film: GIF, or MP4 with ffmpeg. One frame is shown here.
"""

from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt

import uapca

X = uapca.datasets.load_iris_groups()
film = Path(mkdtemp()) / "iris.gif"
uapca.plot.animation(uapca.UAPCA(2).fit(X), X, film, seconds=1, fps=6, dpi=80)
plt.figure(figsize=(5, 5))
plt.imshow(plt.imread(film))
plt.axis("off")
