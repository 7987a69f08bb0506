"""Random programs in the safe subset, for comparison with plain loops."""

from hypothesis import strategies as st

from forebay.isa.gemmini.instructions import (
    NO_ROWS,
    ComputeAccumulated,
    ComputePreloaded,
    ConfigEx,
    ConfigLd,
    ConfigSt,
    Dataflow,
    Fence,
    GemminiActivation,
    Mvin,
    Mvin2,
    Mvout,
    Preload,
)

from .small_programs import BASE, acc, spad

SIZES = st.integers(1, 16)
SCALES = st.sampled_from([1.0, 0.5, 0.0625, 3.25, 2.0**-7])
ACTIVATIONS = st.sampled_from(GemminiActivation)
TRANSPOSES = {
    Dataflow.WEIGHT_STATIONARY: [(False, False), (True, False), (False, True)],
    Dataflow.OUTPUT_STATIONARY: [(False, False), (True, False), (True, True)],
}
INPUTS = st.integers(BASE, BASE + 0x200)
IN_STRIDES = st.integers(0, 70)


@st.composite
def _programs(draw):
    """Load all rows of a small part, multiply a few times, and move everything out."""
    program = [
        ConfigLd(0, draw(IN_STRIDES), scale=draw(SCALES), block_stride=draw(st.integers(16, 20))),
        ConfigLd(1, draw(IN_STRIDES), scale=draw(SCALES), shrunk=True),
        *(Mvin(draw(INPUTS), spad(16 * block), 16, 16) for block in range(6)),
        Mvin(draw(INPUTS), spad(0), draw(SIZES), draw(st.integers(17, 64))),
        *(Mvin(draw(INPUTS), acc(16 * block), 16, 16) for block in range(4)),
        Mvin2(draw(INPUTS), acc(0, add=draw(st.booleans())), draw(SIZES), draw(st.integers(1, 64))),
    ]
    for _ in range(draw(st.integers(1, 3))):
        program += draw(_products())
    program += _results(draw)
    return program


@st.composite
def _products(draw):
    flow = draw(st.sampled_from(Dataflow))
    weights = flow is Dataflow.WEIGHT_STATIONARY
    a_turned, b_turned = draw(st.sampled_from(TRANSPOSES[flow]))
    to_accumulator = draw(st.booleans())
    rows, inner, columns = draw(SIZES), draw(SIZES), draw(SIZES)
    c = acc(draw(st.integers(0, 30)), add=draw(st.booleans())) if to_accumulator else spad(0)
    config = ConfigEx(
        flow,
        draw(ACTIVATIONS),
        a_transposed=a_turned,
        b_transposed=b_turned,
        a_stride=draw(st.integers(1, 2)),
        shift=0 if to_accumulator else draw(st.integers(0, 12)),
        c_stride=draw(st.integers(1, 2)) if weights else 1,
    )
    b_size, c_size = (inner, columns), (rows, columns)
    first, second = (b_size, c_size) if weights else (c_size, b_size)
    d = draw(st.sampled_from([NO_ROWS, spad(80)]))
    named, given = (spad(64), d) if weights else (d, spad(64))
    steps = [config, Preload(named, *first, c, *c_size)]
    steps.append(ComputePreloaded(spad(draw(st.integers(0, 30))), rows, inner, given, *second))
    if draw(st.booleans()):
        steps.append(Preload(NO_ROWS, 1, 1, c, *c_size))
        steps.append(ComputeAccumulated(spad(3), rows, inner, given, *second))
    return steps


def _results(draw):
    out = BASE + 0x800
    pooled = ConfigSt(16, 0.25, GemminiActivation.RELU, 2, 3, 1, 0, 4, 2, 2, 4, 5)
    return [
        Fence(),
        ConfigSt(16, draw(SCALES), draw(ACTIVATIONS)),
        *(Mvout(out + 256 * block, spad(16 * block), 16, 16) for block in range(4)),
        Mvout(out + 0x400, acc(0), 16, 16),
        ConfigSt(64),
        Mvout(out + 0x500, acc(16, full=True), draw(SIZES), draw(SIZES)),
        Mvout(out + 0x500, acc(0), 4, 64),
        pooled,
        Mvout(out + 0xA00, acc(draw(st.integers(0, 40))), 1, draw(SIZES)),
    ]


PROGRAMS = _programs()
