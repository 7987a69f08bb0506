"""UOP as a cache of sequences, each of which is stored once."""

from forebay.isa.vta.instructions import MicroOp
from forebay.isa.vta.programs.micro_op_memory import MicroOpMemory

ONE, TWO, THREE = (MicroOp(1),), (MicroOp(1), MicroOp(2)), (MicroOp(3), MicroOp(4), MicroOp(5))


def places(memory: MicroOpMemory, *sequences) -> list[tuple[int, int, int]]:
    """Return per sequence the number of loads, the first index, and the source of the load."""
    found = []
    for sequence in sequences:
        steps, at = memory.loaded(sequence)
        found.append((len(steps), at, steps[0].instruction.dram if steps else 0))
    return found


def test_a_sequence_is_loaded_once_while_it_stays() -> None:
    memory = MicroOpMemory(0x1000, depth=4)
    assert places(memory, TWO, ONE, TWO) == [(1, 0, 0x400), (1, 2, 0x402), (0, 0, 0)]


def test_a_sequence_that_does_not_fit_replaces_the_others() -> None:
    memory = MicroOpMemory(0x1000, depth=4)
    assert places(memory, TWO, THREE, TWO) == [(1, 0, 0x400), (1, 0, 0x402), (1, 0, 0x400)]
    # TWO is in main memory once.
    assert memory.words().tolist() == [1, 2, 3, 4, 5]
