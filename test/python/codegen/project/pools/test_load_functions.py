"""Constants in the image, copied from there by a generated function, or put there by the host."""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from common.models.fully_connected import X
from common.toolchain import SANITIZERS, STRICT_C99, require_sanitizers
from mlir import ir
from msgspec import structs
from numpy.typing import NDArray

from forebay.codegen.project.project import project_files, write_project
from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine
from forebay.network.model import (
    BufferInfo,
    Fill,
    GoldenStep,
    ModelInfo,
)
from forebay.network.pool_images import pool_images

Network = tuple[ir.Module, ModelInfo]
Reference = Callable[[NDArray[np.int8]], NDArray[np.int8]]
FILLS = tuple(Fill)


def filled(network: Network, fill: Fill) -> Network:
    module, model = network
    workspace, weights = model.pools
    return module, dataclasses.replace(
        model, pools=(workspace, dataclasses.replace(weights, fill=fill))
    )


@pytest.mark.parametrize("fill", FILLS)
def test_every_engine_finds_its_constants(
    fully_connected: Network, reference: Reference, fill: Fill
) -> None:
    network = filled(fully_connected, fill)
    for engine in (CEngine(*network), LlvmEngine(*network)):
        np.testing.assert_array_equal(engine.run([X])[0], reference(X))


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_selftest_fills_pools_as_an_application_does(
    fully_connected: Network, reference: Reference, tmp_path: Path, fill: Fill, compiler: str
) -> None:
    module, model = filled(fully_connected, fill)
    model = dataclasses.replace(model, golden=(GoldenStep((X,), (reference(X),)),))
    directory = write_project(module, model, tmp_path / "out")
    sources = sorted(path.name for path in directory.glob("*.c"))
    command = [require_sanitizers(compiler), *STRICT_C99, *SANITIZERS, *sources, "-o", "selftest"]
    subprocess.run(command, cwd=directory, check=True)
    done = subprocess.run(
        ["./selftest"], cwd=directory, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "tiny_net: all outputs are as expected\n")


def test_cmake_tells_the_selftest_where_the_bytes_are(
    fully_connected: Network, reference: Reference, tmp_path: Path
) -> None:
    module, model = filled(fully_connected, Fill.by_host)
    model = dataclasses.replace(model, golden=(GoldenStep((X,), (reference(X),)),))
    directory = write_project(module, model, tmp_path / "out")
    build = tmp_path / "build"
    for command in (["cmake", "-S", directory, "-B", build], ["cmake", "--build", build]):
        subprocess.run(command, capture_output=True, check=True)
    done = subprocess.run([build / "tiny_net_selftest"], cwd=tmp_path, check=False)
    assert done.returncode == 0


def test_what_the_host_fills_is_a_file_and_no_part_of_the_image(
    fully_connected: Network, tmp_path: Path
) -> None:
    module, model = filled(fully_connected, Fill.by_host)
    directory = write_project(module, model, tmp_path / "out")
    names = {path.name for path in directory.iterdir()}
    assert "tiny_net_weights.c" not in names
    data = (directory / "tiny_net_weights.bin").read_bytes()
    assert data == pool_images(module, model)["weights"].tobytes()
    assert data[:12] == bytes([1, 2, 3, 4, 251, 6, 7, 8, 9, 10, 11, 127])
    assert np.frombuffer(data[16:32], "<i4").tolist() == [100, -200, 300, 4]


def test_code_trusts_no_value_of_constants_that_the_host_fills(fully_connected: Network) -> None:
    """Proofs that sums cannot overflow hold for the model's weights only."""
    known = project_files(*fully_connected)["tiny_net.c"]
    unknown = project_files(*filled(fully_connected, Fill.by_host))["tiny_net.c"]
    assert "acc += (in[n * 3 + k] - 3) * weights->w[c * 3 + k];" in known
    assert "acc = (int32_t)((uint32_t)acc +" in unknown


def test_the_header_says_who_fills_a_pool(fully_connected: Network) -> None:
    texts = {fill: project_files(*filled(fully_connected, fill))["tiny_net.h"] for fill in FILLS}
    assert "/* Constants weights: part of the image. In bytes. */" in texts[Fill.rom]
    assert (
        "tiny_net_status tiny_net_load_weights(const tiny_net_pools *pools);" in texts[Fill.at_init]
    )
    assert "which puts the bytes of\n   tiny_net_weights.bin there" in texts[Fill.by_host]
    assert "tiny_net_load_weights" not in texts[Fill.rom] + texts[Fill.by_host]


def test_the_header_says_whether_a_run_overwrites_an_input(context: ir.Context) -> None:
    from common.models.golden_c import COUNTER, FOLDER

    module = ir.Module.parse((FOLDER / "inputs" / "counter.mlir").read_text())
    beside = BufferInfo("t", "workspace", 8, 8, 1, 2, "int8", (8,))
    elsewhere = BufferInfo("t", "kept", 16, 4, 1, 2, "int8", (4,))
    upon = BufferInfo("t", "workspace", 7, 8, 1, 2, "int8", (8,))
    before = BufferInfo("t", "workspace", 0, 8, 1, 2, "int8", (8,))
    for start, other, said in (
        (0, beside, "Write this input before a run:\n"),
        (8, before, "Write this input before a run:\n"),
        (0, elsewhere, "Write this input before a run:\n"),
        (0, upon, "Write this input before each run:\n"),
        (8, upon, "Write this input before each run:\n"),
    ):
        own = structs.replace(COUNTER.buffers[0], offset=start)
        ports = (structs.replace(COUNTER.inputs[0], offset=start),)
        model = dataclasses.replace(COUNTER, inputs=ports, buffers=(own, other))
        assert said in project_files(module, model)["counter.h"]
