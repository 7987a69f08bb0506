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


def code_of(module: ir.Module, *, optimize: bool | None = None) -> JitCode:
    address = ctypes.cast(note, ctypes.c_void_p)
    return JitCode(module, {"note": address}, optimize=optimize)


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


@pytest.mark.parametrize(("optimize", "count"), [(True, 1), (False, 0)])
def test_the_level_of_the_first_code_can_be_chosen(
    module: ir.Module,
    engines: list[int],
    monkeypatch: pytest.MonkeyPatch,
    optimize: bool,
    count: int,
) -> None:
    monkeypatch.setattr(jit_code, "_OPTIMIZE_AFTER", 0.0)
    code = code_of(module, optimize=optimize)
    assert [doubled(code, n) for n in (1, 2)] == [2, 4] and len(engines) == count


@pytest.mark.parametrize("optimize", [True, None])
def test_very_large_functions_are_not_optimised(
    module: ir.Module,
    engines: list[int],
    monkeypatch: pytest.MonkeyPatch,
    optimize: bool | None,
) -> None:
    monkeypatch.setattr(jit_code, "_MOST_OPS", 1)
    monkeypatch.setattr(jit_code, "_OPTIMIZE_AFTER", 0.0)
    code = code_of(module, optimize=optimize)
    assert [doubled(code, n) for n in (1, 2)] == [2, 4] and not engines
