"""State of a device, which has no address: set again where it is lost, and checked everywhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from common.emulated import emulator
from mlir import ir

import forebay
from forebay import targets
from forebay.emulator.memory.faults import (
    DeadRead,
    ForeignRead,
    LiveOverwrite,
    NeverWritten,
)
from forebay.pipelines import PipelineError, run_pipeline

TARGET = Path(__file__).parent / "configured.py"
ENGINES: tuple[Literal["c", "llvm", "emulator"], ...] = ("c", "llvm", "emulator")

MODE, WEIGHTS = "tensor<2xi32>", "tensor<16xi8>"


def _mode(name: str, shift: int, bias: int) -> str:
    return f"""
  %{name}_e = tensor.empty() : {MODE}
  %{name} = accel.call @array.set_mode outs(%{name}_e : {MODE})
    config {{shift = {shift} : i64, bias = {bias} : i64}} -> {MODE}"""


def _multiply(name: str, mode: str, weights: str) -> str:
    y = "tensor<2x4xi32>"
    return f"""
  %{name}_e = tensor.empty() : {y}
  %{name} = accel.call @array.multiply ins(%x, %{mode}, %{weights} :
      tensor<2x4xi8>, {MODE}, {WEIGHTS})
    outs(%{name}_e : {y}) config {{rows = 2 : i64}} -> {y}"""


def _preload(name: str, source: str) -> str:
    return f"""
  %{name}_e = tensor.empty() : {WEIGHTS}
  %{name} = accel.call @array.preload ins(%{source} : tensor<4x4xi8>) outs(%{name}_e : {WEIGHTS})
    -> {WEIGHTS}"""


def declared() -> str:
    """The device of `configured.py` as IR."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            targets.attach(targets.load(str(TARGET)))
        return "\n".join(str(op) for op in module.body.operations)


PROGRAM = f"""
func.func @main(%x: tensor<2x4xi8> {{accel.name = "x"}}, %v: tensor<4x4xi8> {{accel.name = "v"}},
                %w: tensor<4x4xi8> {{accel.name = "w"}})
    -> (tensor<2x4xi32> {{accel.name = "a"}}, tensor<2x4xi32> {{accel.name = "b"}},
        tensor<2x4xi32> {{accel.name = "c"}}, tensor<2x4xi32> {{accel.name = "d"}}) {{
{_mode("m", 1, 5)}{_mode("n", 0, -3)}{_mode("o", 1, 5)}{_preload("p", "v")}{_preload("q", "w")}
{_multiply("a", "m", "p")}{_multiply("b", "n", "q")}
{_multiply("c", "m", "q")}{_multiply("d", "o", "p")}
  return %a, %b, %c, %d : {", ".join(["tensor<2x4xi32>"] * 4)}
}}
"""
"""Two modes and two sets of weights in turn; `o` is the value of `m` once more."""

RANDOM = np.random.default_rng(5)
X = RANDOM.integers(-128, 128, (2, 4), np.int8)
AT_ONCE = """
#mode = #memref_pool.space<@array.mode>
#ram = #memref_pool.space<@ram>
func.func @main(%x: memref<4xi8, #ram> {accel.name = "x"},
                %y: memref<4xi32, #ram> {accel.name = "y", bufferize.result}) {
  %a = memref_pool.alloc : memref<2xi32, #mode>
  %b = memref_pool.alloc : memref<2xi32, #mode>
  accel.call @array.set_mode outs(%a : memref<2xi32, #mode>)
    config {shift = 1 : i64, bias = 0 : i64}
  accel.call @array.set_mode outs(%b : memref<2xi32, #mode>)
    config {shift = 2 : i64, bias = 0 : i64}
  accel.call @array.scale ins(%x, %a : memref<4xi8, #ram>, memref<2xi32, #mode>)
    outs(%y : memref<4xi32, #ram>) config {n = 4 : i64}
  accel.call @array.scale ins(%x, %b : memref<4xi8, #ram>, memref<2xi32, #mode>)
    outs(%y : memref<4xi32, #ram>) config {n = 4 : i64}
  return
}
"""

