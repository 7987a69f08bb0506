"""The cycles of a layer follow from the machine's parameters, by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import forebay
from forebay import targets

MODEL = """
func.func @main(%x: tensor<1x6x8x32xi8> {{accel.name = "x"}})
    -> (tensor<1x6x8x{outputs}xi8> {{accel.name = "y"}}) {{
  %w = "tosa.const"() <{{values = dense<2> : tensor<{weights}xi8>}}> : () -> tensor<{weights}xi8>
  %b = "tosa.const"() <{{values = dense<9> : tensor<{outputs}xi32>}}> : () -> tensor<{outputs}xi32>
  %z = "tosa.const"() <{{values = dense<0> : tensor<1xi8>}}> : () -> tensor<1xi8>
  %0 = tosa.{op} %x, %w, %b, %z, %z {{acc_type = i32, dilation = array<i64: 1, 1>,
    pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}} : (tensor<1x6x8x32xi8>,
    tensor<{weights}xi8>, tensor<{outputs}xi32>, tensor<1xi8>, tensor<1xi8>)
    -> tensor<1x6x8x{outputs}xi32>
  %m = "tosa.const"() <{{values = dense<1518500249> : tensor<1xi32>}}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{{values = dense<38> : tensor<1xi8>}}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{{values = dense<0> : tensor<1xi32>}}> : () -> tensor<1xi32>
  %1 = tosa.rescale %0, %m, %s, %zi, %z {{input_unsigned = false, output_unsigned = false,
    per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true}} :
    (tensor<1x6x8x{outputs}xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>)
    -> tensor<1x6x8x{outputs}xi8>
  return %1 : tensor<1x6x8x{outputs}xi8>
}}
"""
CONVOLUTION = MODEL.format(op="conv2d", weights="48x3x3x32", outputs=48)
DEPTHWISE = MODEL.format(op="depthwise_conv2d", weights="3x3x32x1", outputs=32)

# 2 blocks of 6x8 points to 3: fetched without the border, 16 channels times 16 in a cycle.
FETCHED, WEIGHTS, TABLE = 2 * 6 * 8 * 16, 48 * 32 * 9, 3 * 3 * 16 * 4
PRODUCTS = 3 * 6 * 8 * 9 * 2
# A channel sees itself only: 16 of the 256 multipliers work.
DEPTHWISE_WEIGHTS, DEPTHWISE_TABLE = 32 * 9, 2 * 3 * 16 * 4
DEPTHWISE_PRODUCTS = 2 * 6 * 8 * 9


def cycles_of(text: str, parameters: str, tmp_path: Path) -> dict[str, int]:
    """Cycles by intrinsic and transfer, and in all."""
    model = tmp_path / "layer.mlir"
    model.write_text(text, encoding="utf-8")
    compiled = forebay.compile(model, target=f"fetch_conv:stream=1,{parameters}")
    machine = compiled.emulator()
    machine.run([np.zeros((1, 6, 8, 32), np.int8)])
    report = machine.report
    found = {"all": report.cycles}
    rate = f"{report.macs / found['all']:.1f} per cycle"
    used = f"{report.macs / found['all'] / 256:.0%} of its peak"
    assert f"{found['all']:,} cycles modelled" in str(report)
    assert f"accel: {report.macs:,} MACs, {rate}, {used}" in str(report)
    for span in report.timeline.spans:
        if span.lane == "accel":
            name = span.work.name
            found[name] = found.get(name, 0) + span.end - span.begin
    return found


@pytest.mark.parametrize(
    ("text", "constants", "products"),
    [
        (CONVOLUTION, (WEIGHTS, TABLE), PRODUCTS),
        (DEPTHWISE, (DEPTHWISE_WEIGHTS, DEPTHWISE_TABLE), DEPTHWISE_PRODUCTS),
    ],
)
def test_cycles_of_a_layer(
    text: str, constants: tuple[int, int], products: int, tmp_path: Path
) -> None:
    expected = {
        "@accel.input_fetcher": 10 + FETCHED // 32,
        "@accel.weight_loader": 2 * 10 + sum(constants) // 32,
        "@accel.conv2d": 7 + products,
    }
    found = cycles_of(text, "bandwidth=32,latency=10,setup=7", tmp_path)
    assert found == {**expected, "all": sum(expected.values())}


@pytest.mark.parametrize("parameters", ["bandwidth=0", "latency=-1", "setup=-1"])
def test_times_that_cannot_be_are_refused(parameters: str) -> None:
    with pytest.raises(targets.TargetError, match="the first is at least 1, the others at least 0"):
        targets.load(f"fetch_conv:{parameters}")
