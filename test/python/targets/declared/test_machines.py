"""Machines unlike the shipped ones, described by declared intrinsics only, in memories of any size.

A convolution engine with one queue, a unit with partial sums in main memory and a DMA of blocks,
and a unit in rows without queues.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import forebay

MACHINES = Path(__file__).parents[3] / "common" / "machines"


def compiled(machine: str, name: str, models: Path) -> forebay.Compiled:
    file, _, parameters = machine.partition(":")
    target = f"{MACHINES / file}.py:{parameters}".removesuffix(":")
    return forebay.compile(models / f"{name}.tflite", target=target)


def require_bits(found: forebay.Compiled, name: str, models: Path) -> None:
    """Three engines give TFLite Micro's bits."""
    golden = np.load(models / "golden" / "tflm" / f"{name}.npz")
    for engine in ("emulator", "c", "llvm"):
        np.testing.assert_array_equal(found.run(golden["in0_0"], engine=engine), golden["out0_0"])


def calls(found: forebay.Compiled, name: str, models: Path) -> dict[str, int]:
    golden = np.load(models / "golden" / "tflm" / f"{name}.npz")
    machine = found.emulator()
    machine.run([golden["in0_0"]])
    return dict(machine.report.calls)


@pytest.mark.parametrize("machine", ["product_unit:tcm=8192", "product_unit:tcm=4608,depth=64"])
def test_partial_sums_of_a_cut_reduction_are_in_main_memory(
    machine: str, shared_models: Path
) -> None:
    """Depths of 640 and 128 in parts of 128 or 64; what has no whole blocks is the host's."""
    found = compiled(machine, "ad01_int8", shared_models)
    require_bits(found, "ad01_int8", shared_models)
    counts = calls(found, "ad01_int8", shared_models)
    assert min(counts[f"@unit.{part}"] for part in ("first", "middle", "last")) > 0
    assert found.offload.share_of_macs("unit") > 0.99


def test_a_dma_moves_whole_blocks_only(shared_models: Path) -> None:
    """The layer of 8 columns has 32 bytes of bias, the next one an input of 8."""
    found = compiled("product_unit:tcm=8192", "ad01_int8", shared_models)
    missed = [own.reasons for own in found.offload.operators if own.device == "cpu"]
    assert missed == [
        ("unit.whole needs bias of a multiple of 64 bytes (read)",),
        ("unit.whole needs x of a multiple of 64 bytes (read)",),
    ]
    with pytest.raises(forebay.Error, match="needs 4,480 bytes of tcm, but 4,096 are free"):
        compiled("product_unit:tcm=4096", "ad01_int8", shared_models)


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["product_unit:tcm=2048,depth=64,granule=1"])
def test_parts_of_a_reduction_without_blocks(machine: str, shared_models: Path) -> None:
    require_bits(compiled(machine, "ad01_int8", shared_models), "ad01_int8", shared_models)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("machine", "name"),
    [
        ("column_engine:weights=16384,image=4096", "resnet8_int8"),
        ("column_engine:weights=8192,image=4096,rank=2", "resnet8_int8"),
        ("column_engine:weights=4096,image=4096", "kws_dscnn_int8"),
        ("pool_unit:memory=4160", "resnet8_int8"),
        ("pool_unit:memory=2080,most=4", "resnet8_int8"),
        ("pool_unit:memory=65536,rank=1", "kws_dscnn_int8"),
    ],
)
def test_networks_have_the_bits_of_tflite_micro(
    machine: str, name: str, shared_models: Path
) -> None:
    require_bits(compiled(machine, name, shared_models), name, shared_models)


def test_a_transfer_of_two_dimensions_cuts_the_channels_of_whole_images(
    shared_models: Path,
) -> None:
    """The mean of 8x8x64: 32 channels of all pixels are 64 runs of 32 bytes."""
    found = compiled("pool_unit:memory=2080", "resnet8_int8", shared_models)
    assert calls(found, "resnet8_int8", shared_models)["@unit.mean"] == 2
    require_bits(found, "resnet8_int8", shared_models)


def test_a_transfer_of_two_dimensions_cuts_channels_in_place_of_columns(
    shared_models: Path,
) -> None:
    """The weights of 64 channels take 37 KiB, so results are cut in channels; 8 KiB are enough."""
    found = compiled("column_engine:weights=8192,image=4096,rank=2", "resnet8_int8", shared_models)
    assert found.offload.share_of_macs("engine") > 0.99
    assert found.plan.peak("weights") <= 8192


def test_a_dimension_that_no_transfer_cuts_keeps_the_limit_of_calls(tmp_path: Path) -> None:
    """Calls pool at most 4 of 8 columns; a DMA of one dimension would bring all 8 at once.

    Single rows of results still have windows of two rows, which are two runs.
    """
    text = """
    func.func @main(%x: tensor<1x8x16x64xi8>) -> tensor<1x4x8x64xi8> {
      %y = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>,
        pad = array<i64: 0, 0, 0, 0>} : (tensor<1x8x16x64xi8>) -> tensor<1x4x8x64xi8>
      return %y : tensor<1x4x8x64xi8>
    }"""
    model = tmp_path / "pool.mlir"
    model.write_text(text, encoding="utf-8")
    message = (
        "a call of 'most' takes at most 4 of the 8 in 'y_width', but no transfer moves such a part "
        "of each operand; declare transfers of a higher rank"
    )
    with pytest.raises(forebay.Error, match=message):
        forebay.compile(model, target=f"{MACHINES / 'pool_unit.py'}:memory=65536,most=4,rank=1")
    found = forebay.compile(model, target=f"{MACHINES / 'pool_unit.py'}:memory=65536,most=4,rank=2")
    x = np.random.default_rng(3).integers(-128, 128, (1, 8, 16, 64), dtype=np.int8)
    expected = x.reshape(1, 4, 2, 8, 2, 64).max(axis=(2, 4))
    np.testing.assert_array_equal(found.run(x, engine="emulator"), expected)
