"""Blocks and words that the model chooses for NEON, and the bits of networks with them."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from common.conv_layer import Layer
from common.model_file import T
from common.models.two_operands import EVERY_PAIR, binary
from common.tflite_reference import micro
from common.toolchain import STRICT_C99, require

import forebay
from forebay.cpus.cortex_a76 import CPU
from forebay.cpus.costs.blocks import cheapest_blocks
from forebay.cpus.costs.weighted_nest import WeightedNest
from forebay.network.model import GoldenStep
from forebay.regions import LoopNest, OperandAccess, induction_variables

COMPILER = "aarch64-linux-gnu-gcc"


def pointwise(pixels: int, channels: int, depth: int) -> WeightedNest:
    p, c, k = induction_variables(3)
    source = OperandAccess((pixels, depth), (p, k), clamped=True)
    weights = OperandAccess((channels, depth), (c, k), clamped=True)
    out = OperandAccess((pixels, channels), (p, c))
    nest = LoopNest((pixels, channels), (depth,), (source, weights), (out,))
    return WeightedNest(nest, nest.inputs, (0, 0), words=(2,), stored=(1,))


@pytest.mark.parametrize(("depth", "lanes"), [(64, 16), (27, 16), (9, 9)])
def test_four_channels_are_requantised_at_once(depth: int, lanes: int) -> None:
    found = cheapest_blocks(pointwise(64, 32, depth), CPU)
    assert (found.word, found.lanes, found.partial_sums) == (2, lanes, 4)
    assert (found.stored, found.stored_lanes, found.sizes[1] % 4) == (1, 4, 0)


@pytest.mark.parametrize("flags", [["-march=armv8.2-a+dotprod"], ["-march=armv8-a"]])
def test_a_network_has_its_bits_on_aarch64(digits: Path, tmp_path: Path, flags: list[str]) -> None:
    project = forebay.compile(digits, cpu="cortex-a76").write(tmp_path / "out")
    run_self_test(project, [*STRICT_C99, "-O2", *flags])


@pytest.mark.parametrize("pad", [(0, 0, 0, 0), (1, 1, 2, 2)])
def test_four_elements_behind_whole_words_are_a_word(
    tmp_path: Path, pad: tuple[int, int, int, int]
) -> None:
    """The columns and channels of a window are a run of 20 elements."""
    (tmp_path / "layer.mlir").write_text(Layer(depth=4, kernel=(3, 5), pad=pad).text())
    compiled = forebay.compile(tmp_path / "layer.mlir", cpu="cortex-a76")
    project = compiled.write(tmp_path / "out")
    assert "forebay_dots_i32x4_i8x4(" in (project / "layer.c").read_text()
    run_self_test(project, [*STRICT_C99, "-O2", "-march=armv8.2-a+dotprod"])


def test_an_object_has_its_bits_on_aarch64(digits: Path, tmp_path: Path) -> None:
    compiled = forebay.compile(digits, cpu="cortex-a76")
    project = compiled.write(tmp_path / "out", emit="obj", triple="aarch64-linux-gnu")
    (network,) = project.glob("*_network.o")
    run_self_test(project, [str(network)])
    text = compiled.write(tmp_path / "text", emit="llvm", triple="aarch64-linux-gnu")
    (file,) = text.glob("*_network.ll")
    for name in ("sdot.v4i32.v16i8", "sqrdmulh.v4i32", "srshl.v4i32"):
        assert f"@llvm.aarch64.neon.{name}" in file.read_text()


@pytest.mark.parametrize("name", ["ADD", "SUB", "MUL"])
@pytest.mark.parametrize("zero_point", [5, -128])
def test_every_pair_of_elements_has_its_bits_on_aarch64(
    tmp_path: Path, name: str, zero_point: int
) -> None:
    """Eight elements at once, and three behind them; a limit replaces results below -128."""
    scales = ((0.0613, -3), (0.0171, 4), (0.0777, zero_point))
    x, y, out = (T((65536 + 3,), "int8", *own) for own in scales)
    file = binary(name, x, y, out)
    (tmp_path / "network.tflite").write_bytes(file)
    inputs = [np.concatenate([own.ravel(), own.ravel()[:3]]) for own in EVERY_PAIR]
    compiled = forebay.compile(tmp_path / "network.tflite", cpu="cortex-a76")
    golden = [GoldenStep(tuple(inputs), tuple(micro(file, inputs)))]
    project = compiled.write(tmp_path / "out", golden=golden)
    assert "forebay_store_rescaled_i32x8" in (project / "network.c").read_text()
    run_self_test(project, [*STRICT_C99, "-O2", "-march=armv8-a"])
    project = compiled.write(
        tmp_path / "object", golden=golden, emit="obj", triple="aarch64-linux-gnu"
    )
    run_self_test(project, [str(next(project.glob("*_network.o")))])


def run_self_test(project: Path, arguments: list[str]) -> None:
    sources = [str(own) for own in project.glob("*.c")]
    command = [require(COMPILER), *arguments, *sources, "-static", "-lm", "-o", "selftest"]
    subprocess.run(command, cwd=project, check=True)
    done = subprocess.run(
        [require("qemu-aarch64"), "-cpu", "max", "./selftest"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "all outputs are as expected" in done.stdout) == (0, True)
