"""Units of ranges."""

from forebay.isa.vta.programs.step import AccessedMemory


def test_ranges_of_local_memories_count_elements() -> None:
    assert {memory.name: memory.value for memory in AccessedMemory} == {
        "INP": 16,
        "WGT": 256,
        "ACC": 64,
        "DRAM": 1,
    }
