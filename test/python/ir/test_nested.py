"""The ops inside an op, of all classes or of some."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, func, scf

import forebay.dialects  # noqa: F401
from forebay.dialects.accel import IntrinsicOp
from forebay.ir.nested import (
    distinct_ops_in,
    inner_blocks,
    inner_regions,
    ops_but_computations,
    ops_in,
    ops_nested_in,
    ops_of,
    unused_ops_in,
    users_of,
)

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


COMPUTED = """
func.func private @seed() -> i32
func.func @main(%m: memref<8xi32>, %n: memref<8xi32>, %i: index, %flag: i1) {
  %c1 = arith.constant 1 : index
  %j = arith.addi %i, %c1 : index
  %k = arith.addi %j, %c1 : index
  %wide = arith.index_cast %k : index to i32
  %seed = func.call @seed() : () -> i32
  %a = memref.load %m[%j] : memref<8xi32>
  %b = memref.load %m[%k] : memref<8xi32>
  %c = memref.load %n[%k] : memref<8xi32>
  %sum = arith.addi %a, %b : i32
  memref.store %sum, %m[%i] : memref<8xi32>
  scf.if %flag {
    memref.store %sum, %n[%i] : memref<8xi32>
  }
  return
}
"""


def main_of(module: ir.Module) -> func.FuncOp:
    return next(
        op for op in module.body.operations if isinstance(op, func.FuncOp) and op.body.blocks
    )


def test_ops_that_only_compute_numbers_are_left_out() -> None:
    """A call may do anything, and a load reads memory."""
    with ir.Context():
        module = ir.Module.parse(COMPUTED)
        found = ops_but_computations(main_of(module).entry_block)
        loads = ["memref.load"] * 3
        assert names(found) == ["func.call", *loads, "memref.store", "scf.if", "func.return"]


def test_equal_ops_are_listed_once() -> None:
    with ir.Context():
        module = ir.Module.parse(COMPUTED)
        found = names(distinct_ops_in(main_of(module)))
        assert found.count("arith.addi") == 2, "of indices and of i32"
        assert found.count("memref.load") == 2, "from two memrefs"
        assert found.count("memref.store") == 2, "into two memrefs"
        assert found[0] == "arith.constant"


def test_all_ops_of_a_class_that_is_asked_for_are_listed() -> None:
    with ir.Context():
        module = ir.Module.parse(COMPUTED)
        assert names(distinct_ops_in(main_of(module), arith.AddIOp)).count("arith.addi") == 3


def test_users_are_listed_for_each_use() -> None:
    with ir.Context():
        module = ir.Module.parse(COMPUTED)
        main = main_of(module)
        one = main.entry_block.operations[0]
        assert names(users_of(one.results[0])) == ["arith.addi", "arith.addi"]
        other = ir.Module.parse(TEXT)
        (same,) = ops_of(other.operation, arith.AddIOp)
        assert users_of(same.lhs) == [same, same]


def test_ops_whose_results_nothing_uses() -> None:
    with ir.Context():
        module = ir.Module.parse(COMPUTED)
        assert names(unused_ops_in(main_of(module))) == [
            "arith.index_cast",
            "func.call",
            "memref.load",
        ]


def test_regions_and_blocks_of_an_op_alone() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(
            """
            func.func @main(%c: i1, %n: index) {
              scf.if %c {
                scf.for %i = %n to %n step %n {
                }
              }
              cf.br ^end
            ^end:
              return
            }
            """
        )
        (function,) = module.body.operations
        found = ops_nested_in(function)
        branch, returned = ops_of(function, scf.IfOp)[0], ops_of(function, func.ReturnOp)[0]
        assert inner_blocks(function) == list(function.regions[0].blocks)
        assert len(inner_regions(branch)) == 2
        assert inner_blocks(branch) == [branch.thenRegion.blocks[0]]
        assert (inner_regions(returned), inner_blocks(returned)) == ([], [])
        assert found[0] == branch
