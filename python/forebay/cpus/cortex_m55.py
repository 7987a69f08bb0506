"""Arm's vector extension MVE (Armv8.1-M), in a Cortex-M55.

`vmladava` adds 16 products of 8 bits to a sum. Predicated loads read fewer elements. A zero point
is added by the sum of the other factors, `vaddv`. Words of four elements are widened to 32 bits as
they are loaded, `vldrb.s32`, and a zero point is added to them. Arm DDI 0553.

GCC moves calls of intrinsics into the expressions that use them, which orders products in front of
sums and spills vectors; without `-ftree-ter` they stay where they are written, and without
`-ftree-reassoc` sums keep their order.

MVE computes floats, too, but makes zeros of subnormal numbers, so kernels of floats use the
registers and the instructions of the FPU, which are those of a Cortex-M4.
"""

from msgspec import structs

from forebay.cpus.cortex_m4 import VFP
from forebay.cpus.cpu import Cpu, LaneUnit, VectorUnit

MVE = VectorUnit(
    lanes=16,
    load=2,
    dot=1,
    registers=0,
    sums_factors=True,
    fewest=5,
    most_sums=8,
    has_short_offsets=True,
    fills=True,
    most_held=6,
)
WIDENED = VectorUnit(
    lanes=4, load=2, dot=1, registers=0, most_sums=8, has_short_offsets=True, fills=True
)
MVE_LANES = LaneUnit(lanes=4, store=4, sums=8, load=1, offset=1, add=4, most=2, elements=4)

CPU = Cpu(
    name="cortex-m55",
    registers=14,
    spill=6,
    step=2,
    store=16,
    max_products=32,
    few_products=24,
    code=30,
    vectors=(MVE, WIDENED),
    lanes=MVE_LANES,
    floats=structs.replace(VFP, has_exact_vectors=False),
    extremes=(16, 4),
    flags=("-fno-schedule-insns", "-fno-tree-reassoc", "-fno-tree-ter", "-fno-branch-count-reg"),
)
