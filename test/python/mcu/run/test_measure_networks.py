"""Networks on boards: their bits, and what a processor or a budget costs."""

from pathlib import Path

import numpy as np
import pytest
from common import networks
from common.sweep import sweep

import forebay
from forebay.mcu import Board, McuError, ToolError, boards, measure
from forebay.mcu.run.golden import drawn_golden
from forebay.mcu.tools import missing
from forebay.network.arrays import read_golden
from forebay.network.model import GoldenStep

NETWORKS = ["kws_dscnn_int8", "ad01_int8", "person_detect_int8", "resnet8_int8"]


def test_rows_of_an_input_are_handed_in_on_a_board(digits: Path, board: Board) -> None:
    found = measure(networks.compiled(digits, budget="min", input_rows=("image",)), board)
    assert [it.hash for it in found.outputs] == [it.expected for it in found.outputs]
    assert found.stack.bound is not None
    assert found.stack.used <= found.stack.bound


@pytest.mark.parametrize("cpu", sweep(["cortex-m55", "cortex-m4", "rv32imc"]))
def test_instructions_of_a_processor_have_the_bits_of_the_model(digits: Path, cpu: str) -> None:
    board = board_of(cpu)
    plain, fast = (networks.compiled(digits, cpu=name) for name in ("generic", cpu))
    golden = drawn_golden(plain, 2)
    costs = [measure(network, board, golden=golden).instructions[0] for network in (plain, fast)]
    assert costs[1] < costs[0]


def test_a_board_refuses_code_for_another_processor(digits: Path) -> None:
    network = forebay.compile(digits, cpu="cortex-m4")
    message = "board riscv-virt runs no code for CPU 'cortex-m4'; --cpu may be generic, rv32imc"
    with pytest.raises(McuError, match=message):
        measure(network, board_of("rv32imc"))


def board_of(cpu: str) -> Board:
    """The board whose processor it is; skips the test where its tools are missing."""
    names = {"cortex-m4": "mps2-an386", "cortex-m55": "mps3-an547", "rv32imc": "riscv-virt"}
    board = boards.load(names[cpu])
    packages = [tool.package for tool in missing(board)]
    if packages:
        pytest.skip(f"{board.name} needs the Debian packages {' '.join(packages)}")
    return board


def test_state_is_reset_and_kept(shared_models: Path, board: Board) -> None:
    compiled = networks.compiled(shared_models / "mww_vad_int8.tflite")
    with np.load(shared_models / "golden" / "tflm" / "mww_vad_int8_seq.npz") as sequence:
        steps = [GoldenStep((x,), (y,)) for x, y in zip(sequence["x"], sequence["y"], strict=True)]
    found = measure(compiled, board, golden=steps[:8])
    assert {it.kind for it in found.pools} == {"workspace", "constant", "state"}


@pytest.mark.parametrize("name", sweep(NETWORKS))
def test_shared_networks_equal_tflite_micro(name: str, shared_models: Path, board: Board) -> None:
    compiled = networks.compiled(shared_models / f"{name}.tflite")
    path = shared_models / "golden" / "tflm" / f"{name}.npz"
    golden = read_golden(path, compiled.inputs, compiled.outputs)
    found = measure(compiled, board, golden=golden[:2])
    assert [it.hash for it in found.outputs] == [it.expected for it in found.outputs]
    assert found.stack.bound is not None


@pytest.mark.parametrize("name", sweep(["resnet8_int8", "person_detect_int8"]))
def test_networks_run_at_their_smallest_budget(
    name: str, shared_models: Path, board: Board
) -> None:
    """Row by row, with TensorFlow Lite Micro's bits, in pools that are exactly that large."""
    path = shared_models / f"{name}.tflite"
    compiled, layers = networks.compiled(path, budget="min"), networks.compiled(path)
    golden = read_golden(
        shared_models / "golden" / "tflm" / f"{name}.npz", compiled.inputs, compiled.outputs
    )[:1]
    found, whole = measure(compiled, board, golden=golden), measure(layers, board, golden=golden)
    assert [it.hash for it in found.outputs] == [it.expected for it in found.outputs]
    (workspace,) = (pool for pool in found.pools if pool.kind == "workspace")
    assert workspace.size == compiled.plan.peak("workspace") < layers.plan.peak("workspace") / 4
    assert workspace.touched is not None
    assert workspace.guards == 128
    assert 0.9 * workspace.size < workspace.touched <= workspace.size
    assert found.instructions[0] < 1.15 * whole.instructions[0]
    assert found.stack.bound is not None and whole.stack.bound is not None
    assert found.stack.bound <= whole.stack.bound + 256


@pytest.mark.parametrize("name", sweep(["kws_dscnn_int8", "resnet8_int8", "person_detect_int8"]))
def test_rows_cost_few_instructions_at_twice_the_smallest_budget(
    name: str, shared_models: Path, board: Board
) -> None:
    if board.name != "mps2-an386":
        pytest.skip("the bound is that of a Cortex-M4")
    path = shared_models / f"{name}.tflite"
    least, layers = networks.compiled(path, budget="min"), networks.compiled(path)
    budget = f"workspace={2 * least.plan.peak('workspace')}"
    found = measure(networks.compiled(path, budget=budget), board)
    assert found.instructions[0] < 1.05 * measure(layers, board).instructions[0]


def test_a_float_network_runs_where_there_is_a_library(shared_models: Path, board: Board) -> None:
    compiled = networks.compiled(shared_models / "resnet8_float.tflite")
    golden = drawn_golden(compiled, 1)
    try:
        found = measure(compiled, board, golden=golden)
    except ToolError as error:
        assert "computes with functions of math.h" in str(error)
        hint = board.library or f"{board.name} runs networks of integers"
        assert str(error).endswith(hint)
        return
    assert found.outputs[0].expected is None
    assert found.stack.bound is None and "expf" in found.stack.reason
