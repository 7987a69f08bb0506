"""The registers of AVX-512."""

from forebay.cpus import x86_64_v3
from forebay.cpus.x86_64_v4 import CPU


def test_the_instructions_are_those_of_avx2_with_more_registers() -> None:
    assert CPU.vectors == x86_64_v3.CPU.vectors
    assert CPU.registers == 2 * x86_64_v3.CPU.registers


def test_sums_of_floats_are_vectors_of_sixteen_or_eight() -> None:
    assert CPU.floats is not None and x86_64_v3.CPU.floats is not None
    assert [unit.sums for unit in CPU.floats.sums] == [16, 8]
    assert [unit.sums for unit in x86_64_v3.CPU.floats.sums] == [8]
