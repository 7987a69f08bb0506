"""x86-64 with AVX2 (x86-64-v3): 16 products of 16 bits at once, 8 sums in a register.

Words of up to 16 elements are widened to 16 bits by `vpmovsxbw`, which takes memory. `vpmaddwd`
adds the products of neighbours, and `vpaddd` adds these to 8 partial sums. Depthwise convolutions
have 8 channels in a register. Intel 64 and IA-32 Architectures Software Developer's Manual.
"""

from forebay.cpus.cpu import Cpu, FloatUnit, LaneUnit, VectorUnit

AVX2 = VectorUnit(lanes=16, load=1, dot=2, registers=1, fewest=2, sums=8)
AVX2_LANES = LaneUnit(lanes=8, store=3, sums=8, load=1, offset=1, add=2, most=4, elements=8)
FLOATS8 = LaneUnit(lanes=8, store=1, sums=8, load=1, offset=0, add=2, most=10)

CPU = Cpu(
    name="x86-64-v3",
    registers=16,
    max_products=64,
    peeled=8,
    unrolled=2,
    vectors=(AVX2,),
    lanes=AVX2_LANES,
    floats=FloatUnit(registers=16, sums=(FLOATS8,)),
    extremes=(16,),
)
