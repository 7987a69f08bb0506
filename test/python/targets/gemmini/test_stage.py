"""Layers in tiles on Gemmini: the model's values, in every engine and through the driver's code."""

from pathlib import Path

import numpy as np
import pytest
from common.conv_layer import Layer
from common.drivers.gemmini_process import GemminiProcess, build_project
from common.sweep import sweep

import forebay
from forebay.driver.compiled import Compiled
from forebay.isa.gemmini.geometry import GemminiGeometry
from forebay.isa.gemmini.instructions import Dataflow

LAYERS = {
    "dense": Layer(size=(5, 6), depth=19, channels=21),
    "stride": Layer(size=(9, 9), depth=3, channels=17, stride=(2, 2), kernel=(3, 3)),
    "dilation": Layer(size=(5, 6), depth=16, dilation=(2, 1), pad=(2, 2, 1, 1), clamp=(-9, 50)),
    "depthwise": Layer(size=(5, 6), depth=37, channels=1, depthwise=True),
    "wide kernel": Layer(size=(9, 5), depth=1, channels=8, kernel=(10, 4), pad=(4, 5, 1, 2)),
    "long products": Layer(size=(1, 1), depth=700, channels=20, kernel=(1, 1), pad=(0, 0, 0, 0)),
    "batch": Layer(size=(3, 4), depth=5, batch=6, kernel=(1, 1), pad=(0, 0, 0, 0)),
    "rounds once": Layer(depth=5, rounding="SINGLE_ROUND", per_channel=False),
}
SIZES = {
    "large": ("", GemminiGeometry()),
    "small": (":spad=8K,acc=1K", GemminiGeometry(scratchpad_kib=8, accumulator_kib=1)),
}


def compiled(layer: Layer, folder: Path, size: str) -> Compiled:
    path = folder / "net.mlir"
    path.write_text(layer.text())
    return forebay.compile(path, target=f"gemmini{SIZES[size][0]}")


@pytest.mark.parametrize("size", sweep(reversed(SIZES)))
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_has_the_model_s_values(tmp_path: Path, name: str, size: str) -> None:
    program = compiled(LAYERS[name], tmp_path, size)
    library = build_project(program, tmp_path)  # compares LLVM's program with the model
    (step,) = program.golden.steps
    for engine in ("c", "emulator"):
        np.testing.assert_array_equal(program.run(*step.inputs, engine=engine), step.outputs[0])
    gemmini = GemminiProcess(library, SIZES[size][1], late=size == "small")
    assert gemmini.call("selftest") == 0
    assert gemmini.counts["ComputePreloaded"] > 0


@pytest.mark.parametrize("name", ["dense", "depthwise", "long products"])
def test_sums_may_stay_in_the_array(tmp_path: Path, name: str) -> None:
    path = tmp_path / "net.mlir"
    path.write_text(LAYERS[name].text())
    program = forebay.compile(path, target="gemmini:output_stationary=1")
    gemmini = GemminiProcess(build_project(program, tmp_path))
    assert gemmini.call("selftest") == 0
    # Random weights are large, so sums leave the array before the reduction ends.
    assert gemmini.counts["ComputePreloaded"] > 0
    assert gemmini.state.config_ex is not None
    assert gemmini.state.config_ex.dataflow is Dataflow.OUTPUT_STATIONARY


def test_small_memories_cut_layers(tmp_path: Path) -> None:
    """Fewer bytes need more moves; the array computes the same products."""
    counts = {}
    for size in SIZES:
        folder = tmp_path / size
        folder.mkdir()
        library = build_project(compiled(LAYERS["dense"], folder, size), folder)
        gemmini = GemminiProcess(library)
        gemmini.call("selftest")
        counts[size] = gemmini.counts
    assert counts["large"]["Fence"] < counts["small"]["Fence"]


@pytest.mark.parametrize(
    ("layer", "calls"),
    [
        (Layer(size=(56, 56), depth=64, channels=1, depthwise=True), 9),
        (Layer(size=(14, 14), depth=64, channels=384, kernel=(1, 1), pad=(0, 0, 0, 0)), 8),
    ],
    ids=["loops", "straight"],
)
def test_results_are_written_where_they_belong(tmp_path: Path, layer: Layer, calls: int) -> None:
    """Many tiles in loops, and in straight-line code that bufferization takes in several pieces."""
    (tmp_path / "net.mlir").write_text(layer.text())
    program = forebay.compile(tmp_path / "net.mlir", target="gemmini:spad=32K,acc=8K")
    planned = str(program.planned)
    assert planned.count("store_sums ins") == calls
    assert "memref.copy" not in planned
    image, result = layer.source().size, int(np.prod(layer.out))
    assert program.plan.peak("dram") <= image + result + 8192
    (step,) = program.expected_outputs().steps
    found = program.run(*step.inputs, engine="emulator")
    np.testing.assert_array_equal(found, step.outputs[0])


def test_loads_and_products_overlap(tmp_path: Path) -> None:
    """In separate banks; the array computes for most of the time."""
    layer = Layer(size=(56, 56), depth=64, channels=64, kernel=(3, 3))
    path = tmp_path / "net.mlir"
    path.write_text(layer.text())
    image = np.zeros((1, *layer.size, layer.depth), np.int8)
    cycles: list[int] = []
    for slots in (1, 2):
        program = forebay.compile(path, target="gemmini", slots=slots, in_flight=slots)
        emulator = program.emulator()
        emulator.run([image])
        timeline = emulator.report.timeline
        cycles.append(timeline.cycles)
    assert timeline.bank_conflicts.total() < cycles[1] // 50
    assert timeline.busy("gemmini.execute") > cycles[1] * 0.8
    assert cycles[1] < cycles[0] * 0.95


def test_a_layer_that_cannot_be_cut_further_names_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "net.mlir"
    path.write_text(LAYERS["dense"].text())
    needs = r"one column of 16 channels of this layer needs 2,448 bytes of spad, but 2,048 are free"
    with pytest.raises(forebay.Error, match=f"{needs}; give spad more"):
        forebay.compile(path, target="gemmini:spad=2K,acc=2K")
    forebay.compile(path, target="gemmini:spad=2560,acc=2K")
