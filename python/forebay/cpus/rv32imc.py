"""A RISC-V processor of 32 bits with multiplication and compressed instructions (RV32IMC).

Portable C: there are no instructions on vectors, and a product is added by a second instruction.
Of 32 registers a compiler uses 26 in a loop. The RISC-V Instruction Set Manual, volume I.
"""

from forebay.cpus.cpu import Cpu

CPU = Cpu(name="rv32imc", registers=26, peeled=8, flags=("-fno-schedule-insns",))
