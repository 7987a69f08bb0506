"""The calls of the library in C: on boards, with its statuses, and bytes around its buffers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from common import networks
from common.drivers.kernel_library import run_on_board
from mlir import ir
from zoo.layers import Net

import forebay
from forebay.api.target import Emit
from forebay.mcu import Board
from forebay.targets import Operand, Pool, Target, load
from forebay.targets.cmsis_nn import patterns
from forebay.targets.cmsis_nn.intrinsics import WITH_CONTEXT

BOARDS = pytest.mark.parametrize(
    ("board", "extension"),
    [("mps2-an386", "dsp"), ("mps3-an547", "mve")],
    indirect=["board"],
)


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    """A convolution that needs a context buffer."""
    net = Net(6)
    x = net.value((1, 6, 6, 3), 1.0, "x", 3)
    y = net.conv(x, 4, 3)
    path = tmp_path / "layer.tflite"
    path.write_bytes(net.file([x], [y]))
    return path


def with_scratch(extension: str) -> Target:
    """The target with a pool for context buffers alone, behind which there are guard bytes."""
    target = load(f"cmsis_nn:extension={extension}")
    host, device = target.devices
    names = (host.name, device.name)
    own = tuple(
        replace(it, operands=tuple(map(_in_scratch, it.operands))) for it in device.intrinsics
    )
    pools = (*target.pools, Pool("scratch", readers=names, writers=names))
    return replace(target, devices=(host, replace(device, intrinsics=own)), pools=pools)


def _in_scratch(operand: Operand) -> Operand:
    return replace(operand, pools=("scratch",)) if operand.name == "context" else operand


def smaller_context(missing: int) -> Callable[[patterns.Call, ir.Value, Emit], ir.Value]:
    """A `build` with a buffer of so many bytes less than the library is told."""

    def build(call: patterns.Call, result: ir.Value, emit: Emit) -> ir.Value:
        byte = ir.IntegerType.get_signless(8)
        context = ir.RankedTensorType.get([call.context_bytes - missing], byte)
        scalars = {**call.scalars, "context_bytes": call.context_bytes}
        outs = [result.type, context]
        return emit.call_all(call.name + WITH_CONTEXT, call.inputs, outs, **scalars)[0]

    return build


@BOARDS
def test_digits_run_on_boards(board: Board, extension: str, digits: Path, tmp_path: Path) -> None:
    network = networks.compiled(digits, target=f"cmsis_nn:extension={extension},sums=run")
    images = np.load(digits.with_name("digits_heldout.npz"))
    values = images["inputs"][0], images["outputs"][0]
    assert run_on_board(board, network, extension, values, tmp_path) == 0


@pytest.mark.slow
@BOARDS
def test_guard_bytes_find_a_context_buffer_that_is_a_byte_too_small(
    board: Board, extension: str, layer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.random.default_rng(0).integers(-128, 128, (1, 6, 6, 3), dtype=np.int8)
    values = x, forebay.compile(layer).run(x)
    results: list[int] = []
    for missing in (0, 1):
        monkeypatch.setattr(patterns.Call, "build", smaller_context(missing))
        network = forebay.compile(layer, target=with_scratch(extension))
        assert network.plan.peak("scratch") == (112, 128)[extension == "mve"] - missing
        folder = tmp_path / f"missing{missing}"
        results.append(run_on_board(board, network, extension, values, folder))
    assert results == [0, 3]


def test_what_the_functions_return_is_the_status(layer: Path, tmp_path: Path) -> None:
    network = forebay.compile(layer, target="cmsis_nn:extension=dsp")
    text = (network.write(tmp_path / "out") / "layer_wrappers.c").read_text()
    assert '#include "layer_intrinsics.h"\n\n#include "arm_nnfunctions.h"\n' in text
    assert "    return (int32_t)arm_convolve_wrapper_s8(\n" in text


@pytest.mark.slow
@BOARDS
@pytest.mark.parametrize("name", ["kws_dscnn_int8", "ad01_int8", "person_detect_int8"])
def test_shared_networks_run_on_boards(
    board: Board, extension: str, name: str, shared_models: Path, tmp_path: Path
) -> None:
    golden = np.load(shared_models / "golden" / "tflm" / f"{name}.npz")
    path = shared_models / f"{name}.tflite"
    network = forebay.compile(path, target=f"cmsis_nn:extension={extension}")
    values = golden["in0_0"], golden["out0_0"]
    assert run_on_board(board, network, extension, values, tmp_path) == 0
