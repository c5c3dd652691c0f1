"""
Progression
===========

Traces grow while the projected rows turn.
"""

import uapca

X = uapca.datasets.make_progression()
uapca.plot.progression(uapca.UAPCA(2).fit(X), X)
