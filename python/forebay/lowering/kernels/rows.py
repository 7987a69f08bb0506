"""Build kernels on tensors `[..., columns]` and `[...]`, with one element for each row.

The rows keep their dimensions: a view between two kernels would hide that both go over the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import tensor

from forebay.dialects import linalg
from forebay.ir.fused import shape_of
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import (
    KernelDomain,
    ReduceKernel,
    ReduceOperand,
    affine_dimensions,
    build_reduce,
)

Combine = Callable[[ir.Value, ir.Value], ir.Value]
_Emit = Callable[[Sequence[ir.Value]], ir.Value]
"""Emits the body: maps the elements of the ins and the out to the new element of the out."""


def over_rows(
    ins: Sequence[ir.Value], out: ir.Value, body: _Emit, *, columns_are_reduced: bool = False
) -> ir.Value:
    """Build one op on tensors `[..., columns]`; an element of a tensor `[...]` is for its row."""
    operands = [*ins, out]
    ranks = [ir.RankedTensorType(v.type).rank for v in operands]
    dimensions = affine_dimensions(max(ranks))
    maps = [ir.AffineMap.get(max(ranks), 0, dimensions[:rank]) for rank in ranks]
    rows = ["parallel"] * (max(ranks) - 1)
    kinds = [*rows, "reduction" if columns_are_reduced else "parallel"]
    op = linalg.GenericOp(
        [out.type],
        list(ins),
        [out],
        ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]),
        ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in kinds]),
    )
    elements = [ir.RankedTensorType(v.type).element_type for v in operands]
    block = op.operation.regions[0].blocks.append(*elements)
    with ir.InsertionPoint(block):
        linalg.YieldOp([body(list(block.arguments))])
    return op.operation.results[0]


def empty_rows(shape: Sequence[int], element: ir.Type) -> ir.Value:
    """Return a tensor to write to."""
    return tensor.EmptyOp(list(shape), element).result


def reduce_rows(name: str, source: ir.Value, start: float, combine: Combine) -> ir.Value:
    """Reduce each row by `combine`: `[..., columns]` to `[...]`."""
    *rows, columns = shape_of(source)
    element = ir.RankedTensorType(source.type).element_type
    index = tuple(affine_dimensions(len(rows) + 1))
    return build_reduce(
        KernelDomain(tuple(rows), (columns,)),
        ReduceKernel(
            init=lambda _: [scalar.scalar_constant(start, element)],
            body=lambda accumulators, ins: [combine(accumulators[0], ins[0])],
            finish=lambda accumulators, _count, _params: accumulators[0],
        ),
        ins=[ReduceOperand(source, index)],
        params=[],
        out=index[:-1],
        result=ir.RankedTensorType.get(rows, element),
        name=name,
    )


def map_rows(
    name: str, source: ir.Value, element: ir.Type, emit: Callable[[ir.Value], ir.Value]
) -> ir.Value:
    """Apply `emit` to each element of `[...]`, in a kernel that no pass fuses into a loop."""
    rows = shape_of(source)
    index = tuple(affine_dimensions(len(rows)))
    return build_reduce(
        KernelDomain(tuple(rows), ()),
        ReduceKernel(
            init=lambda params: [params[0]],
            body=lambda accumulators, _: accumulators,
            finish=lambda accumulators, _count, _params: emit(accumulators[0]),
        ),
        ins=[],
        params=[ReduceOperand(source, index)],
        out=index,
        result=ir.RankedTensorType.get(rows, element),
        name=name,
    )


def fill_rows(name: str, rows: Sequence[int], value: int) -> ir.Value:
    """Return a tensor of that shape filled with the number, as i32."""
    return build_reduce(
        KernelDomain(tuple(rows), ()),
        ReduceKernel(
            init=lambda _: [scalar.scalar_constant(value, scalar.i32())],
            body=lambda accumulators, _: accumulators,
            finish=lambda accumulators, _count, _params: accumulators[0],
        ),
        ins=[],
        params=[],
        out=tuple(affine_dimensions(len(rows))),
        result=ir.RankedTensorType.get(list(rows), scalar.i32()),
        name=name,
    )
