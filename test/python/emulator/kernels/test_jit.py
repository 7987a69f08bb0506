"""Machine code and interpretation agree, op by op, and on what they read."""

from __future__ import annotations

import numpy as np
import pytest
from common.emulated import emulator
from mlir import ir
from mlir.dialects import llvm

from forebay._libs import _forebay

INTEGER = [
    "arith.addi", "arith.subi", "arith.muli", "arith.andi", "arith.ori", "arith.xori",
    "arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui",
]  # fmt: skip
DIVIDE = [
    "arith.divsi", "arith.divui", "arith.remsi", "arith.remui",
    "arith.ceildivsi", "arith.ceildivui", "arith.floordivsi",
]  # fmt: skip
SHIFT = ["arith.shli", "arith.shrsi", "arith.shrui"]
FLOAT = [
    "arith.addf", "arith.subf", "arith.mulf", "arith.divf",
    "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf",
]  # fmt: skip
INTEGERS = np.array([0, 1, -1, 2, -2, 3, 7, -7, 100, -100, 127, -128, 64, -65, 5, -5], np.int8)
FLOATS = np.array(
    [0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3e38, -3e38, 1e-45, np.inf, -np.inf, np.nan, 7],
    np.float32,
)


def both(operation: str, kind: str, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """Every element of x with every one of y, in the two modes."""
    n = len(x)
    ports = ", ".join(
        f'%{name}: memref<{n}x{kind}> {{accel.name = "{name}"}}' for name in ("x", "y")
    )
    text = f"""
func.func @main({ports}, %r: memref<{n}x{n}x{kind}> {{accel.name = "r", bufferize.result}}) {{
  linalg.generic {{
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}}
      ins(%x, %y : memref<{n}x{kind}>, memref<{n}x{kind}>) outs(%r : memref<{n}x{n}x{kind}>) {{
  ^bb0(%a: {kind}, %b: {kind}, %old: {kind}):
    {operation}
    linalg.yield %v : {kind}
  }}
  return
}}
"""
    results: list[np.ndarray] = []
    for by_element in (False, True):
        machine = emulator(text, by_element=by_element)
        results.append(machine.call("main", [x, y])[0])
    return results


def test_kernels_are_optimised_at_level_0(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[list[str]] = []

    def create(module: ir.Operation) -> object:
        for op in module.regions[0].blocks[0].operations:
            if isinstance(op, llvm.LLVMFuncOp) and op.body.blocks:
                found.append([ir.StringAttr(name).value for name in op.passthrough or ()])
        return create_engine(module)

    create_engine = _forebay.create_unoptimized_engine
    monkeypatch.setattr(_forebay, "create_unoptimized_engine", create)
    both("%v = arith.addi %a, %b : i8", "i8", INTEGERS, INTEGERS)
    assert found and all(names == ["forebay-hot"] for names in found)


@pytest.mark.parametrize("name", INTEGER)
def test_integers(name: str) -> None:
    fast, slow = both(f"%v = {name} %a, %b : i8", "i8", INTEGERS, INTEGERS)
    np.testing.assert_array_equal(fast, slow)


@pytest.mark.parametrize("name", DIVIDE)
def test_divisions(name: str) -> None:
    divisors = INTEGERS[(INTEGERS != 0) & (INTEGERS != -1)].repeat(2)[:16]
    fast, slow = both(f"%v = {name} %a, %b : i8", "i8", INTEGERS, divisors)
    np.testing.assert_array_equal(fast, slow)


@pytest.mark.parametrize("name", SHIFT)
def test_shifts(name: str) -> None:
    amounts = np.arange(16, dtype=np.int8) % 8
    fast, slow = both(f"%v = {name} %a, %b : i8", "i8", INTEGERS, amounts)
    np.testing.assert_array_equal(fast, slow)


@pytest.mark.parametrize("name", FLOAT)
def test_floats(name: str) -> None:
    fast, slow = both(f"%v = {name} %a, %b : f32", "f32", FLOATS, FLOATS)
    numbers = ~np.isnan(slow)
    np.testing.assert_array_equal(np.isnan(fast), ~numbers)
    if name in ("arith.maxnumf", "arith.minnumf"):  # either zero is the greater one
        np.testing.assert_array_equal(fast[numbers], slow[numbers])
        return
    np.testing.assert_array_equal(fast[numbers].view(np.int32), slow[numbers].view(np.int32))


PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]


@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparisons(predicate: str) -> None:
    text = f"%c = arith.cmpi {predicate}, %a, %b : i8\n%v = arith.extui %c : i1 to i8"
    fast, slow = both(text, "i8", INTEGERS, INTEGERS)
    np.testing.assert_array_equal(fast, slow)


ORDERED = ["oeq", "ogt", "oge", "olt", "ole", "one", "ord"]
UNORDERED = ["ueq", "ugt", "uge", "ult", "ule", "une", "uno"]


@pytest.mark.parametrize("predicate", ["false", *ORDERED, *UNORDERED, "true"])
def test_comparisons_of_floats(predicate: str) -> None:
    text = f"%c = arith.cmpf {predicate}, %a, %b : f32\n%v = arith.uitofp %c : i1 to f32"
    fast, slow = both(text, "f32", FLOATS, FLOATS)
    np.testing.assert_array_equal(fast, slow)


WIDENED = {
    "scaled, rounded once": "SINGLE_ROUND",
    "scaled, rounded twice": "DOUBLE_ROUND",
}


@pytest.mark.parametrize("name", WIDENED)
@pytest.mark.parametrize("shift", [20, 31, 33, 40])
def test_scaling(name: str, shift: int) -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(-(2**30), 2**30, 16, np.int32)
    multipliers = rng.integers(2**30, 2**31 - 1, 16, np.int32)
    if shift == 20:
        values //= 2**12  # the result has to fit into 32 bits
    text = (
        f"%s = arith.constant {shift} : i8\n%v = tosa.apply_scale %a, %b, %s "
        f"{{rounding_mode = {WIDENED[name]}}} : (i32, i32, i8) -> i32"
    )
    fast, slow = both(text, "i32", values, multipliers)
    np.testing.assert_array_equal(fast, slow)


CHAINS = {
    "sign": "%n = arith.extsi %a : i8 to i32\n%v = arith.trunci %n : i32 to i8",
    "index": "%n = arith.index_cast %a : i8 to index\n%v = arith.index_cast %n : index to i8",
    "unsigned": "%n = arith.extui %a : i8 to i64\n%k = arith.constant 3 : i64\n"
    "%d = arith.divui %n, %k : i64\n%v = arith.trunci %d : i64 to i8",
    "zeros": "%v = math.ctlz %a : i8",
    "tail": "%v = math.cttz %a : i8",
    "ones": "%v = math.ctpop %a : i8",
    "halves": "%l, %v = arith.mulsi_extended %a, %b : i8",
    "unsigned halves": "%l, %v = arith.mului_extended %a, %b : i8",
    "carry": "%s, %c = arith.addui_extended %a, %b : i8, i1\n%v = arith.extui %c : i1 to i8",
    "choice": "%c = arith.cmpi slt, %a, %b : i8\n%v = arith.select %c, %a, %b : i8",
}


@pytest.mark.parametrize("name", CHAINS)
def test_conversions(name: str) -> None:
    fast, slow = both(CHAINS[name], "i8", INTEGERS, INTEGERS)
    np.testing.assert_array_equal(fast, slow)


def test_table_lookups_are_counted_by_the_element() -> None:
    text = """
memref_pool.pool @rom constant capacity 256
memref.global "private" constant @t : memref<256xi8, #memref_pool.space<@rom>> = dense<5>
  {memref_pool.placement = #memref_pool.placement<@rom, 0>}
func.func @main(%x: memref<16xi8> {accel.name = "x"},
                %r: memref<16xi8> {accel.name = "r", bufferize.result}) {
  %c128 = arith.constant 128 : index
  %t = memref.get_global @t : memref<256xi8, #memref_pool.space<@rom>>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%x : memref<16xi8>) outs(%r : memref<16xi8>) {
  ^bb0(%a: i8, %old: i8):
    %i = arith.index_cast %a : i8 to index
    %j = arith.addi %i, %c128 : index
    %v = memref.load %t[%j] : memref<256xi8, #memref_pool.space<@rom>>
    linalg.yield %v : i8
  }
  return
}
"""
    x = np.array([3] * 10 + [-128, 127, 0, 0, 1, 1], np.int8)
    for by_element in (False, True):
        machine = emulator(text, by_element=by_element)
        np.testing.assert_array_equal(machine.call("main", [x])[0], np.full(16, 5, np.int8))
        assert machine.report.read["@rom"] == 5  # 3, -128, 127, 0 and 1
    wrong = text.replace("arith.constant 128", "arith.constant 129")
    for by_element in (False, True):
        machine = emulator(wrong, by_element=by_element)
        with pytest.raises(Exception, match="outside of buffer 't' in @rom, seen as 256"):
            machine.call("main", [x])
