"""Vectors of which some elements are outside: each element at each place of memory."""

from __future__ import annotations

import numpy as np
import pytest
from common.oracles.vector_jit import run_vectors

from forebay.lowering.kernels.vector_features import VectorFeatures

ROWS, COLUMNS, DEPTH = 3, 5, 3


def _source(lanes: int, rows: int, columns: int, cases: int) -> str:
    memory, word = f"memref<{rows}x{columns}x{DEPTH}xi8>", f"vector<{lanes}xi8>"
    at, out = f"memref<{cases}x3xindex>", f"memref<{cases}x{lanes}xi8>"
    return f"""
      func.func @main(%m: {memory}, %at: {at}, %o: {out}) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %cases = arith.constant {cases} : index
        scf.for %i = %c0 to %cases step %c1 {{
          %x = memref.load %at[%i, %c0] : {at}
          %begin = memref.load %at[%i, %c1] : {at}
          %end = memref.load %at[%i, %c2] : {at}
          %0 = accel.load_between %m[%c1, %x, %c0] from %begin to %end fill -77 : {memory}, {word}
          vector.store %0, %o[%i, %c0] : {out}, {word}
        }}
        return
      }}"""


def _expected(flat: np.ndarray, index: int, begin: int, end: int, lanes: int) -> list[int]:
    return [int(flat[index + lane]) if begin <= lane < end else -77 for lane in range(lanes)]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(
    ("lanes", "rows", "columns"), [(4, 3, 5), (16, 3, 5), (32, 3, 5), (16, 2, 2), (32, 2, 3)]
)
def test_elements_outside_of_the_bounds_are_the_fill(
    lanes: int, rows: int, columns: int, masked: bool
) -> None:
    """The vector may begin in front of the memory, and end behind it."""
    memory = np.arange(rows * columns * DEPTH, dtype=np.int8).reshape(rows, columns, DEPTH)
    features = VectorFeatures(masked_loads=masked)
    cases = [
        (x, begin, end)
        for x in range(-lanes // DEPTH, (rows - 1) * columns + 1)
        for begin in (max(0, -(columns + x) * DEPTH), lanes // 2)
        for end in (0, begin + 1, min(lanes, (rows * columns - columns - x) * DEPTH))
        if end <= begin or (columns + x) * DEPTH + begin >= 0
        if end <= begin or (columns + x) * DEPTH + end <= memory.size
    ]
    found = np.zeros((len(cases), lanes), np.int8)
    source = _source(lanes, rows, columns, len(cases))
    run_vectors(source, memory, np.array(cases, np.int64), found, features=features)
    for (x, begin, end), vector in zip(cases, found, strict=True):
        index = (columns + x) * DEPTH
        assert vector.tolist() == _expected(memory.ravel(), index, begin, end, lanes)