V, W = (RANDOM.integers(-128, 128, (4, 4), np.int8) for _ in range(2))


def _product(weights: np.ndarray, shift: int, bias: int) -> np.ndarray:
    return (X.astype(np.int32) @ weights.astype(np.int32) + bias) << shift


WANTED = [_product(V, 1, 5), _product(W, 0, -3), _product(W, 1, 5), _product(V, 1, 5)]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> forebay.Compiled:
    path = tmp_path_factory.mktemp("model") / "state.mlir"
    path.write_text(declared() + PROGRAM, encoding="utf-8")
    return forebay.compile(path, io="pool")


@pytest.mark.parametrize("engine", ENGINES)
def test_values_in_turn_are_set_again(
    compiled: forebay.Compiled, engine: Literal["c", "llvm", "emulator"]
) -> None:
    for found, wanted in zip(compiled.run(X, V, W, engine=engine), WANTED, strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("through", ["c", "llvm"])
def test_compiled_code_is_checked_against_the_machine(
    compiled: forebay.Compiled, through: Literal["c", "llvm"]
) -> None:
    for found, wanted in zip(compiled.checked(through).run([X, V, W]), WANTED, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_c_functions_get_no_address_of_a_register(
    compiled: forebay.Compiled, tmp_path: Path
) -> None:
    compiled.write(tmp_path / "state")
    text = (tmp_path / "state" / "state_array.c").read_text(encoding="utf-8")
    calls = re.findall(r"array_(set_mode|preload|multiply)\(([^()]*)\)", text)
    assert [(name, arguments.count(",") + 1) for name, arguments in calls] == [
        ("set_mode", 2),  # m
        ("preload", 1),  # p
        ("multiply", 3),
        ("set_mode", 2),  # n
        ("preload", 1),  # q
        ("multiply", 3),
        ("set_mode", 2),  # m again, which is o, too
        ("multiply", 3),
        ("preload", 1),  # p again
        ("multiply", 3),
    ]


@pytest.mark.parametrize("number", range(6))
def test_a_setting_that_is_missing_is_a_fault_of_the_emulator(
    compiled: forebay.Compiled, number: int
) -> None:
    """A call that sets a register is removed behind all checks: no other value stands for it."""
    planned = str(compiled.planned)
    lines = planned.splitlines()
    setters = [line for line in lines if "@array.set_mode" in line or "@array.preload" in line]
    calls = [line for line in setters if "accel.call" in line]
    assert len(calls) == 6
    machine = emulator(planned.replace(calls[number], "", 1))
    with pytest.raises((NeverWritten, DeadRead, ForeignRead), match=r"@array\.(mode|weights)"):
        machine.call("main", [X, V, W])


def test_two_values_at_once_do_not_fit() -> None:
    with ir.Context(), ir.Location.unknown(), pytest.raises(PipelineError) as caught:
        run_pipeline(ir.Module.parse(declared() + AT_ONCE), "builtin.module(memref-pool-plan)")
    assert "pool 'array.mode' needs 16 bytes but has 8" in str(caught.value)


def test_a_value_that_is_overwritten_too_early_is_a_fault_of_the_emulator() -> None:
    """Both values at the only place of the register, as a wrong plan could have them."""
    text = declared() + AT_ONCE.replace(
        "memref_pool.alloc", "memref_pool.alloc at <@array.mode, 0>"
    )
    for pool in ("@ram workspace", "@rom constant"):
        text = text.replace(pool, f"{pool} capacity 64")
    for name, offset in (("x", 0), ("y", 16)):
        place = f"memref_pool.placement = #memref_pool.placement<@ram, {offset}>"
        text = text.replace(f'accel.name = "{name}"', f'accel.name = "{name}", {place}')
    machine = emulator(text)
    with pytest.raises(LiveOverwrite, match=r"writes byte 0 of @array\.mode .* over live buffer"):
        machine.call("main", [X[0]])
