"""TFLite's networks on VTA have TFLite Micro's bits; a network of powers of two needs no host."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from common import networks

import forebay

EXAMPLE = Path(__file__).parents[4] / "examples" / "vta"
FAST = ["kws_dscnn_int8", "ad01_int8"]
SLOW = ["resnet8_int8", "person_detect_int8"]
SMALL = "vta:inp=8192,wgt=32768,acc=16384"


def script() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(EXAMPLE / "pow2net.py"), run_name="pow2net"))


def require_bits(name: str, target: str, engine: str, models: Path) -> None:
    compiled = networks.compiled(models / f"{name}.tflite", target=target)
    assert compiled.offload is not None
    assert compiled.offload.share_of_macs("vta") == 1.0
    with np.load(models / "golden" / "tflm" / f"{name}.npz") as golden:
        actual = compiled.run(golden["in0_0"], engine=engine)
        np.testing.assert_array_equal(actual, golden["out0_0"])


@pytest.mark.parametrize("engine", ["c", "emulator"])
@pytest.mark.parametrize("name", FAST)
def test_a_network_has_the_bits_of_tflite_micro(
    name: str, engine: str, shared_models: Path
) -> None:
    require_bits(name, "vta", engine, shared_models)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
@pytest.mark.parametrize("name", SLOW)
def test_a_large_network_has_the_bits_of_tflite_micro(
    name: str, engine: str, shared_models: Path
) -> None:
    require_bits(name, "vta", engine, shared_models)


def test_a_machine_with_smaller_memories_has_the_same_bits(shared_models: Path) -> None:
    require_bits("ad01_int8", SMALL, "emulator", shared_models)


def test_depthwise_layers_may_stay_on_the_host(shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / "kws_dscnn_int8.tflite", target="vta:depthwise=0")
    assert compiled.offload is not None
    assert 0.85 < compiled.offload.share_of_macs("vta") < 0.95
    with np.load(shared_models / "golden" / "tflm" / "kws_dscnn_int8.npz") as golden:
        np.testing.assert_array_equal(compiled.run(golden["in0_0"]), golden["out0_0"])


@pytest.mark.parametrize(
    "target",
    ["host", "vta", "vta:inp=8192,acc=32768", pytest.param(SMALL, marks=pytest.mark.slow)],
)
def test_the_network_of_powers_of_two_has_the_bits_of_its_script(target: str) -> None:
    compiled = forebay.compile(EXAMPLE / "pow2net.mlir", target=target)
    with np.load(EXAMPLE / "pow2net.npz") as golden:
        for index in range(script().INPUTS):
            actual = compiled.run(golden[f"in{index}_0"], engine="emulator")
            np.testing.assert_array_equal(actual, golden[f"out{index}_0"])


def test_the_example_is_what_its_script_writes() -> None:
    pow2net = script()
    net = pow2net.layers()
    assert (EXAMPLE / "pow2net.mlir").read_text("utf-8") == pow2net.text(net)
    with np.load(EXAMPLE / "pow2net.npz") as golden:
        image = golden["in0_0"][0]
        np.testing.assert_array_equal(pow2net.run(image, net), golden["out0_0"])
