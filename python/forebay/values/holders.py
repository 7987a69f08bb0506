"""Find where a planned program stores the tensors of its model.

The location of an op names the operator that it belongs to. After the last op of an operator, its
result is stored if the op writes a buffer of the result's shape. If the operator's device has its
own layout, the result is also stored after the last of its ops that writes a buffer of that shape.
Dimensions of size 1 are ignored. If the end of an operator was fused into its user, the rest of the
operator ends in another op than its kernel in the model built for the host, and stores no tensor.

    fill %a, copy %x into %a   3 CONV_2D      a border around the operand: no tensor of the model
    accel.call outs(%b)        3 CONV_2D  <-  blocks of channels, as the device holds the result
    linalg.generic outs(%c)    3 CONV_2D  <-  the result as the model has it
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import func, scf

from forebay.dialects.memref_pool import AllocOp
from forebay.ir.locations import ModelLocation, model_location_of
from forebay.ir.memory.access_constraints import access_constraints_of
from forebay.ir.memory.underlying_buffers import entry_functions, functions_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_in
from forebay.ir.problem.ports import numpy_name_of
from forebay.ir.views.queries import is_inside_source
from forebay.values.ends import end_of_kernel
from forebay.values.tensors import Layout, Tensor, Tensors


@dataclass(frozen=True, eq=False)
class Holder:
    """A value that holds a tensor in a layout once the op `after` of `@main` has run."""

    tensor: Tensor
    after: ir.OpView
    value: ir.Value
    layout: Layout


@dataclass(frozen=True, eq=False)
class _Write:
    """An op of `@main` that writes a memref visible in `@main`."""

    op: ir.OpView
    value: ir.Value

    def is_like(self, tensor: Tensor, shape: tuple[int, ...]) -> bool:
        """Return whether the value could be the tensor in this shape."""
        type_ = ir.MemRefType(self.value.type)
        if numpy_name_of(type_.element_type) != tensor.dtype:
            return False
        return [n for n in type_.shape if n != 1] == [n for n in shape if n != 1]


def holders_of(planned: ir.Operation, tensors: Tensors) -> list[Holder]:
    """Return at most one holder per tensor and layout, in the order of the tensors."""
    if not tensors.all:
        return []
    writes = _writes(planned)
    return [
        holder
        for tensor in tensors.all
        for holder in _of(tensor, writes.get(tensor.origin, []), tensors)
    ]


def _writes(planned: ir.Operation) -> dict[ModelLocation, list[_Write]]:
    """Return the writes of `@main` in order, by the operator that they belong to."""
    found: dict[ModelLocation, list[_Write]] = {}
    module = module_of(planned)
    functions = {function.sym_name.value: function for function in functions_in(module)}
    main = next((f for f in entry_functions(module) if f.sym_name.value == "main"), None)
    for op in () if main is None else main.body.blocks[0].operations:
        origin = model_location_of(op.location)
        if origin is not None:
            for value in _written(op, functions):
                found.setdefault(origin, []).append(_Write(op, value))
    return found


def _of(tensor: Tensor, writes: list[_Write], tensors: Tensors) -> Iterator[Holder]:
    writes = [write for write in writes if _is_needed_behind(write.op, _root(write.value))]
    last = [write for write in writes if write.op == writes[-1].op]
    end = tensors.ends.get(tensor.origin)
    if last and end is not None and end_of_kernel(last[0].op) not in (None, end):
        last = []
    plain = next((w for w in last if w.is_like(tensor, tensor.shape)), None)
    if plain is not None:
        yield Holder(tensor, plain.op, plain.value, Layout.plain(tensor.shape))
    layout = tensors.layouts.get(tensor.origin)
    if layout is not None:
        held = next((w for w in reversed(writes) if w.is_like(tensor, layout.shape)), None)
        if held is not None and (plain is None or held.op != plain.op):
            yield Holder(tensor, held.op, held.value, layout)


def _written(op: ir.OpView, functions: Mapping[str, func.FuncOp]) -> Iterator[ir.Value]:
    """Yield the outer values that an op of a block writes, and their underlying buffers."""
    for inner in ops_in(op):
        values = [
            d.value for d in access_constraints_of(inner) if d.writes and d.operand is not None
        ]
        if isinstance(inner, func.CallOp) and not values:
            values = list(_written_by_call(inner, functions))
        for value in values:
            yield from (v for v in (value, _root(value)) if _is_outside(v, op))


def _written_by_call(call: func.CallOp, functions: Mapping[str, func.FuncOp]) -> Iterator[ir.Value]:
    """Yield the operands whose memory the callee writes."""
    callee = functions[call.callee.value]
    if callee.is_external:
        return
    arguments = list(callee.arguments)
    for op in callee.body.blocks[0].operations:
        for value in _written(op, functions):
            if value in arguments:
                yield call.operands[arguments.index(value)]


def _root(value: ir.Value) -> ir.Value:
    """Return the underlying buffer of a value, through views and loop-carried values."""
    while True:
        owner: Any = value.owner
        if isinstance(owner, ir.Block):
            loop: Any = owner.owner.opview
            number = ir.BlockArgument(value).arg_number - 1
            if not isinstance(loop, scf.ForOp) or number < 0:
                return value
            value = loop.initArgs[number]
        elif is_inside_source(owner.operation.opview):
            value = owner.operation.operands[0]
        elif isinstance(owner.operation.opview, scf.ForOp):
            value = owner.operation.opview.initArgs[ir.OpResult(value).result_number]
        else:
            return value


def _is_needed_behind(op: ir.OpView, buffer: ir.Value) -> bool:
    """Return whether the buffer is still used after an op; else its contents are dead."""
    owner: Any = buffer.owner
    if isinstance(owner, ir.Block) or not _is_own(owner.operation.opview):
        return True
    block, here = op.operation.block, op.operation
    for use in buffer.uses:
        user = _ancestor_in(block, use.owner.operation)
        if user is None or here.is_before_in_block(user):
            return True
        if is_inside_source(user.opview) and _is_needed_behind(op, user.results[0]):
            return True
    return False


def _is_own(op: ir.OpView) -> bool:
    return isinstance(op, AllocOp) or is_inside_source(op)


def _ancestor_in(block: ir.Block, op: ir.Operation) -> ir.Operation | None:
    """Return the op of the block that contains the op, or None."""
    while op.block != block:
        parent = op.parent
        if parent is None:
            return None
        op = parent.operation
    return op


def _is_outside(value: ir.Value, op: ir.OpView) -> bool:
    """Return whether the value is defined in the block of the op, not inside the op."""
    owner: Any = value.owner
    block = owner if isinstance(owner, ir.Block) else owner.operation.block
    return block == op.operation.block
