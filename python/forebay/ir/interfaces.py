"""The properties of an op: MLIR's op interfaces, which the upstream bindings do not expose.

Memory effects, views, slices, control flow, destinations, and what bufferization will do to
tensors. Operands and results are numbers. A function returns None for an op that does not implement
the interface: it says nothing, which is not the same as "no effect".
"""

from __future__ import annotations

from typing import Literal

from mlir import ir
from msgspec import Struct

from forebay._libs import _forebay as library

AnyOp = ir.Operation | ir.OpView
FoldResult = int | ir.Value
"""A constant, or a value that is known when the program runs."""


class DeclaredEffect(Struct, frozen=True):
    """An effect on the memory of an operand or of a result, or on other memory if both are None."""

    kind: Literal["allocate", "free", "read", "write"]
    operand: int | None
    result: int | None


def declared_effects_of(op: AnyOp) -> tuple[DeclaredEffect, ...] | None:
    """Return the op's effects without those of the ops in its regions (MemoryEffectOpInterface)."""
    found = library.memory_effects(op)
    return None if found is None else tuple(DeclaredEffect(*effect) for effect in found)  # pyright: ignore[reportArgumentType]


class ViewEnds(Struct, frozen=True):
    """A view: the result number `result` shows the memory of the operand number `source`."""

    source: int
    result: int


def view_ends_of(op: AnyOp) -> ViewEnds | None:
    """Return what the op views (ViewLikeOpInterface)."""
    found = library.view(op)
    return None if found is None else ViewEnds(*found)


def is_view(op: AnyOp) -> bool:
    """Return whether the op makes a view."""
    return library.view(op) is not None


def viewed_by(op: AnyOp) -> ir.Value | None:
    """Return the memref that the op makes a view of, or None for an op that makes no view."""
    found = library.view(op)
    return None if found is None else op.operation.operands[found[0]]


def source_of_view(value: ir.Value) -> ir.Value | None:
    """Return the memref that a memref is a direct view of, or None if its definition is no view."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    found = library.view(owner)
    if found is None or ir.OpResult(value).result_number != found[1]:
        return None
    return owner.operation.operands[found[0]]


class Slice(Struct, frozen=True):
    """A rectangular part with strides: one number per dimension of the source, in elements."""

    offsets: tuple[FoldResult, ...]
    sizes: tuple[FoldResult, ...]
    strides: tuple[FoldResult, ...]


def slice_of(op: AnyOp) -> Slice | None:
    """Return the part that the op extracts or replaces (OffsetSizeAndStrideOpInterface)."""
    found = library.slice(op)
    return None if found is None else Slice(*(tuple(numbers) for numbers in found))


def is_slice(op: AnyOp) -> bool:
    """Return whether the op extracts or replaces a part."""
    return library.slice(op) is not None


class LoopNumbers(Struct, frozen=True):
    """The induction variables of a loop, and their bounds and steps; empty for a while loop."""

    counters: tuple[ir.Value, ...]
    lower: tuple[FoldResult, ...]
    upper: tuple[FoldResult, ...]
    steps: tuple[FoldResult, ...]


def loop_numbers_of(op: AnyOp) -> LoopNumbers | None:
    """Return over what the op loops (LoopLikeOpInterface)."""
    found = library.loop(op)
    return None if found is None else LoopNumbers(*(tuple(numbers) for numbers in found))


def is_loop(op: AnyOp) -> bool:
    """Return whether the op is a loop."""
    return library.loop(op) is not None


class ForwardedValue(Struct, frozen=True):
    """An edge of control flow: operand number `operand` of `op` becomes `becomes`.

    `op` is the op with the regions or a terminator in them; `becomes` is a block argument of a
    region or a result of the op with the regions.
    """

    op: ir.OpView
    operand: int
    becomes: ir.Value

    @property
    def value(self) -> ir.Value:
        """Return the value that is forwarded."""
        return self.op.operands[self.operand]


def forwarded_values_of(op: AnyOp) -> list[ForwardedValue] | None:
    """Return all edges between an op and its regions, in the program's order.

    Asks RegionBranchOpInterface.
    """
    found = library.forwarded_values(op)
    if found is None:
        return None
    return [ForwardedValue(owner.opview, operand, value) for owner, operand, value in found]


def is_control_flow(op: AnyOp) -> bool:
    """Return whether the op runs its regions as control flow (RegionBranchOpInterface)."""
    return library.forwarded_values(op) is not None


def destinations_of(op: AnyOp) -> tuple[int, ...] | None:
    """Return the operands into which the op writes its results (DestinationStyleOpInterface)."""
    found = library.destinations(op)
    return None if found is None else tuple(found)


class TensorAccess(Struct, frozen=True):
    """The access to the buffer of a tensor operand, or to a new buffer for a result."""

    operand: int | None
    result: int | None
    reads: bool
    writes: bool


def tensor_accesses_of(op: AnyOp) -> tuple[TensorAccess, ...] | None:
    """Return what the op does to the buffers of its tensors (BufferizableOpInterface).

    Control flow, calls and terminators only pass tensors on; the answer for them is None.
    """
    found = library.tensor_accesses(op)
    return None if found is None else tuple(TensorAccess(*access) for access in found)


class TensorAlias(Struct, frozen=True):
    """A tensor operand and a result that share a buffer; in every run if `is_certain`."""

    operand: int
    result: int
    is_certain: bool


def tensor_aliases_of(op: AnyOp) -> tuple[TensorAlias, ...] | None:
    """Return which results share buffers with operands (BufferizableOpInterface).

    Control flow, calls and terminators are described by their own interfaces; the answer for them
    is None.
    """
    found = library.tensor_aliases(op)
    return None if found is None else tuple(TensorAlias(*alias) for alias in found)


def source_of_tensor_view(value: ir.Value) -> ir.Value | None:
    """Return the tensor whose buffer a tensor only shows, in every run, or None."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None
    number = ir.OpResult(value).result_number
    for alias in tensor_aliases_of(owner) or ():
        if alias.result == number and is_shown(owner, alias):
            return owner.operation.operands[alias.operand]
    return None


def is_shown(op: AnyOp, alias: TensorAlias) -> bool:
    """Return whether a result always shares the operand's buffer and the op does not write it."""
    accesses = tensor_accesses_of(op) or ()
    return alias.is_certain and not any(a.writes and a.operand == alias.operand for a in accesses)
