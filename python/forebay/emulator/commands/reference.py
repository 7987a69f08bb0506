"""Compile the reference of an intrinsic to machine code that checks its own accesses.

The function takes pointers and scalars, the number of elements at each pointer, a map for each
operand that is only written, and a record (`instrumented.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import memref, scf

from forebay.dialects.accel import IntrinsicOp, OperandAttr
from forebay.emulator.commands.instrumented import (
    RECORD,
    Instrumentation,
    InstrumentedOperand,
    index_constant,
)
from forebay.emulator.kernels.jit import CompiledKernel, Kernels
from forebay.emulator.memory.faults import NotEmulatedError
from forebay.ir.nested import ops_in
from forebay.lowering.loops.inline import inline


def instrumented_reference(
    intrinsic: IntrinsicOp, kernels: Kernels, *, marks_all: bool = False
) -> CompiledKernel:
    """Return a kernel that takes pointers, maps, sizes, scalars and the record.

    There is a map for each operand that is only written; with `marks_all` for every operand.
    """
    _require_instrumented(intrinsic)
    operands = [OperandAttr(attribute) for attribute in intrinsic.signature]
    arguments = list(intrinsic.reference.blocks[0].arguments)
    elements = [ir.MemRefType(a.type).element_type for a in arguments[: len(operands)]]
    with intrinsic.location:
        marked = [marks_all or operand.access == "out" for operand in operands]
        types = _types(elements, sum(marked), len(arguments) - len(operands))

    def build(given: Sequence[ir.Value]) -> None:
        count, outs = len(operands), sum(marked)
        pointers, maps = given[:count], iter(given[count : count + outs])
        sizes = given[count + outs : 2 * count + outs]
        scalars, record = given[2 * count + outs : -1], given[-1]
        views = [_view(*pair) for pair in zip(pointers, sizes, strict=True)]
        known = {
            view: InstrumentedOperand(
                number,
                sizes[number],
                operands[number].access,
                _view(next(maps), None) if marked[number] else None,
            )
            for number, view in enumerate(views)
        }
        clone = intrinsic.operation.clone()
        inline(clone.regions[0].blocks[0], [*views, *scalars])
        clone.erase()
        _expand_copies(ir.InsertionPoint.current.block)
        Instrumentation(known, record).function(ir.InsertionPoint.current.block)

    return kernels.of_body(types, build, intrinsic)


def _require_instrumented(intrinsic: IntrinsicOp) -> None:
    """Raise `NotEmulatedError` when an access to an operand would not be checked."""
    block = intrinsic.reference.blocks[0]
    arguments = set(block.arguments)
    for op in [nested for outer in block.operations for nested in ops_in(outer)]:
        uses = any(v in arguments and isinstance(v.type, ir.MemRefType) for v in op.operands)
        if uses and not isinstance(op, _INSTRUMENTED):
            raise NotEmulatedError(
                op,
                f"uses an operand of @{intrinsic.sym_name.value} in its reference, where only "
                "memref.load, memref.store, memref.dim and memref.copy are seen",
            )


_INSTRUMENTED = (memref.LoadOp, memref.StoreOp, memref.DimOp, memref.CopyOp)


def _expand_copies(block: ir.Block) -> None:
    """Replace each copy by a loop whose accesses are checked like all others."""
    for op in [nested for outer in block.operations for nested in ops_in(outer)]:
        if not isinstance(op, memref.CopyOp):
            continue
        with ir.InsertionPoint(op), op.location:
            end = memref.DimOp(op.source, index_constant(0)).result
            loop = scf.ForOp(index_constant(0), end, index_constant(1))
            with ir.InsertionPoint(loop.body):
                at = [loop.induction_variable]
                memref.StoreOp(memref.LoadOp(op.source, at).result, op.target, at)
                scf.YieldOp([])
        op.operation.erase()


def _types(elements: Sequence[ir.Type], maps: int, scalars: int) -> list[ir.Type]:
    i8, i32, i64 = (ir.IntegerType.get_signless(width) for width in (8, 32, 64))
    return [
        *(ir.MemRefType.get([1], element) for element in elements),
        *[ir.MemRefType.get([1], i8)] * maps,
        *[ir.IndexType.get()] * len(elements),
        *[i32] * scalars,
        ir.MemRefType.get([RECORD], i64),
    ]


def _view(pointer: ir.Value, size: ir.Value | None) -> ir.Value:
    """Return a `memref<?xT>` at a pointer; a map, which has no size, gets length 1."""
    element = ir.MemRefType(pointer.type).element_type
    dynamic = ir.ShapedType.get_dynamic_size()
    length = size if size is not None else index_constant(1)
    strided = ir.MemRefType.get([dynamic], element, ir.StridedLayoutAttr.get(0, [1]))
    cast = memref.ReinterpretCastOp(strided, pointer, [], [length], [], [0], [dynamic], [1]).result
    return memref.CastOp(ir.MemRefType.get([dynamic], element), cast).result
