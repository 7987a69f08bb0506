"""LLVM's engine without optimizations, which checks the values of a compilation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir

from forebay._libs import _forebay
from forebay.engines.llvm import LlvmEngine
from forebay.engines.llvm_lowering import pass_pointers

BODY = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 5 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %in0[%i] : memref<5xf32>
    %t = math.tanh %x : f32
    memref.store %t, %out0[%i] : memref<5xf32>
  }"""


def test_both_levels_call_the_mathematical_library(kernel: Any) -> None:
    x = np.array([-2, -0.5, 0, 0.25, 3], np.float32)
    module, model = kernel(BODY, [x], [x])
    optimized, unoptimized = (
        LlvmEngine(module, model, optimized=optimized).run([x])[0] for optimized in (True, False)
    )
    np.testing.assert_array_equal(optimized, unoptimized)
    np.testing.assert_allclose(unoptimized, np.tanh(x), rtol=1e-6)


def test_a_module_outside_of_the_llvm_dialect_is_refused() -> None:
    with ir.Context() as context, ir.Location.unknown():
        context.emit_error_diagnostics = True
        module = ir.Module.parse("func.func @main() { return }")
        with pytest.raises(RuntimeError, match="cannot create LLVM's execution engine"):
            _forebay.create_unoptimized_engine(module.operation)


CALLED = """
func.func private @same(%x: memref<2x3xf32>)
func.func private @static(%x: memref<2x3xf32>, %n: index) {
  return
}
func.func private @strided(%x: memref<2xf32, strided<[1], offset: ?>>) {
  return
}
func.func private @returning(%x: memref<2x3xf32>) -> memref<2x3xf32> {
  return %x : memref<2x3xf32>
}
func.func @main(%x: memref<2x3xf32>) {
  return
}
"""
VALUE = """
func.func @value() -> ((memref<2x3xf32>, index) -> ()) {
  %0 = func.constant @static : (memref<2x3xf32>, index) -> ()
  return %0 : (memref<2x3xf32>, index) -> ()
}
"""


def with_pointers(text: str) -> list[str]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        pass_pointers(module)
        functions = [op for op in module.body.operations if "llvm.bareptr" in op.attributes]
        return [ir.StringAttr(op.attributes["sym_name"]).value for op in functions]


def test_private_functions_take_pointers_to_memrefs_of_static_layout() -> None:
    assert with_pointers(CALLED) == ["static"]


def test_functions_keep_descriptors_where_one_is_a_value() -> None:
    assert with_pointers(CALLED + VALUE) == []


def test_descriptors_are_folded_without_optimizations(
    kernel: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[str] = []

    def create(operation: ir.Operation) -> object:
        texts.append(str(operation))
        return create_unoptimized_engine(operation)

    create_unoptimized_engine = _forebay.create_unoptimized_engine
    monkeypatch.setattr(_forebay, "create_unoptimized_engine", create)
    x = np.array([-2, -0.5, 0, 0.25, 3], np.float32)
    module, model = kernel(BODY, [x], [x])
    LlvmEngine(module, model)
    assert "llvm.getelementptr" in texts[0]
    assert "llvm.insertvalue" not in texts[0]
