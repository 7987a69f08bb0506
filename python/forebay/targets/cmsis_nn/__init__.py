"""CMSIS-NN, Arm's library of kernels for Cortex-M, as a device.

    caller -> cpu -> sram -> cmsis_nn (functions that run on the same processor) -> sram -> cpu

Each operator that the library takes becomes a call of one of its functions, through the C functions
of `<model>_wrappers.c`. Buffers that a function needs beside its operands are in the plan. The
values are those of CMSIS-NN 7 (`arm_nnfunctions.h`) with double rounding, which are TFLite Micro's.

Internal: may change without notice.
"""

from forebay.api.target import Device, Pool, Target, TargetError
from forebay.targets.cmsis_nn.intrinsics import cmsis_nn_intrinsics
from forebay.targets.cmsis_nn.patterns import DEVICE, cmsis_nn_patterns
from forebay.targets.cmsis_nn.sizes import extension_of

# Generated code keeps its "state was reset" marker in the first bytes of the state pool.
_RESET_MARKER = (0, 16)
_HOST, _BOTH = ("cpu",), ("cpu", DEVICE)
_SUMS = ("run", "constant")


def target(*, extension: str = "none", sums: str = "run", sram: int = 0) -> Target:
    """Return the target for a library that is built for `extension`: none, dsp or mve.

    `sums` says how MVE gets the kernel sums of fully connected layers: `run` calls the library in
    each run, `constant` takes 4 bytes of constants for each output. `sram` is the capacity of the
    workspace in bytes; 0 is no limit.
    """
    built_for = extension_of(extension)
    if sums not in _SUMS:
        raise TargetError(f"cmsis_nn with sums={sums}: the sums are one of {', '.join(_SUMS)}")
    return Target(
        "cmsis_nn",
        devices=(
            Device("cpu", kind="cpu", host=True),
            Device(DEVICE, kind="cmsis_nn", intrinsics=cmsis_nn_intrinsics(built_for)),
        ),
        pools=(
            Pool("sram", "workspace", sram or None, readers=_BOTH, writers=_BOTH),
            Pool("flash", "constant", readers=_BOTH),
            Pool("state", "state", reserved=(_RESET_MARKER,), readers=_HOST, writers=_HOST),
        ),
        patterns=cmsis_nn_patterns(built_for, keeps_sums=sums == "constant"),
    )
