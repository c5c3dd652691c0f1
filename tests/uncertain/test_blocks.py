"""Blocks of rows."""

from uapca.uncertain import blocks


def test_row_blocks_cover_every_row_once():
    rows = [i for block in blocks.row_blocks(10_001, 500) for i in range(block.start, block.stop)]
    assert rows == list(range(10_001))
