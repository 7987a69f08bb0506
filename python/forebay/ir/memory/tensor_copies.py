"""Copies of tensors in every form: a named op, a generic op, or a nest of loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, bufferization, scf, tensor
from msgspec import Struct

from forebay.dialects import linalg
from forebay.ir.memory.linear import (
    Counter,
    Linear,
    linear_in,
    linear_of_map,
)
from forebay.ir.memory.loop_counters import constant_counter_of
from forebay.ir.memory.regions import is_inside
from forebay.ir.nested import memory_ops_in, ops_in

_ARITHMETIC = (arith.AddIOp, arith.ConstantOp, arith.MulIOp)


class TensorCopy(Struct, frozen=True):
    """A copy that fills all of `target` with elements of `source`; `op` does nothing else.

    The indices of these elements in dimension d are `starts[d]`, `starts[d] + steps[d]`, ...
    """

    op: ir.OpView
    source: ir.Value
    target: ir.Value
    starts: tuple[int, ...]
    steps: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        """Return whether the copy takes all elements of the source."""
        shapes = [list(ir.RankedTensorType(v.type).shape) for v in (self.source, self.target)]
        return shapes[0] == shapes[1] and not any(self.starts)


def tensor_copies_in(op: ir.OpView | ir.Operation) -> Iterator[TensorCopy]:
    """Yield the copies inside an op in order; ops inside a copy are not listed again."""
    inside_copies: set[ir.OpView] = set()
    for inner in memory_ops_in(op):
        copy = None if inner in inside_copies else tensor_copy_of(inner)
        if copy is not None:
            inside_copies.update(ops_in(inner))
            yield copy


def tensor_copy_of(op: ir.OpView) -> TensorCopy | None:
    """Return the op as a copy of tensors of static shape, or None for any other op."""
    if isinstance(op, (linalg.CopyOp, bufferization.MaterializeInDestinationOp)):
        return _whole(op)
    if isinstance(op, linalg.GenericOp):
        return _of_generic(op)
    return _of_loops(op) if isinstance(op, scf.ForOp) else None


def _whole(op: ir.OpView) -> TensorCopy | None:
    source, target = op.operands
    each = [Linear.of(d) for d in range(_rank(target))]
    return _copy(op, source, target, each)


def _of_generic(op: Any) -> TensorCopy | None:
    """Match one input, one output of identity map, and a body that yields the input's element."""
    if len(op.inputs) != 1 or len(op.outputs) != 1 or len(op.results) != 1:
        return None
    block = op.regions[0].blocks[0]
    if len(block.operations) != 1 or block.operations[0].operands[0] != block.arguments[0]:
        return None
    read, written = (ir.AffineMapAttr(attribute).value for attribute in op.indexing_maps)
    if written != ir.AffineMap.get_identity(written.n_dims):
        return None
    return _copy(op, op.inputs[0], op.outputs[0], linear_of_map(read))


def _of_loops(outermost: scf.ForOp) -> TensorCopy | None:
    """Match loops around one extract, and the insert of its result into the carried tensor."""
    loops = list(_nest(outermost))
    counters: list[Counter] = []
    sizes: list[int] = []
    for loop in loops:
        counted = constant_counter_of(loop)
        if counted is None or len(loop.initArgs) != 1:
            return None
        counter, trips = counted
        counters.append(counter)
        sizes.append(trips)
    moved = _extract_and_insert(loops[-1])
    if moved is None:
        return None
    extract, insert = moved
    if is_inside(extract.tensor, outermost):
        return None  # for example the tensor that the loops have built so far
    each = [Linear.of(d) for d in range(len(loops))]
    written = [linear_in(index, counters) for index in insert.indices]
    target = outermost.initArgs[0]
    if written != each or not _is_tensor(target) or sizes != _shape(target):
        return None
    return _copy(
        outermost, extract.tensor, target, [linear_in(i, counters) for i in extract.indices]
    )


def _nest(loop: scf.ForOp) -> Iterator[scf.ForOp]:
    """Yield a loop and its inner loop, as long as the outer one only yields the inner results."""
    yield loop
    body = [op for op in loop.body.operations if not isinstance(op, _ARITHMETIC)]
    inner = body[0]
    carried = list(loop.inner_iter_args)
    if not isinstance(inner, scf.ForOp) or len(body) != 2 or list(inner.initArgs) != carried:
        return
    if list(body[1].operands) == list(inner.results):
        yield from _nest(inner)


def _extract_and_insert(loop: scf.ForOp) -> tuple[tensor.ExtractOp, tensor.InsertOp] | None:
    body = [op for op in loop.body.operations if not isinstance(op, _ARITHMETIC)]
    if len(body) != 3 or not isinstance(body[0], tensor.ExtractOp):
        return None
    extract, insert, end = body
    if not isinstance(insert, tensor.InsertOp) or insert.scalar != extract.result:
        return None
    is_own = insert.dest == loop.inner_iter_args[0] and end.operands[0] == insert.result
    return (extract, insert) if is_own and extract.tensor != insert.dest else None


def _copy(
    op: ir.OpView, source: ir.Value, target: ir.Value, indices: Sequence[Linear[int] | None]
) -> TensorCopy | None:
    """Return a copy if each index increases along its own dimension of the target, or None."""
    if not all(_is_tensor(value) for value in (source, target)):
        return None
    given, wanted = ir.RankedTensorType(source.type), ir.RankedTensorType(target.type)
    if given.element_type != wanted.element_type or given.rank != wanted.rank:
        return None
    starts: list[int] = []
    steps: list[int] = []
    for dimension, index in enumerate(indices):
        if index is None:
            return None
        factor = index.factor(dimension)
        if factor < 1 or len(index.terms) > 1:
            return None
        starts.append(index.constant)
        steps.append(factor)
    return TensorCopy(op, source, target, tuple(starts), tuple(steps))


def _is_tensor(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType) and value.type.has_static_shape


def _shape(value: ir.Value) -> list[int]:
    return list(ir.RankedTensorType(value.type).shape)


def _rank(value: ir.Value) -> int:
    return value.type.rank if isinstance(value.type, ir.ShapedType) else 0
