"""Gemmini: a systolic array of 16x16 with a scratchpad and an accumulator, driven by a host.

    caller -> cpu -> dram -> gemmini (spad, acc) -> dram -> cpu

Convolutions, depthwise convolutions, fully connected layers and products with a constant matrix run
on the array, in tiles. The host requantises their sums as TFLite does (`stage.py`). The intrinsics
are functions of a driver in C (`driver/gemmini.c`), which issues Gemmini's instructions.

Internal: may change without notice.
"""

from functools import partial

from forebay.api.target import Device, Pool, Target
from forebay.targets.gemmini.emission import EMISSION
from forebay.targets.gemmini.intrinsics import gemmini_intrinsics, gemmini_queues, weight_loader
from forebay.targets.gemmini.machine import (
    ACCUMULATOR,
    ACCUMULATOR_BASE,
    DIM,
    MEMORY,
    SCRATCHPAD,
    WEIGHTS,
    MemorySizes,
)
from forebay.targets.gemmini.patterns import gemmini_patterns
from forebay.targets.gemmini.stage import lower_gemmini_layer
from forebay.targets.gemmini.times import MoveTimes

# Generated code keeps its "state was reset" marker in the first bytes of the state pool.
_RESET_MARKER = (0, 16)
_HOST, _GEMMINI = ("cpu",), ("gemmini",)


def target(
    *,
    spad: int = 256 << 10,
    acc: int = 64 << 10,
    spad_banks: int = 4,
    acc_banks: int = 2,
    output_stationary: int = 0,
    requantise: int = 0,
    latency: int = 64,
    bandwidth: int = 16,
) -> Target:
    """Return the machine with `spad` and `acc` bytes of scratchpad and accumulator.

    With `output_stationary`, sums instead of weights stay in the array (`dataflow.py`).
    With `requantise`, the device rounds sums to int8 where it can, in its own way (`scaling.py`).
    `latency` in cycles and `bandwidth` in bytes per cycle are those of `MoveTimes`.
    """
    sizes, times = MemorySizes(spad, spad_banks, acc, acc_banks), MoveTimes(latency, bandwidth)
    return Target(
        name="gemmini",
        devices=(
            Device("cpu", kind="cpu", host=True),
            Device(
                "gemmini",
                kind="gemmini",
                peak=DIM * DIM,
                intrinsics=gemmini_intrinsics(times),
                transfers=(weight_loader(times),),
                queues=gemmini_queues(),
                stage=partial(lower_gemmini_layer, times=times),
            ),
        ),
        pools=(
            Pool(MEMORY, "workspace", readers=_HOST + _GEMMINI, writers=_HOST + _GEMMINI),
            Pool(
                SCRATCHPAD,
                "workspace",
                sizes.spad,
                base=0,
                unit=DIM,
                banks=sizes.spad_banks,
                weight=0,
                local=True,
                readers=_GEMMINI,
                writers=_GEMMINI,
            ),
            Pool(
                ACCUMULATOR,
                "workspace",
                sizes.acc,
                alignment=4 * DIM,
                base=ACCUMULATOR_BASE,
                unit=4 * DIM,
                banks=sizes.acc_banks,
                weight=0,
                local=True,
                readers=_GEMMINI,
                writers=_GEMMINI,
            ),
            Pool(WEIGHTS, "constant", readers=_HOST + _GEMMINI),
            Pool("state", "state", reserved=(_RESET_MARKER,), readers=_HOST, writers=_HOST),
        ),
        patterns=gemmini_patterns(keeps_sums=bool(output_stationary), scales=bool(requantise)),
        emissions=(EMISSION,),
    )
