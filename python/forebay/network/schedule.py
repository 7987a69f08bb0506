"""The steps of a planned program and the operators of its model, as data."""

from __future__ import annotations

from msgspec import Struct


class OperatorInfo(Struct, frozen=True):
    """An operator of the model, and what the partition says about it.

    `index` is its position in the model's file, None for an op of an MLIR file. `pattern` is None
    on the host. `macs` and `bytes` are None for a module that declares its own devices.
    """

    index: int | None
    kind: str
    name: str
    device: str
    pattern: str | None = None
    reasons: tuple[str, ...] = ()
    macs: int | None = None
    bytes: int | None = None


class StepInfo(Struct, frozen=True):
    """One step of the schedule: an op that accesses buffers.

    `operator` is an index of `ModelInfo.operators`. `op` is the kind of the op, with the intrinsic
    or transfer that it requests. `reads`, `writes` and `waits_for` are indices of buffers;
    `waits_for` are those of operations in flight that end here. `inputs` and `outputs` are indices
    of ports in memory of the caller. `cycles` are those of one execution, if they are modelled.
    """

    op: str
    device: str
    entry: str
    location: str
    operator: int | None = None
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    waits_for: tuple[int, ...] = ()
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    cycles: int | None = None
