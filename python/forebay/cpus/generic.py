"""Portable C for a processor with 16 registers and a multiply-accumulate, such as a Cortex-M4."""

from forebay.cpus.cpu import Cpu

CPU = Cpu(name="generic", registers=14, max_products=32, peeled=8, code=50)
