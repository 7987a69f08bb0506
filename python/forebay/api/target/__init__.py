"""Describe a target: devices, pools, intrinsics, transfers, patterns, and devices' stages.

A target file defines `TARGET = Target(...)`, or a function `target(...)` that returns one.
"""

from forebay.device_stages import CallSite, Reserve, Stage
from forebay.ir.refused import RefusedError
from forebay.pools import Fill, PoolKind
from forebay.targets.description import (
    Access,
    Condition,
    Device,
    Emit,
    Intrinsic,
    Operand,
    Pattern,
    Pool,
    Queue,
    Target,
    TargetError,
    Transfer,
)

__all__ = [
    "Access",
    "CallSite",
    "Condition",
    "Device",
    "Emit",
    "Fill",
    "Intrinsic",
    "Operand",
    "Pattern",
    "Pool",
    "PoolKind",
    "Queue",
    "RefusedError",
    "Reserve",
    "Stage",
    "Target",
    "TargetError",
    "Transfer",
]
