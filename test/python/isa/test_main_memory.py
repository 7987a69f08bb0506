"""Main memory: absolute addresses, and which bytes have a value."""

import numpy as np

from forebay.isa.main_memory import MainMemory


def test_addresses_count_from_the_base() -> None:
    memory = MainMemory(0x100, np.arange(8, dtype=np.uint8))
    memory.write(0x102, np.uint8([9, 8]))
    assert memory.read(0x101, 4).tolist() == [1, 9, 8, 4]
    assert memory.contains(0x100, 8)
    assert not memory.contains(0x101, 8)
    assert not memory.contains(0xFF, 1)


def test_a_write_gives_bytes_a_value_and_keeps_the_caller_s_arrays() -> None:
    data, written = np.zeros(4, np.uint8), np.zeros(4, np.bool_)
    memory = MainMemory(0, data, written)
    memory.write(1, np.uint8([5]))
    assert memory.written.tolist() == [False, True, False, False]
    assert not data.any()
    assert not written.any()
