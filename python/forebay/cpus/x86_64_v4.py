"""x86-64 with AVX-512 (x86-64-v4): the instructions of x86-64-v3, and 32 registers for vectors.

GCC makes vectors of 64 neighbouring elements from loops over single ones: an addition of tensors
takes 2.6 instructions per element, and 4.9 with the vectors of x86-64-v3.
"""

from msgspec import structs

from forebay.cpus.cpu import Cpu, FloatUnit, LaneUnit
from forebay.cpus.x86_64_v3 import AVX2, AVX2_LANES, FLOATS8

FLOATS16 = LaneUnit(lanes=16, store=0.5, sums=16, load=1, offset=0, add=2, most=24)
LANES = structs.replace(AVX2_LANES, elements=0)

CPU = Cpu(
    name="x86-64-v4",
    registers=32,
    max_products=64,
    vectors=(AVX2,),
    lanes=LANES,
    floats=FloatUnit(registers=32, sums=(FLOATS16, FLOATS8)),
    extremes=(16,),
)
