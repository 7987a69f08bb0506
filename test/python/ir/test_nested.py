"""The ops inside an op, of all classes or of some."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, func, scf

import forebay.dialects  # noqa: F401
from forebay.dialects.accel import IntrinsicOp
from forebay.ir.nested import ops_in, ops_nested_in, ops_of

TEXT = """
accel.device @npu kind "npu"
accel.intrinsic @npu.add on @npu symbol "npu_add"
    operands [#accel.operand<name = "y", access = out>] {
^bb0(%y: memref<?xi8>):
  %one = arith.constant 1 : i8
  accel.yield
}
func.func @main(%n: index) {
  %c0 = arith.constant 0 : index
  scf.for %i = %c0 to %n step %n {
    %sum = arith.addi %i, %i : index
  }
  func.call @main(%c0) : (index) -> ()
  return
}
"""


def names(ops: list[ir.OpView]) -> list[str]:
    return [op.operation.name for op in ops]


def test_ops_come_before_the_ops_inside_them() -> None:
    with ir.Context():
        module = ir.Module.parse(TEXT)
        main = next(op for op in module.body.operations if isinstance(op, func.FuncOp))
        inside = ["arith.constant", "scf.for", "arith.addi", "scf.yield", "func.call"]
        assert names(ops_nested_in(main)) == [*inside, "func.return"]
        assert names(ops_in(main)) == ["func.func", *inside, "func.return"]


def test_the_reference_of_an_intrinsic_is_left_out_unless_it_is_the_root() -> None:
    with ir.Context():
        module = ir.Module.parse(TEXT)
        (intrinsic,) = ops_of(module.operation, IntrinsicOp)
        assert "accel.yield" not in names(ops_nested_in(module.operation))
        assert names(ops_nested_in(intrinsic)) == ["arith.constant", "accel.yield"]
        assert len(ops_of(module.operation, arith.ConstantOp)) == 1


def test_ops_of_some_classes_are_in_order_and_may_be_erased() -> None:
    with ir.Context():
        module = ir.Module.parse(TEXT)
        found: list[ir.OpView] = ops_of(module.operation, func.CallOp, scf.ForOp)
        assert [type(op) for op in found] == [scf.ForOp, func.CallOp]
        for op in found:
            op.operation.erase()
        assert ops_of(module.operation, func.CallOp, scf.ForOp, arith.AddIOp) == []
