"""The explorer: one page that shows what uncertainty does to the picture.

===============  =================================================================================
``page``         `explore` and its result, and one offline file (`to_html`)
``widget``       the same in a notebook
``payload``      data, weights, laws and looks as plain numbers and text for the browser
``explorer.js``  the browser's side, built from ``explorer/`` in the repository
===============  =================================================================================
"""

from uapca.explorer.page import Explorer, explore

__all__ = ["Explorer", "explore"]
