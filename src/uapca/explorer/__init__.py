"""The explorer: one page that shows what uncertainty does to the picture.

`payload` turns data into plain numbers and text, `page` writes them into one offline file, and
`widget` shows them in a notebook. The browser's side of all three is ``explorer.js``, built from
``explorer/`` in the repository.
"""

from uapca.explorer.page import Explorer, explore

__all__ = ["Explorer", "explore"]
