"""Arm's DSP extension (ARMv7E-M), in a Cortex-M4 or M7: two products of 16 bits at once.

A word of four elements becomes two pairs by `sxtab16`, which adds the zero point, too; `smlad`
adds the two products of two pairs to a sum, `smlabb` and `smlatt` one of them. Arm DDI 0403.
"""

from forebay.cpus.cpu import Cpu, FloatUnit, VectorUnit

DSP = VectorUnit(lanes=4, load=3, dot=2, lane=1, registers=2)
VFP = FloatUnit(registers=32, reach=255)

CPU = Cpu(
    name="cortex-m4",
    registers=14,
    spill=6,
    max_products=16,
    peeled=8,
    code=50,
    vectors=(DSP,),
    floats=VFP,
    extremes=(4,),
    flags=("-fno-schedule-insns", "-fno-predictive-commoning"),
)
