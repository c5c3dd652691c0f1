"""Uncertain rows as marks: ellipses, regions and densities, their colours, and what is accepted."""
