"""
A table with error columns and correlations
===========================================

``uapca.read`` finds errors and correlations by their names, as in the Gaia catalogue.
"""

from pathlib import Path

import uapca

Path("stars.csv").write_text(
    "star,pmra,pmra_error,pmdec,pmdec_error,pmra_pmdec_corr\n"
    "HIP 2,1.2,0.3,3.1,0.5,0.7\nHIP 5,4.0,0.4,1.0,0.4,-0.6\nHIP 8,2.7,0.8,2.2,0.2,0.0\n"
    "HIP 9,0.4,0.2,4.4,0.6,0.5\nHIP 11,3.3,0.5,0.2,0.9,-0.3\n"
)
X = uapca.read("stars.csv")
print(X.origin)
uapca.plot.distributions(uapca.UAPCA(2).fit(X), X)
