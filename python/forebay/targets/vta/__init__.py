"""VTA in its default configuration: three cores, ordered only by tokens.

    dram -> load core -> inp, wgt -> compute core -> acc -> store core -> dram

It multiplies vectors of 16 int8 by 16 x 16 matrices into int32 sums, and shifts, adds and clips
sums (Moreau et al., "A Hardware-Software Blueprint for Flexible Deep Learning Specialization", IEEE
Micro 2019). Convolutions and products are cut into tiles. A layer whose factors are one power of
two, rounded once, runs wholly on the machine. The sums of other layers leave it byte by byte, and
the host requantises them.

Internal: may change without notice.
"""

from functools import partial

from forebay.api.target import Device, Emission, Pool, Target
from forebay.targets.vta.emission import emit_program, emit_project_with_driver
from forebay.targets.vta.intrinsics import (
    ACC,
    CONSTANTS,
    DRAM,
    ELEMENT_BYTES,
    INP,
    WGT,
    core_functions,
    load_weights,
    vta_queues,
)
from forebay.targets.vta.patterns import layer_patterns
from forebay.targets.vta.stage import lower_layer
from forebay.targets.vta.times import CoreTimes

# Generated code keeps its "state was reset" marker in the first bytes of the state pool.
_RESET_MARKER = (0, 16)
_HOST, _DEVICE = ("cpu",), ("vta",)
_BOTH = _HOST + _DEVICE


def target(
    *,
    inp: int = 32 * 1024,
    wgt: int = 256 * 1024,
    acc: int = 128 * 1024,
    dram: int | None = None,
    depthwise: int = 1,
    relaxed: int = 0,
    latency: int = 16,
    alu: int = 1,
    depth: int = 8,
) -> Target:
    """Return the machine with its memories in bytes.

    With `depthwise=0`, depthwise layers stay on the host. With `relaxed=1`, requantisations by a
    power of two are shifts of the machine also where TFLite rounds twice. `latency` and `alu` are
    those of `CoreTimes`; a queue takes `depth` outstanding operations.
    """
    times = CoreTimes(latency, alu)
    return Target(
        name="vta",
        devices=(
            Device("cpu", kind="cpu", host=True),
            Device(
                "vta",
                kind="vta",
                intrinsics=core_functions(times),
                transfers=(load_weights(times),),
                queues=vta_queues(depth),
                stage=partial(lower_layer, times=times),
            ),
        ),
        pools=(
            Pool(DRAM, "workspace", dram, readers=_BOTH, writers=_BOTH),
            Pool(CONSTANTS, "constant", alignment=ELEMENT_BYTES[WGT], readers=_BOTH),
            Pool("state", "state", reserved=(_RESET_MARKER,), readers=_HOST, writers=_HOST),
            _inside(INP, inp),
            _inside(WGT, wgt),
            _inside(ACC, acc),
        ),
        patterns=layer_patterns(depthwise=bool(depthwise), is_relaxed=bool(relaxed)),
        emissions=(
            Emission("vta", emit_program),
            Emission("vta-c", emit_project_with_driver),
        ),
    )


def _inside(name: str, capacity: int) -> Pool:
    row = ELEMENT_BYTES[name]
    return Pool(
        name,
        "workspace",
        capacity,
        alignment=row,
        base=0,
        unit=row,
        readers=_DEVICE,
        writers=_DEVICE,
        local=True,
    )
