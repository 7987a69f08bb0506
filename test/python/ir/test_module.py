"""Symbols that the module around an op declares."""

from mlir import ir
from mlir.dialects import func

from forebay.dialects.accel import DeviceOp
from forebay.ir.module import module_around, ops_in_body, symbol_around
from forebay.ir.nested import ops_of

PROGRAM = """
accel.device @cpu kind "cpu" host
func.func private @npu()
accel.device @dsp kind "dsp"
func.func @main() {
  func.call @npu() : () -> ()
  return
}
"""


def _module() -> ir.Module:
    return ir.Module.parse(PROGRAM, ir.Context())


def test_a_symbol_is_found_from_an_op_at_any_depth() -> None:
    module = _module()
    (call,) = ops_of(module.operation, func.CallOp)
    found = symbol_around(call, "dsp")
    assert isinstance(found, DeviceOp)
    assert found.kind.value == "dsp"
    assert symbol_around(call, "gpu") is None
    assert module_around(call) == module.operation


def test_a_symbol_is_found_from_the_module_itself() -> None:
    module = _module()
    found = symbol_around(module.operation, "cpu")
    assert isinstance(found, DeviceOp)


def test_ops_of_the_body_are_in_their_order() -> None:
    module = _module()
    assert [op.sym_name.value for op in ops_in_body(module.operation, DeviceOp)] == ["cpu", "dsp"]
