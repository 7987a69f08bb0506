"""Describe a target: devices, pools, intrinsics, transfers, patterns, and devices' stages.

A target file defines `TARGET = Target(...)`, or a function `target(...)` that returns one.
Each name is loaded at its first use, because a target needs few of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.computations.add import Int8Add, int8_add
    from forebay.computations.computation import Computation, ComputedOperator, SlidingAxis
    from forebay.computations.condition import Condition
    from forebay.computations.convolution import Int8Convolution, int8_convolution
    from forebay.computations.depthwise import Int8Depthwise, int8_depthwise
    from forebay.computations.fully_connected import Int8FullyConnected, int8_fully_connected
    from forebay.computations.matmul import Int8MatMul, int8_matmul
    from forebay.computations.pooling import (
        Int8AveragePool,
        Int8MaxPool,
        int8_average_pool,
        int8_max_pool,
    )
    from forebay.device_stages import CallSite, Reserve, Stage
    from forebay.device_stages.tiles import (
        OperandTile,
        PartialSums,
        Tile,
        TiledInput,
        TiledOperator,
        TiledOutput,
        empty_tensor,
        lower_in_tiles,
        own_copy,
        reserve_for_tiles,
        slice_at,
    )
    from forebay.emissions import CompiledProgram, Emission, EmittedFiles
    from forebay.emissions.commands import (
        DeviceCommand,
        HostCopy,
        HostOperatorError,
        PlacedBytes,
        commands_of,
    )
    from forebay.ir.machine.wrappers import Wrapper
    from forebay.ir.refused import RefusedError
    from forebay.pools import Fill, PoolKind
    from forebay.targets.complete.target import Target
    from forebay.targets.description import (
        Access,
        Device,
        Emit,
        Intrinsic,
        Operand,
        Pattern,
        Pool,
        Queue,
        Register,
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
    "Computation",
    "ComputedOperator",
    "Condition",
    "Device",
    "DeviceCommand",
    "Emission",
    "Emit",
    "EmittedFiles",
    "Fill",
    "HostCopy",
    "HostOperatorError",
    "Int8",
    "Int8Add",
    "Int8AveragePool",
    "Int8Convolution",
    "Int8Depthwise",
    "Int8FullyConnected",
    "Int8MatMul",
    "Int8MaxPool",
    "Int16",
    "Int32",
    "Int64",
    "Intrinsic",
    "LocalVariable",
    "Operand",
    "OperandTile",
    "PartialSums",
    "Pattern",
    "PlacedBytes",
    "Pool",
    "PoolKind",
    "Queue",
    "RefusedError",
    "Register",
    "Reserve",
    "ScratchStorage",
    "SlidingAxis",
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
    "Wrapper",
    "ceil_div",
    "clip",
    "commands_of",
    "empty_tensor",
    "int8_add",
    "int8_average_pool",
    "int8_convolution",
    "int8_depthwise",
    "int8_fully_connected",
    "int8_matmul",
    "int8_max_pool",
    "loop",
    "lower_in_tiles",
    "maximum",
    "minimum",
    "own_copy",
    "requantise",
    "reserve_for_tiles",
    "select",
    "slice_at",
]

_MODULES = {
    "forebay.computations.add": (
        "Int8Add",
        "int8_add",
    ),
    "forebay.computations.computation": (
        "Computation",
        "ComputedOperator",
        "SlidingAxis",
    ),
    "forebay.computations.condition": ("Condition",),
    "forebay.computations.convolution": (
        "Int8Convolution",
        "int8_convolution",
    ),
    "forebay.computations.depthwise": (
        "Int8Depthwise",
        "int8_depthwise",
    ),
    "forebay.computations.fully_connected": (
        "Int8FullyConnected",
        "int8_fully_connected",
    ),
    "forebay.computations.matmul": (
        "Int8MatMul",
        "int8_matmul",
    ),
    "forebay.computations.pooling": (
        "Int8AveragePool",
        "Int8MaxPool",
        "int8_average_pool",
        "int8_max_pool",
    ),
    "forebay.device_stages": ("CallSite", "Reserve", "Stage"),
    "forebay.device_stages.tiles": (
        "OperandTile",
        "PartialSums",
        "Tile",
        "TiledInput",
        "TiledOperator",
        "TiledOutput",
        "empty_tensor",
        "lower_in_tiles",
        "own_copy",
        "reserve_for_tiles",
        "slice_at",
    ),
    "forebay.emissions": ("CompiledProgram", "Emission", "EmittedFiles"),
    "forebay.emissions.commands": (
        "DeviceCommand",
        "HostCopy",
        "HostOperatorError",
        "PlacedBytes",
        "commands_of",
    ),
    "forebay.ir.machine.wrappers": ("Wrapper",),
    "forebay.ir.refused": ("RefusedError",),
    "forebay.pools": ("Fill", "PoolKind"),
    "forebay.targets.complete.target": ("Target",),
    "forebay.targets.description": (
        "Access",
        "Device",
        "Emit",
        "Intrinsic",
        "Operand",
        "Pattern",
        "Pool",
        "Queue",
        "Register",
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
