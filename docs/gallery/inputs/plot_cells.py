"""
Uncertain cells: intervals, errors and words
============================================

Cells such as ``[10, 12]``, ``14±2`` and "good" in one table. Regions follow the laws, not ellipses.
"""

import uapca

table = {
    "wine": ["Riesling", "Pinot", "Merlot", "Syrah"],
    "acid": ["7.1±0.2", "[5.0, 5.6]", "4.9", "[4.0, 6.0]"],
    "body": ["light", "medium", "full", "full"],
    "fruit": ["[6, 8]", "7.5±0.5", "medium", "5"],
}
words = {"light": "T(0, 1, 2, 4)", "medium": "T(3, 4, 6, 7)", "full": "T(6, 8, 9, 10)"}
X = uapca.from_table(table, words=words, names="wine")
pca = uapca.UAPCA(2).fit(X)
uapca.plot.projection(pca, X)
