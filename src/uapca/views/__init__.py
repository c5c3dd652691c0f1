"""What a person sees: a scene (plain data to draw), then matplotlib or the explorer.

A view computes a scene: frozen records of numbers and strings that can be tested, compared and
sent to a browser without drawing. ``uapca.plot`` draws scenes with matplotlib.
"""
