"""The picture of docs/denoise.md: three questions, one data set. Run it to draw denoise.png."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("agg")
from matplotlib import pyplot as plt
from matplotlib.patches import Ellipse

import uapca


def data():
    """Sixty values along a line at 35°, measured with errors that are mostly vertical."""
    rng = np.random.default_rng(5)
    angle = np.radians(35)
    direction = np.array([np.cos(angle), np.sin(angle)])
    truth = 2.0 * rng.normal(size=(60, 1)) * direction
    std = np.column_stack([rng.uniform(0.2, 0.5, 60), np.exp(rng.uniform(-1.5, 1.2, 60))])
    X = uapca.UncertainArray(truth + std * rng.normal(size=truth.shape), std=std)
    return X, direction


def main():
    X, direction = data()
    rows = uapca.Denoiser().fit_transform(X)
    answers = {
        "What varies in the measured values?\nPCA of the values": (X, X.scaled(0)),
        "What may the values be?\nUAPCA adds the errors": (X, X),
        "What varies in the true values?\nUAPCA of the denoised rows": (rows, rows),
    }
    figure, axes = plt.subplots(1, 3, figsize=(10.2, 3.7), sharex=True, sharey=True)
    for ax, (title, (shown, fitted)) in zip(axes, answers.items(), strict=True):
        component = uapca.UAPCA(1).fit(fitted).components_[0]
        if fitted.cov.kind != "zero":
            for mean, cov in zip(shown.mean, shown.cov.dense(), strict=True):
                sizes, vectors = np.linalg.eigh(cov)
                tilt = np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1]))
                width, height = 2 * np.sqrt(np.maximum(sizes[::-1], 0))
                ax.add_patch(Ellipse(mean, width, height, angle=tilt, fc="#0072b2", alpha=0.13))
        ax.plot(*shown.mean.T, "o", ms=3, color="#0072b2", mec="white", mew=0.3)
        ax.axline((0, 0), direction, ls=(0, (4, 3)), lw=1.4, color="0.25", label="truth")
        degrees = np.degrees(np.arctan2(component[1], component[0]))
        ax.axline((0, 0), component, lw=1.8, color="#d55e00", label=f"PC1, {degrees:.0f}°")
        ax.set_title(title, fontsize=9.5)
        ax.legend(loc="lower right", fontsize=8, frameon=False)
        ax.set(aspect="equal", xlim=(-6, 6), ylim=(-7, 7), xlabel="feature 1")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("feature 2")
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=130)


if __name__ == "__main__":
    main()
