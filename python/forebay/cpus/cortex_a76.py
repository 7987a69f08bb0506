"""AArch64 with NEON and dot products (Armv8.2-A), in a Cortex-A76: 16 products at once.

`sdot` adds the products of 16 signed elements to 4 partial sums; a zero point is multiplied by the
sums of the other factors, which one more adds. `smlal` adds the products of 4 elements of 16 bits
to 4 sums, so depthwise convolutions have 8 channels in two registers. Arm DDI 0487.
"""

from forebay.cpus.cpu import Cpu, FloatUnit, LaneUnit, VectorUnit

DOT = VectorUnit(lanes=16, load=1, dot=1, registers=1, fewest=5, sums=4, sums_factors=True)
NEON_LANES = LaneUnit(lanes=4, store=3, sums=8, load=2, offset=1, add=2, most=8, elements=8)

CPU = Cpu(
    name="cortex-a76",
    registers=28,
    carried=7,
    unrolled=2,
    max_products=64,
    peeled=8,
    vectors=(DOT,),
    lanes=NEON_LANES,
    floats=FloatUnit(registers=32),
    extremes=(16,),
)
