"""LLVM optimises code that has run for long, and the values stay."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pytest
from mlir import ir

from forebay.engines import jit_code
from forebay.engines.jit_code import JitCode
from forebay.engines.llvm_lowering import lower_to_llvm

TEXT = """
func.func private @note(i32)
func.func @twice(%x: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %a = memref.load %x[%c0] : memref<1xi32>
  %b = arith.addi %a, %a : i32
  func.call @note(%b) : (i32) -> ()
  memref.store %b, %x[%c0] : memref<1xi32>
  return
}
"""
SEEN: list[int] = []


@ctypes.CFUNCTYPE(None, ctypes.c_int32)
def note(value: int) -> None:
    SEEN.append(value)


@pytest.fixture
def module() -> Iterator[ir.Module]:
    SEEN.clear()
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT)
        lower_to_llvm(module, "extern", bare_pointers=True)
        yield module


def code_of(module: ir.Module, *, optimized: bool = False) -> JitCode:
    address = ctypes.cast(note, ctypes.c_void_p)
    return JitCode(module, {"note": address}, optimized=optimized)


def doubled(code: JitCode, value: int) -> int:
    """Call `twice` once and return what it has written."""
    array = (ctypes.c_int32 * 1)(value)
    argument = ctypes.c_void_p(ctypes.addressof(array))
    packed = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
    code.call("twice", packed)
    return array[0]


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The levels of the optimised engines that are created."""
    created: list[int] = []

    def create(module: ir.Module, opt_level: int) -> object:
        created.append(opt_level)
        return engine(module, opt_level=opt_level)

    engine = jit_code.ExecutionEngine
    monkeypatch.setattr(jit_code, "ExecutionEngine", create)
    return created


def test_code_that_has_run_for_long_is_optimised_once(
    module: ir.Module, engines: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    code = code_of(module)
    assert doubled(code, 3) == 6 and not engines
    monkeypatch.setattr(jit_code, "_OPTIMIZE_AFTER", 0.0)
    assert doubled(code, 4) == 8 and engines == [jit_code.OPTIMIZED]
    assert [doubled(code, n) for n in (5, 6)] == [10, 12] and len(engines) == 1
    assert SEEN == [6, 8, 10, 12]


def test_a_single_call_is_not_followed_by_a_compilation(
    module: ir.Module, engines: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit_code, "_OPTIMIZE_AFTER", 0.0)
    assert doubled(code_of(module), 3) == 6 and not engines


def test_code_can_be_optimised_from_the_start(module: ir.Module, engines: list[int]) -> None:
    code = code_of(module, optimized=True)
    assert engines == [jit_code.OPTIMIZED]
    assert [doubled(code, n) for n in (1, 2)] == [2, 4] and len(engines) == 1


@pytest.mark.parametrize("optimized", [True, False])
def test_very_large_functions_are_not_optimised(
    module: ir.Module, engines: list[int], monkeypatch: pytest.MonkeyPatch, optimized: bool
) -> None:
    monkeypatch.setattr(jit_code, "_MOST_OPS", 1)
    monkeypatch.setattr(jit_code, "_OPTIMIZE_AFTER", 0.0)
    code = code_of(module, optimized=optimized)
    assert [doubled(code, n) for n in (1, 2)] == [2, 4] and not engines
