"""Vectors of which some elements are outside: each element at each place of memory."""

from __future__ import annotations

import numpy as np
import pytest
from common.vector_jit import run_vectors

ROWS, COLUMNS, DEPTH = 3, 5, 3


def _source(lanes: int, rows: int, columns: int) -> str:
    memory, word = f"memref<{rows}x{columns}x{DEPTH}xi8>", f"vector<{lanes}xi8>"
    return f"""
      func.func @main(%m: {memory}, %at: memref<3xindex>, %o: memref<{lanes}xi8>) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %x = memref.load %at[%c0] : memref<3xindex>
        %begin = memref.load %at[%c1] : memref<3xindex>
        %end = memref.load %at[%c2] : memref<3xindex>
        %0 = accel.load_between %m[%c1, %x, %c0] from %begin to %end fill -77 : {memory}, {word}
        vector.store %0, %o[%c0] : memref<{lanes}xi8>, {word}
        return
      }}"""


def _expected(flat: np.ndarray, index: int, begin: int, end: int, lanes: int) -> list[int]:
    return [int(flat[index + lane]) if begin <= lane < end else -77 for lane in range(lanes)]


@pytest.mark.parametrize(
    ("lanes", "rows", "columns"), [(4, 3, 5), (16, 3, 5), (32, 3, 5), (16, 2, 2), (32, 2, 3)]
)
def test_elements_outside_of_the_bounds_are_the_fill(lanes: int, rows: int, columns: int) -> None:
    """The vector may begin in front of the memory, and end behind it."""
    memory = np.arange(rows * columns * DEPTH, dtype=np.int8).reshape(rows, columns, DEPTH)
    source = _source(lanes, rows, columns)
    cases = [
        (x, begin, end)
        for x in range(-lanes // DEPTH, (rows - 1) * columns + 1)
        for begin in (max(0, -(columns + x) * DEPTH), lanes // 2)
        for end in (0, begin + 1, min(lanes, (rows * columns - columns - x) * DEPTH))
        if end <= begin or (columns + x) * DEPTH + begin >= 0
        if end <= begin or (columns + x) * DEPTH + end <= memory.size
    ]
    for x, begin, end in cases[:: max(1, len(cases) // 12)]:
        found = np.zeros(lanes, np.int8)
        run_vectors(source, memory, np.array([x, begin, end], np.int64), found)
        index = (columns + x) * DEPTH
        assert found.tolist() == _expected(memory.ravel(), index, begin, end, lanes)
