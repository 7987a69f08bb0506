"""The ops inside an op, and those that compute and use a value."""

from __future__ import annotations

from typing import Any, TypeVar

from mlir import ir

from forebay._libs import _forebay

_Op = TypeVar("_Op", bound=ir.OpView)


def ops_in(op: ir.OpView | ir.Operation) -> list[ir.OpView]:
    """Return the op itself, then all ops nested in it."""
    return [op.operation.opview, *ops_nested_in(op)]


def ops_nested_in(op: ir.OpView | ir.Operation) -> list[ir.OpView]:
    """Return the ops in the regions of an op, at any depth, each before the ops inside it.

    The reference of an `accel.intrinsic` is not part of the program and is left out.

    The result is a list, so the caller may raise exceptions and erase ops. MLIR's own walk allows
    neither.
    """
    return _forebay.ops_nested_in(op.operation, set())


def ops_of(op: ir.OpView | ir.Operation, *kinds: type[_Op]) -> list[_Op]:
    """Return those of `ops_nested_in` that are of one of these classes, in the same order.

    The other ops get no objects in Python, so this takes a small part of the time.
    """
    classes: tuple[Any, ...] = kinds  # the bindings' stubs do not declare OPERATION_NAME
    names = {kind.OPERATION_NAME for kind in classes}
    found: list[Any] = _forebay.ops_nested_in(op.operation, names)
    return found


def inner_regions(op: ir.OpView | ir.Operation) -> list[ir.Region]:
    """Return the regions of an op, in order.

    The bindings' iterators end with an exception in C++, which takes longer than all that is done
    for most ops. So regions and blocks are looked up by their numbers.
    """
    regions = op.regions
    return [regions[number] for number in range(len(regions))]


def inner_blocks(op: ir.OpView | ir.Operation) -> list[ir.Block]:
    """Return the blocks of all regions of an op, without those of ops inside it."""
    found: list[ir.Block] = []
    for region in inner_regions(op):
        blocks = region.blocks
        found += [blocks[number] for number in range(len(blocks))]
    return found


def memory_ops_in(op: ir.OpView | ir.Operation) -> list[ir.OpView]:
    """Return those of `ops_nested_in` with a tensor or a memref among operands and results.

    Only they can have access constraints.
    """
    return _forebay.memory_ops_in(op.operation)


def distinct_ops_in(op: ir.OpView | ir.Operation, *kinds: type[ir.OpView]) -> list[ir.OpView]:
    """Return those of `ops_nested_in` that differ in class, in a memref, or in the type of a value.

    Of equal ones it is the first. All ops of the classes `kinds` are among them.
    """
    classes: tuple[Any, ...] = kinds
    return _forebay.distinct_ops_in(op.operation, {kind.OPERATION_NAME for kind in classes})


def ops_but_computations(block: ir.Block) -> list[ir.OpView]:
    """Return the ops of a block, without those that only compute numbers from numbers.

    Left out are ops without regions and without effects whose operands and results are integers,
    indices, floats, complex numbers or vectors.
    """
    return _forebay.ops_but_computations(block)


def unused_ops_in(op: ir.OpView | ir.Operation) -> list[ir.OpView]:
    """Return those of `ops_nested_in` that have results, none of which is used."""
    return _forebay.unused_ops_in(op.operation)


def users_of(value: ir.Value) -> list[ir.OpView]:
    """Return the op of each use of a value; an op that uses it twice is there twice."""
    return _forebay.users_of(value)


def defining_op(value: ir.Value) -> ir.OpView | None:
    """Return the op that computes a value, None for an argument of a block."""
    return None if isinstance(value.owner, ir.Block) else value.owner.opview
