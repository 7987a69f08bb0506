"""The driver in C: each buffer that it hands over is run by the strict interpreter."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path

import pytest
from common.conv_layer import Layer
from common.drivers.vta_process import VtaProcess, Word, build_project
from common.sweep import sweep

import forebay
from forebay import targets
from forebay.isa.faults import DecodingError, InstructionFault
from forebay.isa.vta.instructions import VtaFinish, VtaStore
from forebay.targets.vta.intrinsics import LAYER, SHIFTED_LAYER

EXAMPLE = Path(__file__).parents[4] / "examples" / "vta" / "pow2net.mlir"
SMALL = "vta:inp=8192,wgt=32768,acc=16384"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiled = forebay.compile(EXAMPLE, target="vta")
    return build_project(compiled, tmp_path_factory.mktemp("driver"))


def test_a_network_of_powers_of_two_has_its_outputs(library: Path) -> None:
    process = VtaProcess(library)
    process.library.vta_reset()
    assert process.call("selftest") == 0
    assert all(isinstance(buffer[-1], VtaFinish) for buffer in process.buffers)
    assert process.counts["VtaGemm"] >= 5


def test_sums_leave_the_machine_byte_by_byte(shared_models: Path, tmp_path: Path) -> None:
    """A buffer of 16 instructions is handed over also when it is full."""
    compiled = forebay.compile(shared_models / "ad01_int8.tflite", target=SMALL)
    process = VtaProcess(build_project(compiled, tmp_path, flags=["-DVTA_INSTRUCTIONS=16"]))
    assert process.call("selftest") == 0
    assert max(map(len, process.buffers)) <= 16
    shifted = [
        buffer
        for buffer in process.buffers
        if sum(isinstance(step, VtaStore) and step.tokens.push_prev for step in buffer) > 1
    ]
    assert shifted


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kws_dscnn_int8", "resnet8_int8"])
def test_the_driver_computes_networks_of_tflite(
    name: str, shared_models: Path, tmp_path: Path
) -> None:
    compiled = forebay.compile(shared_models / f"{name}.tflite", target="vta")
    process = VtaProcess(build_project(compiled, tmp_path))
    assert process.call("selftest") == 0


LAYERS = {
    "dense": Layer(size=(9, 8), depth=21, channels=37, stride=(2, 1)),
    "tiles in the border": Layer(
        size=(7, 9), depth=128, channels=80, kernel=(1, 2), pad=(2, 1, 2, 1)
    ),
    "few weights": Layer(size=(7, 7), depth=64, channels=48, kernel=(3, 2), dilation=(2, 1)),
    "depthwise": Layer(
        size=(40, 2), depth=64, channels=1, kernel=(23, 1), pad=(2, 0, 0, 1), depthwise=True
    ),
}


@pytest.mark.parametrize("in_flight", [1, 2])
@pytest.mark.parametrize("name", sweep(LAYERS, fast=2))
def test_layers_in_small_memories(name: str, in_flight: int, tmp_path: Path) -> None:
    """With one operation in flight, functions that are complete when they return are called."""
    (tmp_path / "net.mlir").write_text(LAYERS[name].text())
    target = "vta:inp=4096,wgt=16384,acc=8192"
    compiled = forebay.compile(
        tmp_path / "net.mlir", target=target, in_flight=in_flight, slots=in_flight
    )
    process = VtaProcess(build_project(compiled, tmp_path))
    assert process.call("selftest") == 0
    assert process.counts["VtaGemm"] > 0


def test_the_driver_has_each_function_that_code_may_call(library: Path) -> None:
    driver = ctypes.CDLL(str(library))
    (_, vta) = targets.load("vta").devices
    lowered = {LAYER, SHIFTED_LAYER}
    operations = [it for it in (*vta.intrinsics, *vta.transfers) if it.name not in lowered]
    assert len(operations) == 7
    for operation in operations:
        assert hasattr(driver, operation.symbol)
        assert hasattr(driver, f"{operation.symbol}_start")


@pytest.mark.slow
def test_every_dependency_bit_is_needed(library: Path) -> None:
    taken: list[tuple[int, int, int]] = []

    def note(number: int, words: list[Word]) -> list[Word]:
        taken.extend(
            (number, at, bit)
            for at, (low, _) in enumerate(words)
            for bit in range(3, 7)
            if low >> bit & 1
        )
        return words

    right = VtaProcess(library, change=note)
    right.library.vta_reset()
    assert right.call("selftest") == 0
    for number, at, bit in random.Random(0).sample(taken, 24):

        def drop(
            buffer: int, words: list[Word], wrong: tuple[int, int, int] = (number, at, bit)
        ) -> list[Word]:
            if buffer != wrong[0]:
                return words
            low, high = words[wrong[1]]
            return [*words[: wrong[1]], (low ^ 1 << wrong[2], high), *words[wrong[1] + 1 :]]

        mutant = VtaProcess(library, change=drop)
        mutant.library.vta_reset()
        with pytest.raises((InstructionFault, DecodingError)):
            mutant.call("selftest")


def test_the_emission_has_the_driver(tmp_path: Path) -> None:
    forebay.compile(EXAMPLE, target="vta").write(tmp_path, emit="vta-c")
    names = {path.name for path in tmp_path.iterdir()}
    assert {"vta.c", "vta.h", "pow2net.c", "pow2net_selftest.c"} <= names
    assert "pow2net_reference.c" not in names
