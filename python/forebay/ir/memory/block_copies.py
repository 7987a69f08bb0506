"""Copies of memrefs in every form: one op, a generic op, or a nest of loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, memref, scf
from msgspec import Struct

from forebay.dialects import accel, linalg, memref_pool
from forebay.ir.memory.linear import (
    Counter,
    Linear,
    linear_in,
    linear_of_map,
)
from forebay.ir.memory.loop_counters import constant_counter_of
from forebay.ir.nested import inner_blocks, ops_but_computations, ops_in
from forebay.ir.views.layouts import DYNAMIC_OFFSET

_ARITHMETIC = (arith.AddIOp, arith.ConstantOp, arith.MulIOp)


class ElementAccess(Struct, frozen=True):
    """The elements of a memref at the points of a domain of `rank` dimensions.

    There is one linear form per dimension of the memref.
    """

    memory: ir.Value
    rank: int
    indices: tuple[Linear[int], ...]

    @property
    def strides(self) -> tuple[int, ...]:
        """Return the stride in elements per dimension of the domain."""
        strides = self._own_strides
        return tuple(
            sum(i.factor(d) * stride for i, stride in zip(self.indices, strides, strict=True))
            for d in range(self.rank)
        )

    @property
    def offset(self) -> int:
        """Return the distance in elements from the memref's first to that of the first point."""
        strides = self._own_strides
        return sum(index.constant * s for index, s in zip(self.indices, strides, strict=True))

    def bounds(self, sizes: Sequence[int]) -> tuple[int, int]:
        """Return the half-open range of elements that contains all points of a domain."""
        ends = [stride * (size - 1) for stride, size in zip(self.strides, sizes, strict=True)]
        low = self.offset + sum(min(0, end) for end in ends)
        return low, self.offset + sum(max(0, end) for end in ends) + 1

    def is_injective(self, sizes: Sequence[int]) -> bool:
        """Return whether different points are always different elements.

        This test is sufficient but not necessary.
        """
        reached = 0
        for stride, size in sorted(
            (abs(stride), size)
            for stride, size in zip(self.strides, sizes, strict=True)
            if size > 1
        ):
            if stride <= reached:
                return False
            reached += stride * (size - 1)
        return True

    @property
    def _own_strides(self) -> list[int]:
        return ir.MemRefType(self.memory.type).get_strides_and_offset()[0]


class BlockCopy(Struct, frozen=True):
    """A copy of one element for each point of a domain of these sizes; `op` does nothing else.

    No two points write the same element. A nest of loops may read an element that it has written
    before if source and target are the same memory. Such a nest is a copy only for a caller that
    has excluded this case.
    """

    op: ir.OpView
    sizes: tuple[int, ...]
    source: ElementAccess
    target: ElementAccess

    @property
    def ops(self) -> list[ir.OpView]:
        """Return the op and all ops inside it."""
        return ops_in(self.op)


def block_copies_in(op: ir.OpView | ir.Operation) -> Iterator[BlockCopy]:
    """Yield the copies inside an op in order; ops inside a copy are not listed again."""
    for block in inner_blocks(op):
        for inner in ops_but_computations(block):
            copy = copy_of(inner)
            if copy is not None:
                yield copy
            elif not isinstance(inner, accel.IntrinsicOp):
                yield from block_copies_in(inner)


def copy_of(op: ir.OpView) -> BlockCopy | None:
    """Return the op as a copy between memrefs of static strides, or None for any other op."""
    found: BlockCopy | None = None
    if isinstance(op, (memref.CopyOp, memref_pool.CopyOp)):
        found = _whole(op, op.source, op.target)
    elif isinstance(op, linalg.CopyOp):
        found = _whole(op, *op.operands)
    elif isinstance(op, linalg.GenericOp):
        found = _of_generic(op)
    elif isinstance(op, scf.ForOp):
        found = _of_loops(op)
    if found is None or not all(_has_strides(a.memory) for a in (found.source, found.target)):
        return None
    return found if found.target.is_injective(found.sizes) else None


