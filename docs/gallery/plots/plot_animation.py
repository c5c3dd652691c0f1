"""
Film
====

``animation`` writes the progression as a film: GIF, or MP4 with ffmpeg. One frame is shown here.
"""

import matplotlib.pyplot as plt

import uapca

X = uapca.datasets.load_iris_groups()
uapca.plot.animation(uapca.UAPCA(2).fit(X), X, "iris.gif", seconds=1, fps=6, dpi=120)
plt.figure(figsize=(8, 4), layout="constrained")
plt.imshow(plt.imread("iris.gif"))
plt.axis("off")
