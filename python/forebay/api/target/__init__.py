"""Describe a target: devices, pools, intrinsics, transfers, patterns, and devices' stages.

A target file defines `TARGET = Target(...)`, or a function `target(...)` that returns one.
Each name is loaded at its first use, because a target needs few of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.device_references.add import int8_add
    from forebay.device_references.convolution import int8_convolution
    from forebay.device_references.fully_connected import int8_fully_connected
    from forebay.device_stages import CallSite, Reserve, Stage
    from forebay.device_stages.tiles import (
        OperandTile,
        PartialSums,
        Tile,
        TiledInput,
        TiledOperator,
        TiledOutput,
        lower_in_tiles,
        reserve_for_tiles,
    )
    from forebay.emissions import CompiledProgram, Emission
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
        Register,
        Target,
        TargetError,
        Transfer,
    )
    from forebay.tiling import CallCost, ScratchStorage, TileLimit, TileStorage, TransferCost
    from forebay.tracing.control import LocalVariable, loop
    from forebay.tracing.functions import ceil_div, clip, maximum, minimum, select
    from forebay.tracing.integers import Int8, Int16, Int32, Int64
    from forebay.tracing.pointers import TypedPointer
    from forebay.tracing.requantise import requantise
    from forebay.tracing.symbolic import Bool

__all__ = [
    "Access",
    "Bool",
    "CallCost",
    "CallSite",
    "CompiledProgram",
    "Condition",
    "Device",
    "Emission",
    "Emit",
    "Fill",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Intrinsic",
    "LocalVariable",
    "Operand",
    "OperandTile",
    "PartialSums",
    "Pattern",
    "Pool",
    "PoolKind",
    "Queue",
    "RefusedError",
    "Register",
    "Reserve",
    "ScratchStorage",
    "Stage",
    "Target",
    "TargetError",
    "Tile",
    "TileLimit",
    "TileStorage",
    "TiledInput",
    "TiledOperator",
    "TiledOutput",
    "Transfer",
    "TransferCost",
    "TypedPointer",
    "ceil_div",
    "clip",
    "int8_add",
    "int8_convolution",
    "int8_fully_connected",
    "loop",
    "lower_in_tiles",
    "maximum",
    "minimum",
    "requantise",
    "reserve_for_tiles",
    "select",
]

_MODULES = {
    "forebay.device_references.add": ("int8_add",),
    "forebay.device_references.convolution": ("int8_convolution",),
    "forebay.device_references.fully_connected": ("int8_fully_connected",),
    "forebay.device_stages": ("CallSite", "Reserve", "Stage"),
    "forebay.device_stages.tiles": (
        "OperandTile",
        "PartialSums",
        "Tile",
        "TiledInput",
        "TiledOperator",
        "TiledOutput",
        "lower_in_tiles",
        "reserve_for_tiles",
    ),
    "forebay.emissions": ("CompiledProgram", "Emission"),
    "forebay.ir.refused": ("RefusedError",),
    "forebay.pools": ("Fill", "PoolKind"),
    "forebay.targets.description": (
        "Access",
        "Condition",
        "Device",
        "Emit",
        "Intrinsic",
        "Operand",
        "Pattern",
        "Pool",
        "Queue",
        "Register",
        "Target",
        "TargetError",
        "Transfer",
    ),
    "forebay.tiling": ("CallCost", "ScratchStorage", "TileLimit", "TileStorage", "TransferCost"),
    "forebay.tracing.control": ("LocalVariable", "loop"),
    "forebay.tracing.functions": ("ceil_div", "clip", "maximum", "minimum", "select"),
    "forebay.tracing.integers": ("Int8", "Int16", "Int32", "Int64"),
    "forebay.tracing.pointers": ("TypedPointer",),
    "forebay.tracing.requantise": ("requantise",),
    "forebay.tracing.symbolic": ("Bool",),
}
"""The names of each module."""

_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value
