"""Rows of an array as a C function hands them in."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from forebay.engines.row_feed import RowFeed
from forebay.network.errors import CodegenError
from forebay.network.model import Port

READ = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p)


class Rows(ctypes.Structure):
    _fields_ = (("read", READ), ("context", ctypes.c_void_p))


def test_rows_come_in_order_and_once() -> None:
    values = np.arange(24, dtype=np.int16).reshape(1, 4, 6)
    feed = RowFeed(Port("x", "int16", (1, 4, 6), by_rows=True), values)
    rows, target = Rows.from_address(feed.address), np.zeros(6, np.int16)
    for row in range(4):
        assert rows.read(None, (row + 1) % 4, target.ctypes.data) != 0
        with pytest.raises(CodegenError, match=f"has read {row} of 4 rows of 'x'"):
            feed.require_all_read()
        assert rows.read(None, row, target.ctypes.data) == 0
        np.testing.assert_array_equal(target, values[0, row])
    feed.require_all_read()
    assert rows.read(None, 4, target.ctypes.data) != 0
