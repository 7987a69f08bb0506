"""A weight-stationary array of 16x16 multipliers, its tiles cut by its own stage.

    dram -> mvin -> spad -> preload -> pe -> compute -> acc -> mvout -> dram

The array keeps one tile of weights, in the register `pe`, which has no address.

`loops` writes the tiles as loops instead of calls in a row, `queues` gives each path a queue.
With `queues=2`, the queue that loads tiles sets the register, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, scf, tensor

from forebay.device_stages import CallSite
from forebay.dialects import accel
from forebay.ir import fused
from forebay.ir.fused import shape_of
from forebay.targets import (
    Device,
    Intrinsic,
    Operand,
    Pattern,
    Pool,
    Queue,
    Register,
    Target,
    Transfer,
)

SIDE = 16

_PRELOAD = """
func.func @preload(%w: memref<?xi8>, %pe: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 256 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %w[%i] : memref<?xi8>
    memref.store %v, %pe[%i] : memref<?xi8>
  }
  return
}"""

_COMPUTE = """
func.func @compute(%a: memref<?xi8>, %c: memref<?xi32>, %pe: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %row = arith.muli %i, %c16 : index
    scf.for %j = %c0 to %c16 step %c1 {
      %at = arith.addi %row, %j : index
      FIRST
      %sum = scf.for %k = %c0 to %c16 step %c1 iter_args(%s = %old) -> (i32) {
        %a_at = arith.addi %row, %k : index
        %w_row = arith.muli %k, %c16 : index
        %w_at = arith.addi %w_row, %j : index
        %x = memref.load %a[%a_at] : memref<?xi8>
        %y = memref.load %pe[%w_at] : memref<?xi8>
        %x32 = arith.extsi %x : i8 to i32
        %y32 = arith.extsi %y : i8 to i32
        %p = arith.muli %x32, %y32 : i32
        %t = arith.addi %s, %p : i32
        scf.yield %t : i32
      }
      memref.store %sum, %c[%at] : memref<?xi32>
    }
  }
  return
}"""
_FIRST = _COMPUTE.replace("FIRST", "%old = arith.constant 0 : i32")
_NEXT = _COMPUTE.replace("FIRST", "%old = memref.load %c[%at] : memref<?xi32>")


def product(m: int, k: int, n: int, weights: Any) -> str:
    """TOSA's product of an image of `m` by `k` and constant weights of `k` by `n`."""
    zero = '"tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>'
    x, w, y = f"tensor<1x{m}x{k}xi8>", f"tensor<1x{k}x{n}xi8>", f"tensor<1x{m}x{n}xi32>"
    return f"""
func.func @main(%x: {x} {{accel.name = "x"}}) -> ({y} {{accel.name = "y"}}) {{
  %w = "tosa.const"() {{values = dense<{weights.reshape(1, k, n).tolist()}> : {w}}} : () -> {w}
  %zero = {zero}
  %y = tosa.matmul %x, %w, %zero, %zero : ({x}, {w}, tensor<1xi8>, tensor<1xi8>) -> {y}
  return %y : {y}
}}
"""


def _build(view: Any, emit: Any) -> ir.Value:
    (_, m, k), n = shape_of(view.source), shape_of(view.other)[2]
    a, b = emit.reshape(view.source, (m, k)), emit.reshape(view.other, (k, n))
    out = ir.RankedTensorType.get([m, n], ir.IntegerType.get_signless(32))
    return emit.reshape(emit.call("matmul", a, b, out=out), (1, m, n))


def _tile(tensor_: ir.Value, row: Any, column: Any) -> ir.Value:
    element = ir.RankedTensorType(tensor_.type).element_type
    type_ = ir.RankedTensorType.get([SIDE, SIDE], element)
    static, dynamic = _offsets(row, column)
    return tensor.ExtractSliceOp(
        type_, tensor_, dynamic, [], [], static, [SIDE, SIDE], [1, 1]
    ).result


def _put(tile: ir.Value, into: ir.Value, row: Any, column: Any) -> ir.Value:
    static, dynamic = _offsets(row, column)
    return tensor.InsertSliceOp(tile, into, dynamic, [], [], static, [SIDE, SIDE], [1, 1]).result


def _offsets(*offsets: int | ir.Value) -> tuple[list[int], list[ir.Value]]:
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    static = [o if isinstance(o, int) else unknown for o in offsets]
    return static, [o for o in offsets if not isinstance(o, int)]


