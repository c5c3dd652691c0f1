"""Figures are drawn without a screen; they are kept for all tests of this folder."""

import matplotlib as mpl

mpl.use("agg")
