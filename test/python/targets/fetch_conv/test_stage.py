"""Single layers in tiles give what the host gives, in whatever memory there is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.conv_layer import Layer
from common.host_jit import run_host
from common.sweep import sweep
from common.tosa_text import Main, type_of
from mlir import ir

import forebay
from forebay.dialects import accel
from forebay.ir.nested import ops_nested_in

LAYERS = {
    "3x3": Layer(size=(20, 12), depth=20, channels=40),
    "stride 2": Layer(size=(20, 12), stride=(2, 2), pad=(0, 1, 0, 1), depth=20, channels=40),
    "pointwise": Layer(size=(20, 12), kernel=(1, 1), pad=(0, 0, 0, 0), depth=40, channels=40),
    "depthwise": Layer(size=(20, 12), depth=40, channels=1, depthwise=True),
    "depthwise, stride 2": Layer(
        size=(21, 11), depth=40, channels=1, depthwise=True, stride=(2, 2)
    ),
    "10 rows at stride 2": Layer(size=(41, 12), kernel=(10, 3), stride=(2, 1), pad=(4, 5, 1, 1)),
    "windows outside": Layer(pad=(4, 4, 4, 4), depth=20, channels=20),
}


def compiled(text: str, memories: str, tmp_path: Path) -> forebay.Compiled:
    model = tmp_path / "layer.mlir"
    model.write_text(text, encoding="utf-8")
    return forebay.compile(model, target=f"fetch_conv:{memories}")


def calls_of(found: forebay.Compiled, name: str) -> list[accel.CallOp]:
    ops = [op for op in ops_nested_in(found.planned) if isinstance(op, accel.CallOp)]
    return [op for op in ops if op.callee.value == f"accel.{name}"]


def scalar(call: accel.CallOp, name: str) -> int:
    assert call.config is not None
    return ir.IntegerAttr(ir.DictAttr(call.config)[name]).value


@pytest.mark.parametrize("act_mem", sweep([4096, 1024]))
@pytest.mark.parametrize("name", LAYERS)
def test_tiles_give_what_the_host_gives(name: str, act_mem: int, tmp_path: Path) -> None:
    layer = LAYERS[name]
    found = compiled(layer.text(), f"act_mem={act_mem},wei_mem=8192,stream=1", tmp_path)
    assert found.plan.peak("act_mem") <= act_mem
    assert found.plan.peak("wei_mem") <= 8192
    assert len(calls_of(found, "conv2d")) > 1
    (expected,) = run_host(layer.text(), layer.source())
    np.testing.assert_array_equal(found.run(layer.source(), engine="emulator"), expected)


def test_weights_that_are_there_from_the_start_are_not_loaded(tmp_path: Path) -> None:
    layer = LAYERS["3x3"]
    found = compiled(layer.text(), "act_mem=4096", tmp_path)
    assert len(calls_of(found, "conv2d")) > 1
    assert not any(isinstance(op, accel.MoveOp) for op in ops_nested_in(found.planned))
    (expected,) = run_host(layer.text(), layer.source())
    np.testing.assert_array_equal(found.run(layer.source(), engine="emulator"), expected)


def pair(first: Layer, second: Layer) -> str:
    main = Main((type_of(first.source()),))
    value, kind = first.append(main, "%x0", type_of(first.source()), seed=1)
    return main.returning(*second.append(main, value, kind, seed=2))


@pytest.mark.parametrize(
    ("act_mem", "fetches"),
    [
        (65536, 1),  # What is between the layers, 3 blocks of 20x12 points, stays.
        (12288, 3),  # It takes 11,520 bytes, which would leave nothing for tiles.
    ],
)
def test_a_result_stays_where_there_is_room(act_mem: int, fetches: int, tmp_path: Path) -> None:
    first = Layer(size=(20, 12), depth=3, channels=40)
    second = Layer(size=(20, 12), depth=40, channels=5)
    text = pair(first, second)
    found = compiled(text, f"act_mem={act_mem},wei_mem=16384,stream=1", tmp_path)
    assert found.plan.peak("act_mem") <= act_mem
    assert len(calls_of(found, "input_fetcher")) == fetches
    (expected,) = run_host(text, first.source())
    np.testing.assert_array_equal(found.run(first.source(), engine="emulator"), expected)


def test_a_result_is_put_back_in_strips_where_its_image_stays(tmp_path: Path) -> None:
    """1 block of 20x12 points stays, 5 blocks leave: the engine reads the image where it is."""
    text = pair(
        Layer(size=(20, 12), depth=3, channels=16),
        Layer(size=(20, 12), depth=16, channels=80),
    )
    found = compiled(text, "act_mem=6144,wei_mem=65536,stream=1", tmp_path)
    tiles = [call for call in calls_of(found, "conv2d") if scalar(call, "top") < 0]
    assert len(tiles) > 1
    assert {scalar(call, "x_height") for call in tiles} == {20}
    source = Layer(size=(20, 12), depth=3).source()
    (expected,) = run_host(text, source)
    np.testing.assert_array_equal(found.run(source, engine="emulator"), expected)


def test_a_result_stays_where_its_image_comes_in_strips(tmp_path: Path) -> None:
    """6 blocks of 20x12 points come, 2 stay, each of them written in runs of rows."""
    layer = Layer(size=(20, 12), depth=96, channels=20)
    found = compiled(layer.text(), "act_mem=16384,wei_mem=65536,stream=1", tmp_path)
    strips = len(calls_of(found, "input_fetcher"))
    assert strips > 1
    assert len(calls_of(found, "conv2d")) == 2 * strips
    (expected,) = run_host(layer.text(), layer.source())
    np.testing.assert_array_equal(found.run(layer.source(), engine="emulator"), expected)


def test_weights_are_streamed_again_for_each_strip_of_a_large_image(tmp_path: Path) -> None:
    """3 blocks of weights of 704 bytes, 2 at a time, or one that stays and the others in turn."""
    layer = Layer(size=(20, 12), kernel=(1, 1), pad=(0, 0, 0, 0), depth=32, channels=48)
    found = compiled(layer.text(), "act_mem=4096,wei_mem=1408,stream=1", tmp_path)
    strips = len(calls_of(found, "input_fetcher"))
    assert strips > 1
    loads = [op for op in ops_nested_in(found.planned) if isinstance(op, accel.MoveOp)]
    sizes = [load.source.type.shape[0] for load in loads if len(load.source.type.shape) == 6]
    assert sum(sizes) == strips * 3
    # The stage says when; no copy is left to the assignment, which does not know how much fits.
    whys = [copy.why for copy in found.plan.copies if copy.target == "wei_mem"]
    assert not any(why.startswith("copy for") for why in whys)
    assert found.plan.peak("wei_mem") <= 1408
    (expected,) = run_host(layer.text(), layer.source())
    np.testing.assert_array_equal(found.run(layer.source(), engine="emulator"), expected)


def test_less_than_a_column_of_16_channels_is_refused(tmp_path: Path) -> None:
    """3x3 positions of two blocks, and one position of one."""
    layer = Layer(size=(3, 4), depth=20)
    with pytest.raises(
        forebay.Error,
        match="one column of 16 channels of this layer needs 304 bytes of act_mem, but 303 are "
        "free; give act_mem more, or leave the operator to the host",
    ):
        compiled(layer.text(), "act_mem=303", tmp_path)
    found = compiled(layer.text(), "act_mem=304", tmp_path)
    assert found.plan.peak("act_mem") == 304