def _block(site: CallSite, out: ir.Value, row: Any, column: Any) -> ir.Value:
    """One tile of the result: its sums stay in `acc` over all of `k`."""
    a, b = site.call.inputs
    i8, i32 = (ir.IntegerType.get_signless(bits) for bits in (8, 32))

    def call(name: str, inputs: list[ir.Value], output: ir.Value, **more: Any) -> ir.Value:
        made = accel.CallOp([output.type], f"{site.device}.{name}", inputs, [output], **more)
        return made.result_tensors[0]

    sums = tensor.EmptyOp([SIDE, SIDE], i32).result
    for k in range(0, ir.RankedTensorType(a.type).shape[1], SIDE):
        pe = call("preload", [_tile(b, k, column)], tensor.EmptyOp([SIDE, SIDE], i8).result)
        more = {"accumulate": [0]} if k else {}
        name = "compute_next" if k else "compute"
        sums = call(name, [_tile(a, row, k), pe], sums, **more)
    return _put(sums, out, row, column)


def _stage(site: CallSite, loops: int) -> Sequence[ir.Value]:
    out = site.call.outputs[0]
    m, n = ir.RankedTensorType(out.type).shape
    if not loops:
        for row in range(0, m, SIDE):
            for column in range(0, n, SIDE):
                out = _block(site, out, row, column)
        return [out]
    index = ir.IndexType.get()
    zero, side, rows, columns = (arith.ConstantOp(index, value).result for value in (0, SIDE, m, n))
    outer = scf.ForOp(zero, rows, side, [out])
    with ir.InsertionPoint(outer.body):
        inner = scf.ForOp(zero, columns, side, [outer.inner_iter_args[0]])
        with ir.InsertionPoint(inner.body):
            carried = inner.inner_iter_args[0]
            made = _block(site, carried, outer.induction_variable, inner.induction_variable)
            scf.YieldOp([made])
        scf.YieldOp([inner.results[0]])
    return [outer.results[0]]


MATMUL = Pattern("matmul", device="array", of=fused.MatMul, conditions=(), build=_build)


def target(*, loops: int = 0, queues: int = 0, spad: int = 262144, acc: int = 65536) -> Target:
    """The array beside a host, with the bytes of its memories."""
    device, both = ("array",), ("cpu", "array")
    outside = ("dram", "weights")
    names = ("load", "run", "store") if queues else ()

    def queue(name: str) -> dict[str, Any]:
        return {"queue": name} if queues else {}

    array = Device(
        "array",
        kind="array",
        registers=(Register("pe", SIDE * SIDE),),
        queues=tuple(Queue(name, f"array_{name}", 8) for name in names),
        stage=lambda site: _stage(site, loops),
        intrinsics=(
            Intrinsic(
                "matmul",
                "array_matmul",
                (
                    Operand("a", "in", outside),
                    Operand("b", "in", outside),
                    Operand("c", "out", ("dram",)),
                ),
            ),
            Intrinsic(
                "preload",
                "array_preload",
                (Operand("w", "in", ("spad",)),),
                sets="pe",
                reference=_PRELOAD,
                **queue("load" if queues > 1 else "run"),
            ),
            *(
                Intrinsic(
                    name,
                    f"array_{name}",
                    (
                        Operand("a", "in", ("spad",)),
                        Operand("c", access, ("acc",)),
                    ),
                    needs="pe",
                    reference=reference,
                    **queue("run"),
                )
                for name, access, reference in (
                    ("compute", "out", _FIRST),
                    ("compute_next", "inout", _NEXT),
                )
            ),
        ),
        transfers=(
            Transfer("mvin", "array_mvin", outside, ("spad",), rank=2, **queue("load")),
            Transfer("mvout", "array_mvout", ("acc",), ("dram",), rank=2, **queue("store")),
        ),
    )
    local = {"local": True, "readers": device, "writers": device}
    return Target(
        "systolic",
        (Device("cpu", kind="cpu", host=True), array),
        (
            Pool("dram", "workspace", readers=both, writers=both),
            Pool("weights", "constant", readers=both),
            Pool("spad", "workspace", spad, alignment=16, base=0, unit=16, **local),
            Pool("acc", "workspace", acc, alignment=64, base=0x8000_0000, unit=64, **local),
        ),
        (MATMUL,),
    )
