"""Local memory knows which lanes were written."""

import numpy as np

from forebay.isa.local_memory import LocalMemory


def test_only_written_lanes_have_a_value() -> None:
    memory = LocalMemory("scratchpad", 4, (2,), np.int8)
    memory.write((np.array([1, 2]), np.array([0, 1])), np.int8([5, 6]))
    assert memory.written.tolist() == [[False, False], [True, False], [False, True], [False] * 2]
    assert memory.data.tolist() == [[0, 0], [5, 0], [0, 6], [0, 0]]
    memory.forget()
    assert not memory.written.any()
