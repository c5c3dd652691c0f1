"""Uncertainty-aware principal component analysis."""
