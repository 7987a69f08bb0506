"""Networks on the machine with DIANA's memories, and smaller ones: peaks, bits, and bytes moved."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from common.oracles.traffic import traffic_of
from common.sweep import sweep, sweep_cases
from mlir.dialects import memref

import forebay
from forebay.dialects import accel, memref_pool
from forebay.ir.nested import ops_nested_in

KIB = 1024
NETWORKS = ["resnet8_int8", "kws_dscnn_int8", "person_detect_int8", "mobilenetv2_tf2_int8"]


@cache
def compiled(model: Path, act_mem: int, wei_mem: int = 64 * KIB) -> forebay.Compiled:
    memories = f"wei_mem={wei_mem},act_mem={act_mem},stream=1"
    return forebay.compile(model, target=f"fetch_conv:{memories}")


def summary(name: str, act_mem: int, network: forebay.Compiled) -> str:
    """A line of figures, which `pytest -s` shows."""
    traffic = traffic_of(network.planned)
    peaks = ", ".join(
        f"{pool} {network.plan.peak(pool):,}" for pool in ("l2_mem", "act_mem", "wei_mem")
    )
    return (
        f"{name} in {act_mem // KIB} KiB: {peaks}; moved {traffic.all:,} bytes, "
        f"each once {traffic.least:,}: fetched {traffic.fetched:,} of {traffic.fetched_once:,}, "
        f"weights {traffic.loaded:,} of {traffic.loaded_once:,}, put back {traffic.put_back:,}"
    )


def check(name: str, models: Path, network: forebay.Compiled, engine: str) -> None:
    """The first golden step of a network."""
    known: dict[str, Literal["c", "llvm", "emulator"]] = {e: e for e in ("c", "llvm", "emulator")}
    with np.load(models / "golden" / "tflm" / f"{name}.npz") as golden:
        found = network.run(golden["in0_0"], engine=known[engine])
        np.testing.assert_array_equal(found, golden["out0_0"])


@pytest.mark.parametrize("engine", sweep(["c", "llvm"]))
@pytest.mark.parametrize("name", NETWORKS)
def test_networks_run_in_dianas_memories(name: str, engine: str, shared_models: Path) -> None:
    network = compiled(shared_models / f"{name}.tflite", 256 * KIB)
    assert network.offload is not None
    assert network.offload.share_of_macs("accel") == 1.0
    assert network.plan.peak("act_mem") <= 256 * KIB
    assert network.plan.peak("wei_mem") <= 64 * KIB
    check(name, shared_models, network, engine)


LEAST_TIMES = [
    ("resnet8_int8", 256, 1.0),
    ("resnet8_int8", 16, 1.12),
    ("kws_dscnn_int8", 256, 1.0),
    ("kws_dscnn_int8", 8, 1.2),
    ("person_detect_int8", 256, 1.0),
    ("person_detect_int8", 32, 1.02),
    ("mobilenetv2_tf2_int8", 256, 1.01),
    ("resnet8_int8", 64, 1.0),
    ("resnet8_int8", 32, 1.02),
    ("person_detect_int8", 128, 1.01),
    ("person_detect_int8", 64, 1.02),
]


@pytest.mark.parametrize(("name", "act_mem", "times"), sweep_cases(LEAST_TIMES, 7))
def test_little_is_read_twice(name: str, act_mem: int, times: float, shared_models: Path) -> None:
    """Bytes moved against each byte of images and weights once per layer; the emulator's bits."""
    network = compiled(shared_models / f"{name}.tflite", act_mem * KIB)
    print(summary(name, act_mem * KIB, network))
    assert network.plan.peak("act_mem") <= act_mem * KIB
    traffic = traffic_of(network.planned)
    assert 0 < traffic.least <= traffic.all <= times * traffic.least
    check(name, shared_models, network, "emulator")


@pytest.mark.parametrize("name", sweep(["resnet8_int8", "person_detect_int8"]))
def test_networks_run_in_little(name: str, shared_models: Path) -> None:
    network = compiled(shared_models / f"{name}.tflite", 8 * KIB, 16 * KIB)
    assert network.plan.peak("act_mem") <= 8 * KIB
    assert network.plan.peak("wei_mem") <= 16 * KIB
    check(name, shared_models, network, "c")


@pytest.mark.slow
def test_many_tiles_of_a_large_network_are_loops(shared_models: Path) -> None:
    """MobileNetV2 in 16 KiB and 4 KiB has 1,601 tiles; more than 500 of them are in loops."""
    name = "mobilenetv2_tf2_int8"
    network = compiled(shared_models / f"{name}.tflite", 16 * KIB, 4 * KIB)
    assert network.plan.peak("act_mem") <= 16 * KIB
    assert network.plan.peak("wei_mem") <= 4 * KIB
    ops = ops_nested_in(network.planned)
    calls = sum(isinstance(op, accel.CallOp) and "conv2d" in op.callee.value for op in ops)
    assert calls < 1100
    check(name, shared_models, network, "emulator")


_CALLS = accel.CallOp | accel.MoveOp | memref_pool.CopyOp | memref.CopyOp


@pytest.mark.parametrize(
    ("name", "act_mem"), sweep_cases([("resnet8_int8", 16), ("mobilenetv2_tf2_int8", 256)])
)
def test_the_emitted_c_is_calls(
    name: str, act_mem: int, shared_models: Path, tmp_path: Path
) -> None:
    """Tiles cost text: calls and copies of 8 lines each at the most."""
    model = shared_models / f"{name}.tflite"
    whole = forebay.compile(model, target="fetch_conv:stream=1,wei_mem=65536")
    sizes: list[int] = []
    calls: list[int] = []
    for number, network in enumerate((whole, compiled(model, act_mem * KIB))):
        network.write(tmp_path / str(number))
        files = [tmp_path / str(number) / f"{name}{end}.c" for end in ("", "_accel")]
        sizes.append(sum(len(file.read_text("utf-8").splitlines()) for file in files))
        ops = ops_nested_in(network.planned)
        calls.append(sum(isinstance(op, _CALLS) for op in ops))
    print(f"lines of C: {sizes[0]:,} whole, {sizes[1]:,} in tiles; calls {calls[0]}, {calls[1]}")
    assert sizes[1] - sizes[0] <= 8 * (calls[1] - calls[0])
