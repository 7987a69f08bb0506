"""Layers in tiles: windows with their halo, the order of loops, and the bytes that are moved."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from common.conv_layer import Layer
from common.host_jit import run_host
from common.oracles.traffic import scalars, traffic_of
from mlir.dialects import scf

import forebay
from forebay.dialects import accel
from forebay.ir.nested import ops_nested_in

# 32 channels to 64 of 20x30 with a kernel of 3x3 and a border of 1; a block of weights is 4,800.
DENSE = Layer(size=(20, 30), depth=32, channels=64)
LAYERS = {
    "dense": DENSE,
    "strided": Layer(size=(20, 30), depth=32, channels=64, stride=(2, 2), pad=(1, 0, 1, 0)),
    "pointwise": Layer(size=(20, 30), depth=32, channels=64, kernel=(1, 1), pad=(0, 0, 0, 0)),
    "depthwise": Layer(size=(20, 30), depth=64, channels=1, depthwise=True),
}


def compiled(
    layer: Layer, act_mem: int, wei_mem: int, folder: Path, *, depth: int = 0
) -> forebay.Compiled:
    model = folder / "layer.mlir"
    model.write_text(layer.text(), encoding="utf-8")
    memories = f"act_mem={act_mem},wei_mem={wei_mem},stream=1,depth={depth}"
    return forebay.compile(model, target=f"fetch_conv:{memories}")


def calls_of(found: forebay.Compiled, name: str) -> list[accel.CallOp]:
    ops = [op for op in ops_nested_in(found.planned) if isinstance(op, accel.CallOp)]
    return [op for op in ops if op.callee.value == f"accel.{name}"]


def check(found: forebay.Compiled, layer: Layer) -> None:
    (expected,) = run_host(layer.text(), layer.source())
    np.testing.assert_array_equal(found.run(layer.source(), engine="emulator"), expected)


# The bytes that strips of whole rows, or of columns of one row, move at the least.
STRIPS = {
    ("dense", 20000, 40000): 44160,
    ("dense", 20000, 15000): 59520,
    ("dense", 4000, 40000): 241920,
    ("dense", 4000, 15000): 241920,
    ("strided", 4000, 40000): 47040,
    ("strided", 4000, 15000): 74880,
    ("pointwise", 20000, 15000): 22016,
    ("pointwise", 4000, 15000): 22016,
    ("pointwise", 700, 15000): 41216,
    ("depthwise", 20000, 15000): 43584,
    ("depthwise", 4000, 15000): 62784,
}


@pytest.mark.parametrize(("name", "act_mem", "wei_mem"), STRIPS)
def test_no_more_bytes_are_moved_than_by_strips(
    name: str, act_mem: int, wei_mem: int, tmp_path: Path
) -> None:
    found = compiled(LAYERS[name], act_mem, wei_mem, tmp_path)
    assert found.plan.peak("act_mem") <= act_mem
    assert found.plan.peak("wei_mem") <= wei_mem
    traffic = traffic_of(found.planned)
    assert traffic.fetched + traffic.loaded <= STRIPS[name, act_mem, wei_mem]
    check(found, LAYERS[name])


@pytest.mark.parametrize(
    ("names", "extent"),
    [(("row", "rows", "top", "bottom"), 20), (("column", "columns", "left", "right"), 30)],
)
def test_windows_of_tiles_overlap_by_the_halo(
    names: tuple[str, str, str, str], extent: int, tmp_path: Path
) -> None:
    """Each tile reads one position beyond its own on each side, or a border where there is none."""
    found = compiled(DENSE, 4_000, 40_000, tmp_path)
    calls = [scalars(call) for call in calls_of(found, "input_fetcher")]
    windows = sorted({tuple(call[name] for name in names) for call in calls})
    assert len(windows) > 1
    for (at, count, _, _), (following, *_) in itertools.pairwise(windows):
        assert following == at + count - 2
    assert [at == 0 for at, *_ in windows] == [border == 1 for _, _, border, _ in windows]
    assert [at + n == extent for at, n, *_ in windows] == [border == 1 for *_, border in windows]


def test_what_fits_is_one_tile_and_everything_is_read_once(tmp_path: Path) -> None:
    found = compiled(DENSE, 100_000, 40_000, tmp_path)
    assert len(calls_of(found, "conv2d")) == 1
    traffic = traffic_of(found.planned)
    assert traffic.fetched == 2 * 20 * 30 * 16
    assert traffic.loaded == 4 * (16 * 32 * 9 + 192)


def test_where_weights_are_more_the_image_is_fetched_again(tmp_path: Path) -> None:
    """Two ranges and two strips: fetched twice, rather than the weights of 19 kB loaded twice."""
    small = Layer(size=(10, 6), depth=32, channels=64)
    found = compiled(small, 3_000, 10_000, tmp_path)
    traffic = traffic_of(found.planned)
    assert traffic.loaded == 4 * (16 * 32 * 9 + 192)
    assert traffic.fetched > 2 * 10 * 6 * 16


def test_where_the_image_is_more_the_weights_are_streamed_again(tmp_path: Path) -> None:
    """Weights of 2,816 bytes are loaded once per strip, rather than the image fetched twice."""
    found = compiled(LAYERS["pointwise"], 4_000, 1_500, tmp_path)
    traffic = traffic_of(found.planned)
    assert traffic.fetched == 2 * 20 * 30 * 16
    assert traffic.loaded > 4 * (16 * 32 + 192)


def test_depthwise_layers_are_cut_by_blocks_where_that_saves_the_halo(tmp_path: Path) -> None:
    found = compiled(LAYERS["depthwise"], 2 * 22 * 32 * 16 + 2 * 20 * 30 * 16, 40_000, tmp_path)
    traffic = traffic_of(found.planned)
    assert traffic.fetched == 4 * 20 * 30 * 16
    assert {scalars(call)["blocks"] for call in calls_of(found, "input_fetcher")} == {2}


@pytest.mark.parametrize("name", ["strided", "depthwise"])
def test_many_tiles_are_computed_in_loops(name: str, tmp_path: Path) -> None:
    """Windows that no border cuts begin at an address that depends on the loop."""
    found = compiled(LAYERS[name], 700, 15_000, tmp_path)
    assert any(isinstance(op, scf.ForOp) for op in ops_nested_in(found.planned))
    assert found.plan.peak("act_mem") <= 700
    check(found, LAYERS[name])


def cycles_of(found: forebay.Compiled, layer: Layer) -> int:
    emulator = found.emulator()
    emulator.run([layer.source()])
    return emulator.report.cycles


def test_with_queues_tiles_get_two_slots_where_these_fit(tmp_path: Path) -> None:
    """The image of 19,200 bytes fits beside a tile; two tiles overlap with the engine."""
    in_order = compiled(DENSE, 40_000, 24_000, tmp_path)
    queued = compiled(DENSE, 40_000, 24_000, tmp_path, depth=4)
    assert len(calls_of(queued, "conv2d")) + len(launches_of(queued, "conv2d")) > 1
    assert cycles_of(queued, DENSE) < cycles_of(in_order, DENSE)
    check(queued, DENSE)


def test_with_queues_one_slot_is_enough(tmp_path: Path) -> None:
    """The smallest tile needs 3 x 3 positions of two blocks, and one of the result."""
    found = compiled(Layer(size=(3, 4), depth=20), 304, 15_000, tmp_path, depth=4)
    assert found.plan.peak("act_mem") == 304
    check(found, Layer(size=(3, 4), depth=20))


def launches_of(found: forebay.Compiled, name: str) -> list[accel.LaunchOp]:
    ops = [op for op in ops_nested_in(found.planned) if isinstance(op, accel.LaunchOp)]
    return [op for op in ops if op.callee.value == f"accel.{name}"]
