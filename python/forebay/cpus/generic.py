"""Portable C for a processor with 16 registers and a multiply-accumulate, such as a Cortex-M4."""

from forebay.cpus.cpu import Cpu, FloatUnit

CPU = Cpu(
    name="generic",
    registers=14,
    store=9,
    max_products=32,
    max_used_once=128,
    loaded_ahead=4,
    peeled=8,
    code=50,
    floats=FloatUnit(registers=16),
)
