"""The structure of a function: equal for functions that differ only in names and some constants."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from mlir import ir
from mlir.dialects import arith, func
from msgspec import Struct

from forebay.ir.nested import inner_regions

_VALUE = "value"
"""The attribute of a constant that is left out of a key."""

_NAME = "sym_name"


class FunctionStructure(Struct, frozen=True):
    """A key that equal structures share, and the constants whose values the key leaves out."""

    key: Hashable
    constants: tuple[arith.ConstantOp, ...]


def structure_of(
    function: func.FuncOp, is_free: Callable[[arith.ConstantOp], bool]
) -> FunctionStructure:
    """Return the structure of a function with a body.

    Locations and the name do not count, and neither do the values of the constants that `is_free`
    accepts. Two functions with one key do the same for equal values of their `constants`, which are
    in the order of the ops.
    """
    numbers: dict[ir.Value, int] = {}
    free: list[arith.ConstantOp] = []

    def key_of(op: ir.OpView) -> Hashable:
        left_out = {_NAME} if op == function else set[str]()
        if isinstance(op, arith.ConstantOp) and is_free(op):
            free.append(op)
            left_out.add(_VALUE)
        attributes = frozenset(
            (name, attribute)
            for name, attribute in op.operation.attributes.items()
            if name not in left_out
        )
        operands = tuple(numbers[value] for value in op.operation.operands)
        _number(op.operation.results, numbers)
        types = tuple(result.type for result in op.operation.results)
        regions = tuple(map(region_key, inner_regions(op)))
        return op.operation.name, attributes, operands, types, regions

    def region_key(region: ir.Region) -> Hashable:
        return tuple(block_key(block) for block in region.blocks)

    def block_key(block: ir.Block) -> Hashable:
        _number(block.arguments, numbers)
        types = tuple(argument.type for argument in block.arguments)
        return types, tuple(key_of(op) for op in block.operations)

    return FunctionStructure(key_of(function), tuple(free))


def _number(values: Iterable[ir.Value], numbers: dict[ir.Value, int]) -> None:
    for value in values:
        numbers[value] = len(numbers)
