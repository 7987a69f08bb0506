"""x86-64 with AVX-512 VNNI, from Intel's Cascade Lake and AMD's Zen 4 on: 32 products at once.

`vpdpbusd` multiplies elements without sign by signed ones and adds four products to each of 8
partial sums, or of 8 or 16 sums of neighbouring results. Elements with a zero point of -128 have no
sign once it is taken off. With another zero point, `vpdpwssd` adds the products of 16 elements in
16 bits. Both take memory. Intel 64 and IA-32 Architectures Software Developer's Manual.
"""

from forebay.cpus.cpu import Cpu, FloatUnit, LaneUnit, VectorUnit
from forebay.cpus.x86_64_v3 import FLOATS8
from forebay.cpus.x86_64_v4 import FLOATS16

VNNI_BYTES = VectorUnit(lanes=32, load=1, dot=1, registers=1, fewest=17, sums=8, offset=128)
VNNI_PAIRS = VectorUnit(lanes=16, load=1, dot=1, registers=1, fewest=2, sums=8)
VNNI_LANES = LaneUnit(lanes=8, store=3, sums=8, load=1, offset=1, add=1, most=8)
VNNI_SUMS = LaneUnit(lanes=16, store=2, sums=16, load=1, offset=1, add=1, most=8)
VNNI_DOTS = tuple(
    LaneUnit(
        lanes=n,
        store=32 / n,
        sums=n,
        load=1,
        offset=0,
        add=1,
        most=16,
        dot_length=4,
        only_zero_point=128,
    )
    for n in (16, 8)
)

CPU = Cpu(
    name="cascadelake",
    registers=32,
    max_products=64,
    cache=20 * 1024,
    vectors=(VNNI_BYTES, VNNI_PAIRS),
    lanes=VNNI_LANES,
    floats=FloatUnit(registers=32, sums=(FLOATS16, FLOATS8)),
    sums=(*VNNI_DOTS, VNNI_SUMS),
    extremes=(16,),
)
