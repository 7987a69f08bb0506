"""Blocks that the model chooses for a RISC-V processor of 32 bits."""

from forebay.cpus import generic
from forebay.cpus.costs.blocks import cheapest_blocks
from forebay.cpus.costs.weighted_nest import WeightedNest
from forebay.cpus.rv32imc import CPU
from forebay.regions import LoopNest, OperandAccess, induction_variables


def test_sums_stay_in_its_registers_without_words() -> None:
    p, c, k = induction_variables(3)
    source = OperandAccess((64, 16), (p, k), clamped=True)
    weights = OperandAccess((32, 16), (c, k), clamped=True)
    out = OperandAccess((64, 32), (p, c))
    nest = LoopNest((64, 32), (16,), (source, weights), (out,))
    weighted = WeightedNest(nest, nest.inputs, (1, 0), words=(2,), stored=(1,))
    found = cheapest_blocks(weighted, CPU)
    assert (found.word, found.stored) == (None, None)
    assert found.sizes[0] * found.sizes[1] == 8
    assert CPU.registers > generic.CPU.registers
