"""The order of calls, compared with that of loops that are run in Python."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func

from forebay.ir.liveness.call_order import calls_in_order
from forebay.ir.nested import ops_of

TEXT = """
func.func private @f(index)
func.func private @g(index)
func.func private @h(index)
func.func @main(%n: index, %data: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  func.call @f(%c0) : (index) -> ()
  scf.for %t = %c1 to %c5 step %c2 {
    %early = arith.cmpi slt, %t, %c2 : index
    scf.if %early {
      func.call @g(%t) : (index) -> ()
    } else {
      %late = arith.cmpi sge, %t, %c1 : index
      scf.if %late {
        func.call @h(%t) : (index) -> ()
      }
    }
    scf.if %data {
      func.call @f(%t) : (index) -> ()
    }
    func.call @f(%t) : (index) -> ()
  } {memref_pool.by_rows}
  scf.for %t = %c0 to %n step %c1 {
    func.call @g(%t) : (index) -> ()
  } {memref_pool.by_rows}
  scf.for %t = %c0 to %c5 step %c1 {
    func.call @h(%t) : (index) -> ()
  }
  scf.if %data {
    func.call @h(%c0) : (index) -> ()
  }
  func.call @g(%c0) : (index) -> ()
  return
}
"""


def order(text: str) -> list[str]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        main = ops_of(module.operation, func.FuncOp)[-1]
        return [call.callee.value for call in calls_in_order(main)]


def test_a_loop_over_rows_runs_its_calls_in_each_iteration_that_its_guards_allow() -> None:
    looped = [name for t in range(1, 5, 2) for name in ("g" if t < 2 else "h", "f")]
    assert order(TEXT) == ["f", *looped, "g"]


def test_a_loop_without_iterations_runs_no_call() -> None:
    assert order(TEXT.replace("%c1 to %c5 step %c2", "%c5 to %c5 step %c2")) == ["f", "g"]