def _whole(op: ir.OpView, source: ir.Value, target: ir.Value) -> BlockCopy | None:
    if not all(isinstance(value.type, ir.MemRefType) for value in (source, target)):
        return None
    given, wanted = ir.MemRefType(source.type), ir.MemRefType(target.type)
    if not wanted.has_static_shape or given.element_type != wanted.element_type:
        return None
    rank = len(wanted.shape)
    each = tuple(Linear.of(d) for d in range(rank))
    ends = (ElementAccess(value, rank, each) for value in (source, target))
    return BlockCopy(op, tuple(wanted.shape), *ends)


def _of_generic(op: Any) -> BlockCopy | None:
    """Match one input, one output, and a body that yields the input's element."""
    if len(op.inputs) != 1 or len(op.outputs) != 1 or len(op.results):
        return None
    if not all(isinstance(value.type, ir.MemRefType) for value in op.operands):
        return None  # a scalar that fills a memref
    block = op.regions[0].blocks[0]
    if len(block.operations) != 1 or block.operations[0].operands[0] != block.arguments[0]:
        return None
    maps = [ir.AffineMapAttr(attribute).value for attribute in op.indexing_maps]
    indices = [linear_of_map(each) for each in maps]
    if any(index is None for each in indices for index in each):
        return None
    source, target = (
        ElementAccess(value, maps[0].n_dims, tuple(index for index in each if index is not None))
        for value, each in zip(op.operands, indices, strict=True)
    )
    sizes = _sizes(maps[0].n_dims, (source, target))
    return None if sizes is None else BlockCopy(op, sizes, source, target)


def _sizes(dims: int, accesses: tuple[ElementAccess, ElementAccess]) -> tuple[int, ...] | None:
    """Return the size of each dimension: that of a memref dimension indexed by it alone."""
    found: dict[int, int] = {}
    for access in accesses:
        shape = ir.MemRefType(access.memory.type).shape
        for size, index in zip(shape, access.indices, strict=True):
            for d in range(dims):
                if index == Linear.of(d):
                    found[d] = size
    return tuple(found[d] for d in range(dims)) if len(found) == dims else None


def _of_loops(outermost: scf.ForOp) -> BlockCopy | None:
    """Match loops around one load and the store of the loaded value."""
    loops = list(_nest(outermost))
    counters: list[Counter] = []
    sizes: list[int] = []
    for loop in loops:
        counted = constant_counter_of(loop)
        if counted is None or len(loop.initArgs):
            return None
        counter, trips = counted
        counters.append(counter)
        sizes.append(trips)
    moved = _load_and_store(list(loops[-1].body.operations)[:-1])
    if moved is None:
        return None
    accesses = [_access(op, counters) for op in moved]
    source, target = accesses
    if source is None or target is None:
        return None
    return BlockCopy(outermost, tuple(sizes), source, target)


def _nest(loop: scf.ForOp) -> Iterator[scf.ForOp]:
    """Yield a loop and its inner loop, as long as there is only arithmetic around the inner one."""
    yield loop
    body = [op for op in list(loop.body.operations)[:-1] if not isinstance(op, _ARITHMETIC)]
    if len(body) == 1 and isinstance(body[0], scf.ForOp):
        yield from _nest(body[0])


def _load_and_store(body: Sequence[ir.OpView]) -> tuple[memref.LoadOp, memref.StoreOp] | None:
    loads = [op for op in body if isinstance(op, memref.LoadOp)]
    stores = [op for op in body if isinstance(op, memref.StoreOp)]
    rest = [op for op in body if op not in loads and op not in stores]
    if len(loads) != 1 or len(stores) != 1 or stores[0].value != loads[0].result:
        return None
    if not all(isinstance(op, _ARITHMETIC) for op in rest):
        return None
    return loads[0], stores[0]


def _access(
    op: memref.LoadOp | memref.StoreOp, counters: Sequence[Counter]
) -> ElementAccess | None:
    indices = [linear_in(index, counters) for index in op.indices]
    known = tuple(index for index in indices if index is not None)
    return ElementAccess(op.memref, len(counters), known) if len(known) == len(indices) else None


def _has_strides(value: ir.Value) -> bool:
    strides, _ = ir.MemRefType(value.type).get_strides_and_offset()
    return DYNAMIC_OFFSET not in strides
