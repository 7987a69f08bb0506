"""Stages of devices: the order they run in, the free bytes they get, and what holds them to it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from mlir import ir

import forebay.passes  # noqa: F401  (registers)
from forebay.options import Options
from forebay.pipelines import PipelineError, run_pipeline, stages

TARGET = Path(__file__).parents[2] / "common" / "machines" / "tiled.py"

KIB = 1024
# While @npu.scale runs there live, in KiB: its operand of 100, its result of 40, and 120 beside.
THREE_LIVE = f"""
#same = affine_map<(d) -> (d)>
func.func @main(%x: tensor<{100 * KIB}xi8>) -> (tensor<{40 * KIB}xi8>, tensor<{120 * KIB}xi8>) {{
  %e100 = tensor.empty() : tensor<{100 * KIB}xi8>
  %a = linalg.generic {{indexing_maps = [#same, #same], iterator_types = ["parallel"]}}
      ins(%x : tensor<{100 * KIB}xi8>) outs(%e100 : tensor<{100 * KIB}xi8>) {{
  ^bb0(%in: i8, %out: i8):
    %twice = arith.addi %in, %in : i8
    linalg.yield %twice : i8
  }} -> tensor<{100 * KIB}xi8>
  %e120 = tensor.empty() : tensor<{120 * KIB}xi8>
  %c7 = arith.constant 7 : i8
  %b = linalg.fill ins(%c7 : i8) outs(%e120 : tensor<{120 * KIB}xi8>) -> tensor<{120 * KIB}xi8>
  %e40 = tensor.empty() : tensor<{40 * KIB}xi8>
  %c = accel.call @DEVICE.scale ins(%a : tensor<{100 * KIB}xi8>) outs(%e40 : tensor<{40 * KIB}xi8>)
    -> tensor<{40 * KIB}xi8>
  return %c, %b : tensor<{40 * KIB}xi8>, tensor<{120 * KIB}xi8>
}}
"""


def lowered(text: str, options: Options) -> str:
    """The module after planning."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        run_pipeline(module, f"builtin.module(accel-attach-target{{target={options.target}}})")
        header = "\n".join(str(op) for op in module.body.operations)
        module = ir.Module.parse(header + text)
        run_pipeline(module, stages.bufferization(options))
        run_pipeline(module, stages.planning(options))
        return str(module)


def free_bytes() -> list[tuple[str, dict[str, int]]]:
    """The free bytes that the stages of the last run got, in their order."""
    return sys.modules["forebay_target_tiled"].FREE_BYTES


def places() -> list[tuple[str | None, ...]]:
    """The pools of operands that the stages of the last run got, in their order."""
    return sys.modules["forebay_target_tiled"].PLACES


def pooled(parameters: str, order: tuple[str, ...] = ()) -> Options:
    """Inputs and outputs in the pool, too, so that all that lives is in it."""
    return Options(target=f"{TARGET}:{parameters}", io="pool", order=order)


def test_a_stage_gets_the_free_bytes():
    lowered(THREE_LIVE.replace("DEVICE", "npu"), pooled("tile=48"))
    assert free_bytes() == [("npu", {"sram": 60 * KIB})]  # 320 - 100 - 120 - 40


def test_what_the_program_may_not_use_is_not_free():
    lowered(THREE_LIVE.replace("DEVICE", "npu"), pooled("tile=1,start=8"))
    assert free_bytes() == [("npu", {"sram": 52 * KIB})]
    lowered(THREE_LIVE.replace("DEVICE", "npu"), pooled("tile=1,start=8,reserved=3"))
    assert free_bytes() == [("npu", {"sram": 49 * KIB})]


def test_what_a_stage_needs_is_free_and_others_make_room():
    """Of 320 KiB all but 60 are taken: to have 70, the result of 40, the smallest, goes away."""
    lowered(THREE_LIVE.replace("DEVICE", "npu"), pooled("tile=1,needed=60"))
    assert (free_bytes(), places()) == ([("npu", {"sram": 60 * KIB})], [("sram", "sram")])
    lowered(THREE_LIVE.replace("DEVICE", "npu"), pooled("tile=1,needed=70"))
    assert (free_bytes(), places()) == ([("npu", {"sram": 100 * KIB})], [("sram", "dram")])


def test_operands_stay_where_the_trial_plan_has_them_if_the_stage_says_so():
    """The stage takes 1 KiB of the 70: the result could come back, unless it must stay."""
    for stay, peak in ((0, 0), (1, 40 * KIB)):
        text = lowered(THREE_LIVE.replace("DEVICE", "npu"), pooled(f"tile=1,needed=70,stay={stay}"))
        assert re.findall(r"pool @dram .* peak = (\d+)", text) == [str(peak)]


def test_a_tile_that_fits_is_planned_beside_the_operands():
    text = lowered(THREE_LIVE.replace("DEVICE", "npu"), pooled("tile=48"))
    assert f"memref<{48 * KIB}xi8, #memref_pool.space<@sram>>" in text
    assert f"accel.granted = {{sram = {60 * KIB} : i64}}" in text


def test_a_tile_that_does_not_fit_is_refused_with_what_is_missing():
    with pytest.raises(PipelineError, match="pool 'sram' needs 331,776 bytes but has 327,680"):
        lowered(THREE_LIVE.replace("DEVICE", "npu"), pooled("tile=64"))


def test_a_stage_may_return_structured_operations_for_the_host():
    text = lowered(THREE_LIVE.replace("DEVICE", "dsp"), pooled("tile=48"))
    assert "accel.call" not in text
    assert re.search(r"func.func private @dsp_scale\((.*\n)*.*linalg.transpose", text)


BOTH = """
func.func @main(%x: tensor<1024xi8>) -> tensor<1024xi8> {
  %e = tensor.empty() : tensor<1024xi8>
  %a = accel.call @npu.scale ins(%x : tensor<1024xi8>) outs(%e : tensor<1024xi8>) -> tensor<1024xi8>
  %f = tensor.empty() : tensor<1024xi8>
  %b = accel.call @dsp.scale ins(%a : tensor<1024xi8>) outs(%f : tensor<1024xi8>) -> tensor<1024xi8>
  return %b : tensor<1024xi8>
}
"""


@pytest.mark.parametrize(
    ("order", "ran"),
    [((), ["npu", "dsp"]), (("dsp",), ["dsp", "npu"]), (("dsp", "npu"), ["dsp", "npu"])],
)
def test_devices_are_lowered_in_the_order_that_is_asked_for(order: tuple[str, ...], ran: list[str]):
    text = lowered(BOTH, pooled("tile=4", order))
    assert [device for device, _ in free_bytes()] == ran
    assert f"accel.lowered = [{', '.join(f'@{device}' for device in ran)}]" in text


def test_the_stages_that_run_later_see_what_the_earlier_ones_took():
    lowered(BOTH, pooled("tile=100", ("npu", "dsp")))
    assert dict(free_bytes())["npu"] == {"sram": 318 * KIB}  # x or its copy, and the result
    assert dict(free_bytes())["dsp"] == {"sram": 318 * KIB}  # the tile of npu is dead by then


def test_an_order_that_names_an_unknown_device_is_refused():
    with pytest.raises(
        PipelineError,
        match="cannot lower the device 'cpu' of the order, which target 'tiled' does not have; "
        "its devices beside the host: 'npu', 'dsp'",
    ):
        lowered(BOTH, pooled("tile=4", ("cpu",)))


def test_a_stage_must_return_what_the_call_returned():
    with pytest.raises(PipelineError, match="the stage of @npu must return tensor<1024xi8> for"):
        lowered(BOTH, pooled("tile=4,wrong=1"))


def test_a_stage_may_leave_a_call_as_it_is():
    text = lowered(BOTH, pooled("tile=0"))
    assert "accel.call @npu.scale ins" in text
    assert "@npu_scale" not in text


def test_without_a_trial_plan_there_is_nothing_to_tell():
    with pytest.raises(PipelineError, match="no trial plan for the stage of @npu"):
        lowered(THREE_LIVE.replace("DEVICE", "npu"), pooled("tile=1,sram=200"))
