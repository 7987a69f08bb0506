"""A target file with a computation of its own: patterns of any op, tiles, and calls in a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import forebay
from forebay import targets
from forebay.api.target import Emission
from forebay.dialects.accel import CallOp
from forebay.ir.nested import ops_nested_in

MACHINE = Path(__file__).parents[3] / "common" / "machines" / "own_computation.py"
X = np.random.default_rng(4).integers(-128, 128, (9, 30)).astype(np.int8)

COMPLEMENT = """
func.func @main(%x: tensor<9x30xi8> {accel.name = "x"}) -> (tensor<9x30xi8> {accel.name = "y"}) {
  %y = tosa.bitwise_not %x : (tensor<9x30xi8>) -> tensor<9x30xi8>
  return %y : tensor<9x30xi8>
}
"""

CALL = """
func.func @main(%x: tensor<9x30xi8> {accel.name = "x"}) -> (tensor<9x30xi8> {accel.name = "y"}) {
  %e = tensor.empty() : tensor<9x30xi8>
  %y = accel.call @npu.complement ins(%x : tensor<9x30xi8>) outs(%e : tensor<9x30xi8>)
    config {rows = 9, columns = 30} -> tensor<9x30xi8>
  return %y : tensor<9x30xi8>
}
"""


def compiled(folder: Path, text: str, parameters: str) -> forebay.Compiled:
    path = folder / "model.mlir"
    path.write_text(text, encoding="utf-8")
    return forebay.compile(path, target=f"{MACHINE}:{parameters}")


def calls(found: forebay.Compiled) -> int:
    return sum(isinstance(op, CallOp) for op in ops_nested_in(found.planned))


@pytest.mark.parametrize(
    ("parameters", "least"),
    [("spad=4096", 1), ("spad=256", 3), ("spad=4096,rows=0", 2), ("spad=4096,blocks=1", 1)],
)
def test_a_computation_of_ones_own(parameters: str, least: int, tmp_path: Path) -> None:
    found = compiled(tmp_path, COMPLEMENT, parameters)
    assert found.offload is not None
    assert [it.device for it in found.offload.operators] == ["npu"]
    assert calls(found) >= least
    for engine in ("emulator", "c", "llvm"):
        np.testing.assert_array_equal(found.run(X, engine=engine), ~X)


def test_a_condition_that_is_not_met_is_in_the_report(tmp_path: Path) -> None:
    text = COMPLEMENT.replace("9x30xi8", "3x3x30xi8")
    found = compiled(tmp_path, text, "spad=4096")
    assert found.offload is not None
    (operator,) = found.offload.operators
    assert operator.reasons == ("npu.complement needs two dimensions",)


def test_an_operand_with_other_elements_than_its_axes_say(tmp_path: Path) -> None:
    """A computation that forgets a dimension takes no operator, instead of a part of one."""
    text = MACHINE.read_text(encoding="utf-8")
    wrong = text.replace('"columns": columns})', '"columns": columns - 1})')
    assert wrong != text
    machine, model = tmp_path / "machine.py", tmp_path / "model.mlir"
    machine.write_text(wrong, encoding="utf-8")
    model.write_text(COMPLEMENT, encoding="utf-8")
    found = forebay.compile(model, target=f"{machine}:spad=4096")
    assert found.offload is not None
    (operator,) = found.offload.operators
    assert operator.reasons == ("npu.complement needs y of rows x columns elements of 8 bits",)


def test_a_model_that_calls_an_intrinsic_of_a_target_file(tmp_path: Path) -> None:
    found = compiled(tmp_path, CALL, "spad=4096")
    assert calls(found) == 1
    for engine in ("emulator", "c", "llvm"):
        np.testing.assert_array_equal(found.run(X, engine=engine), ~X)


def test_a_complete_target_with_other_parts(tmp_path: Path) -> None:
    """What was derived for the target is derived anew, from what its file describes."""
    path = tmp_path / "model.mlir"
    path.write_text(COMPLEMENT, encoding="utf-8")
    found = targets.load(f"{MACHINE}:spad=4096")
    written = replace(found, emissions=(Emission("nothing", lambda _: {}),))
    assert written.devices[1].intrinsics == found.devices[1].intrinsics
    dram, spad, rom = found.pools
    smaller = replace(found, pools=(dram, replace(spad, capacity=256), rom))
    assert len(smaller.patterns) == len(found.patterns) == 1
    for machine, least in ((written, 1), (smaller, 3)):
        program = forebay.compile(path, target=machine)
        assert calls(program) >= least
        np.testing.assert_array_equal(program.run(X, engine="emulator"), ~X)


def test_a_device_of_a_complete_target_with_other_intrinsics() -> None:
    found = targets.load(f"{MACHINE}:spad=4096")
    cpu, npu = found.devices
    (declared, whole) = npu.intrinsics
    renamed = replace(declared, name="invert", symbol="npu_invert")
    again = replace(found, devices=(cpu, replace(npu, intrinsics=(renamed, whole))))
    assert [it.name for it in again.devices[1].intrinsics] == ["invert", "tiled_invert"]
    assert [pattern.name for pattern in again.patterns] == ["invert"]
    kept = replace(found, devices=(cpu, replace(npu, stage=None)))
    assert kept.devices[1].stage is not None


@pytest.mark.parametrize("target", ["host", None])
def test_a_call_of_an_intrinsic_that_the_target_lacks(target: str | None, tmp_path: Path) -> None:
    path = tmp_path / "model.mlir"
    path.write_text(CALL, encoding="utf-8")
    with pytest.raises(forebay.Error, match=r"calls @npu\.complement, "):
        forebay.compile(path, target=target)
