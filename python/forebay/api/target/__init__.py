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
from forebay.tracing.functions import ceil_div, clamp, maximum, minimum, select
from forebay.tracing.integers import Int8, Int16, Int32, Int64
from forebay.tracing.symbolic import Bool

__all__ = [
    "Access",
    "Bool",
    "CallSite",
    "Condition",
    "Device",
    "Emit",
    "Fill",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
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
    "ceil_div",
    "clamp",
    "maximum",
    "minimum",
    "select",
]
