"""A padded copy is known by its maps and regions, and computes what NumPy's `pad` does."""

from __future__ import annotations

import numpy as np
import pytest
from common.host_jit import LLVM, invoke, lower
from common.oracles.unoptimized_jit import UnoptimizedEngine
from mlir import ir
from mlir.dialects import arith, func, scf

from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import ops_of
from forebay.ir.structured.reduce_box import on_box
from forebay.lowering.padding.padded_copy import make_padded_copy, padded_copy_of
from forebay.lowering.padding.padding import SourcePadding

PADDINGS = (
    SourcePadding((1, 4, 5, 3), (0, 1, 2, 0), (0, 2, 0, 0), -7),
    SourcePadding((6,), (2,), (0,), 5),
    SourcePadding((2, 3, 2), (1, 0, 1), (0, 1, 0), 0),
    SourcePadding((1, 4, 1, 3), (0, 1, 1, 0), (0, 0, 1, 0), 1),  # rows of one column
    SourcePadding((2, 3, 2), (0, 0, 1), (0, 0, 0), 9),  # borders from the first element on
)
LOWERINGS = ("accel-lower-padded-copies", "accel-lower-reduce")


def program(padding: SourcePadding, element: ir.Type | None = None) -> ir.Module:
    """Return a function `main(source, padded)` that makes the copy, of 8 bits by default."""
    module = ir.Module.create()
    element = element or ir.IntegerType.get_signless(8)
    types = [ir.MemRefType.get(list(shape), element) for shape in (padding.shape, padding.padded)]
    with ir.InsertionPoint(module.body):

        @func.FuncOp.from_py_func(*types, name="main")
        def _main(source: ir.Value, padded: ir.Value) -> None:
            make_padded_copy(source, padded, padding)

    return module


@pytest.mark.parametrize("padding", PADDINGS)
def test_the_padding_is_found_again(padding: SourcePadding) -> None:
    with ir.Context(), ir.Location.unknown():
        module = program(padding)
        (op,) = ops_of(module.operation, ReduceOp)
        assert padded_copy_of(op) == padding


@pytest.mark.parametrize(("value", "is_copy"), [(0.0, True), (-0.0, False), (1.0, False)])
def test_floats_are_padded_with_zero(value: float, *, is_copy: bool) -> None:
    padding = SourcePadding((1, 4, 5, 3), (0, 1, 2, 0), (0, 2, 0, 0), 0)
    with ir.Context(), ir.Location.unknown():
        element = ir.F32Type.get()
        module = program(padding, element)
        (op,) = ops_of(module.operation, ReduceOp)
        (constant,) = ops_of(op, arith.ConstantOp)
        constant.attributes["value"] = ir.FloatAttr.get(element, value)
        assert padded_copy_of(op) == (padding if is_copy else None)


OTHERS = {
    "a part": ("4x4", "3x3", "(y, x)", "%sum"),
    "rows behind": ("6x6", "6x6", "(y + 1, x)", "%sum"),
    "twice the elements": ("4x4", "6x6", "(y - 1, x - 1)", "%more"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_others_are_no_padded_copies(name: str) -> None:
    source, padded, index, result = OTHERS[name]
    text = f"""
      #x = affine_map<(y, x) -> {index}>
      #o = affine_map<(y, x) -> (y, x)>
      func.func @main(%source: memref<{source}xi8>, %padded: memref<{padded}xi8>) {{
        accel.reduce [{padded.replace("x", ", ")}] ins(%source : memref<{source}xi8>)
          outs(%padded : memref<{padded}xi8>) maps [#x, #o]
          init {{
            %value = arith.constant -7 : i8
            accel.yield %value : i8
          }} body {{
          ^bb0(%sum: i8, %element: i8):
            accel.yield %element : i8
          }} finish {{
          ^bb0(%sum: i8, %count: i32):
            %more = arith.addi %sum, %sum : i8
            accel.yield {result} : i8
          }}
        return
      }}
    """
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        (op,) = ops_of(module.operation, ReduceOp)
        assert padded_copy_of(op) is None


@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize("lowering", LOWERINGS)
@pytest.mark.parametrize("padding", PADDINGS)
def test_it_pads_as_numpy_does(padding: SourcePadding, lowering: str, by_rows: bool) -> None:
    source = np.arange(np.prod(padding.shape), dtype=np.int8).reshape(padding.shape)
    padded = np.full(padding.padded, 99, np.int8)
    with ir.Context(), ir.Location.unknown():
        module = program(padding)
        if by_rows:
            _run_by_rows(ops_of(module.operation, ReduceOp)[0])
        loops = f"func.func({lowering},convert-linalg-to-loops,accel-lower-reduce)"
        lower(module, (loops,), LLVM)
        invoke(UnoptimizedEngine(module), [source, padded])
    around = [*zip(padding.before, padding.after, strict=True)]
    np.testing.assert_array_equal(padded, np.pad(source, around, constant_values=padding.value))


def _run_by_rows(op: ReduceOp) -> None:
    """Run an op in a loop over the indices of the first axis with several."""
    extents = [int(extent) for extent in op.parallel]
    axis = next(n for n, extent in enumerate(extents) if extent > 1)
    with ir.InsertionPoint(op):
        ends = (arith.ConstantOp(ir.IndexType.get(), n).result for n in (0, extents[axis], 1))
        loop = scf.ForOp(*ends)
        with ir.InsertionPoint(loop.body):
            starts = [loop.induction_variable if n == axis else 0 for n in range(len(extents))]
            sizes = [1 if n == axis else extent for n, extent in enumerate(extents)]
            on_box(op, starts, sizes, op.output)
            scf.YieldOp([])
    op.operation.erase()
