"""Networks on boards: bits, places, counts and what is said when something is wrong."""

import importlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common import networks
from common.programs.pool_chain import pool_chain
from common.sweep import sweep
from msgspec import structs

import forebay
from forebay.cli import main as cli
from forebay.formats.reading import read_document
from forebay.formats.writing import json_text
from forebay.mcu import Board, McuError, McuReport, MismatchError, ToolError, boards, measure
from forebay.mcu.image.elf import read_elf
from forebay.mcu.image.program import write_main
from forebay.mcu.run.golden import drawn_golden, with_golden
from forebay.mcu.tools import missing
from forebay.network.arrays import read_golden
from forebay.network.model import GoldenStep
from forebay.network.names import naming_of
from forebay.pools import PoolKind

NETWORKS = ["kws_dscnn_int8", "ad01_int8", "person_detect_int8", "resnet8_int8"]
TWO_POOLS = """
from forebay.targets import Device, Pool, Target

TARGET = Target(
    name="two",
    devices=(Device("cpu", kind="cpu", host=True),),
    pools=(
        Pool("dtcm", "workspace", capacity=2048),
        Pool("sram", "workspace", section=".bss.sram"),
        Pool("weights", "constant"),
        Pool("tables", "constant", fill="at_init"),
    ),
)
"""


AT_BASES = """
from forebay.targets import Device, Pool, Target

TARGET = Target(
    name="fixed",
    devices=(Device("cpu", kind="cpu", host=True),),
    pools=(
        Pool("tcm", "workspace", capacity=4096, base=WORKSPACE, start=64),
        Pool("flash", "constant", base=CONSTANTS, FILL),
    ),
)
"""


def at_bases(
    digits: Path, directory: Path, fill: str, base: int, constants: int = 0x3810_0000
) -> forebay.Compiled:
    target = directory / "fixed.py"
    text = AT_BASES.replace("FILL", fill).replace("WORKSPACE", hex(base))
    target.write_text(text.replace("CONSTANTS", hex(constants)))
    return forebay.compile(digits, target=str(target))


@pytest.fixture(scope="module")
def compiled(digits: Path) -> forebay.Compiled:
    return networks.compiled(digits)


@pytest.fixture(scope="module")
def golden(compiled: forebay.Compiled) -> tuple[GoldenStep, ...]:
    return drawn_golden(compiled, 2)


@pytest.fixture(scope="module")
def report(compiled: forebay.Compiled, board: Board, golden: tuple[GoldenStep, ...]) -> McuReport:
    return measure(compiled, board, golden=golden)


def test_every_output_is_the_golden_one(report: McuReport) -> None:
    assert [(it.step, it.output) for it in report.outputs] == [(0, "scores"), (1, "scores")]
    assert all(it.hash == it.expected for it in report.outputs)
    assert len({it.hash for it in report.outputs}) == 2


def test_every_operator_has_code_and_instructions(report: McuReport) -> None:
    operators = [it for it in report.functions if it.operator is not None]
    assert [it.kind for it in operators[:4]] == ["CONV_2D", "DEPTHWISE_CONV_2D", "CONV_2D", "ADD"]
    # 8x8 positions of 16 channels: a window of 9, or of 16, with a load and a sum at the least
    assert min(operators[0].instructions) > 8 * 8 * 16 * 4 * 2
    for operator in operators:
        assert operator.code > 0
        assert min(operator.instructions) > 0


def test_the_operators_of_a_function_in_a_loop_over_rows_have_their_own_instructions(
    tmp_path: Path, m55: Board
) -> None:
    """Their calls alternate; each computes the same rows, of other values, without a branch."""
    (tmp_path / "net.mlir").write_text(pool_chain(5))
    compiled = forebay.compile(tmp_path / "net.mlir", budget="min")
    assert [len(operators) for operators in compiled.functions.values()] == [1, 3, 1]
    functions = measure(compiled, m55).functions
    first, *others = (it.instructions[0] for it in functions if it.operator in {1, 2, 3})
    assert others == [first, first]


def test_counts_are_the_same_every_time(
    compiled: forebay.Compiled, board: Board, golden: tuple[GoldenStep, ...], report: McuReport
) -> None:
    assert measure(compiled, board, golden=golden) == report


def test_the_stack_stays_below_its_bound(report: McuReport) -> None:
    assert report.stack.bound is not None
    assert 0 < report.stack.used <= report.stack.bound < 512


def test_what_is_written_is_read_again(report: McuReport) -> None:
    assert read_document(json_text(report), McuReport) == report


def test_pools_lie_in_the_memories_asked_for(compiled: forebay.Compiled, m55: Board) -> None:
    found = measure(compiled, m55, pools={"workspace": "sram", "weights": "ddr"})
    places = {pool.name: pool.address for pool in found.pools}
    assert m55.memory("sram").holds(places["workspace"])
    assert m55.memory("ddr").holds(places["weights"])


def test_the_touched_bytes_of_a_pool_are_those_of_the_board(report: McuReport) -> None:
    assert report.pools[0].guards == 128
    touched = {pool.name: (pool.touched, pool.size) for pool in report.pools}
    end, size = touched["workspace"]
    # The planner puts the end of a buffer, which the run writes, at the end of the pool.
    assert end == size > 0
    assert touched["weights"][0] is None


@pytest.mark.parametrize("byte", ["guard_below_workspace_end[-1]", "guard_above_workspace[0]"])
def test_a_write_next_to_a_pool_is_found(
    byte: str,
    compiled: forebay.Compiled,
    m55: Board,
    golden: tuple[GoldenStep, ...],
    monkeypatch: Any,
) -> None:
    def spoiled(*arguments: Any) -> str:
        text = write_main(*arguments)
        assert text.count("    report_guard(") == 1
        return text.replace("    report_guard(", f"    {byte} ^= 1u;\n    report_guard(")

    monkeypatch.setattr("forebay.mcu.run.measure.write_main", spoiled)
    with pytest.raises(McuError, match="outside of pool 'workspace': 1 of 128 bytes around it"):
        measure(compiled, m55, golden=golden)


def test_rows_of_an_input_are_handed_in_on_a_board(digits: Path, board: Board) -> None:
    found = measure(networks.compiled(digits, budget="min", input_rows=("image",)), board)
    assert [it.hash for it in found.outputs] == [it.expected for it in found.outputs]
    assert found.stack.bound is not None
    assert found.stack.used <= found.stack.bound


def test_pools_of_a_target_lie_in_dtcm_and_sram(digits: Path, m55: Board, tmp_path: Path) -> None:
    target = tmp_path / "two.py"
    target.write_text(TWO_POOLS)
    compiled = forebay.compile(digits, target=str(target), constant_pools=["stem/bias=tables"])
    found = {pool.name: pool for pool in measure(compiled, m55).pools}
    assert found["dtcm"].size == 2048
    assert m55.memory("dtcm").holds(found["dtcm"].address, 2048)
    assert found["sram"].section == ".bss.sram"
    assert m55.memory("sram").holds(found["sram"].address)
    assert m55.memory("qspi").holds(found["weights"].address)


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


def wrong(golden: tuple[GoldenStep, ...]) -> tuple[GoldenStep, ...]:
    (scores,) = golden[1].outputs
    other = scores.copy()
    other[0, 7] ^= 1
    return (golden[0], structs.replace(golden[1], outputs=(other,)))


def test_a_wrong_golden_is_found(
    compiled: forebay.Compiled, board: Board, golden: tuple[GoldenStep, ...]
) -> None:
    message = "digits_int8: inference 1, output 'scores': element 7 on the board is not the golden"
    with pytest.raises(MismatchError, match=f"^{message} one$"):
        measure(compiled, board, golden=wrong(golden))


def test_hashes_are_compared_with_the_goldens_again(
    compiled: forebay.Compiled, m55: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("forebay.mcu.run.compare")
    monkeypatch.setattr(module, "expected_hashes", lambda model: {(0, 0): 1})
    with pytest.raises(MismatchError, match="the board's hash is not the golden one"):
        measure(compiled, m55)


def test_a_run_above_its_bound_fails(
    compiled: forebay.Compiled, m55: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 300 for the whole program, with 256 for an exception, is enough to run on
    bound = {"start": 300, "digits_int8_run": 100}
    module = importlib.import_module("forebay.mcu.run.measure")
    monkeypatch.setattr(module, "stack_of_function", lambda graph, name: bound[name])
    message = r"^digits_int8_run took [12]\d\d bytes of stack; its bound is 100$"
    with pytest.raises(McuError, match=message):
        measure(compiled, m55)


def test_pools_hold_a_pattern_before_the_first_inference(
    compiled: forebay.Compiled, golden: tuple[GoldenStep, ...]
) -> None:
    model = with_golden(compiled.info, golden)
    main = write_main(model, naming_of(model), {}).partition("int main(void)")[2]
    fill = "memset(digits_int8_default_pools.workspace, 0xA5, DIGITS_INT8_WORKSPACE_SIZE);"
    assert main.index(fill) < main.index("run_step0()") < main.index("run_step1()")


def small(board: Board, size: int) -> Board:
    memories = [replace(m, size=size) if m.name == board.data else m for m in board.memories]
    homes = {**board.homes, PoolKind.workspace: (board.data,)}
    return replace(board, memories=tuple(memories), homes=homes)


def test_a_pool_that_is_too_large_fails_the_link(compiled: forebay.Compiled, m55: Board) -> None:
    with pytest.raises(McuError) as caught:
        measure(compiled, small(m55, 2048))
    head, holds, lacks = str(caught.value).splitlines()
    assert head == "the image does not fit:"
    found = re.fullmatch(
        r"memory 'dtcm' has 2,048 bytes and must hold pool 'workspace' 3,072, stack (\d+), .data, "
        ".bss: move a pool by --pool NAME=MEMORY",
        holds,
    )
    assert found is not None
    assert lacks == (
        f"memory 'dtcm' of mps3-an547 (2,048 bytes) is {contents(int(found[1])) - 2048:,} bytes "
        "too small for what is linked into it"
    )


def contents(stack: int) -> int:
    """Return the bytes of the DTCM that the network takes: stack, workspace and outputs."""
    return stack + 3072 + 10


def test_the_smallest_memory_that_holds_all_is_enough(
    compiled: forebay.Compiled, m55: Board, golden: tuple[GoldenStep, ...], tmp_path: Path
) -> None:
    measure(compiled, m55, golden=golden, directory=tmp_path / "out")
    script = (tmp_path / "out" / "board.ld").read_text()
    stack = re.search(r"stack (\d+)", script)
    assert stack is not None
    least = contents(int(stack[1]))
    measure(compiled, small(m55, least), golden=golden)
    with pytest.raises(McuError, match="is 1 bytes too small"):
        measure(compiled, small(m55, least - 1), golden=golden)


def test_code_that_is_too_large_fails_the_link(compiled: forebay.Compiled, m55: Board) -> None:
    memories = [replace(m, size=1024) if m.name == "itcm" else m for m in m55.memories]
    with pytest.raises(McuError, match=r"memory 'itcm' of mps3-an547 \(1,024 bytes\) is [\d,]+ b"):
        measure(compiled, replace(m55, memories=tuple(memories)))


def test_the_command_prints_and_writes_the_report(
    digits: Path, m55: Board, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, written = tmp_path / "out", tmp_path / "report.json"
    arguments = ["mcu", str(digits), "--board", m55.name, "-o", str(out), "--json", str(written)]
    assert cli.main(arguments) == 0
    printed = capsys.readouterr().out
    found = json.loads(written.read_text())
    assert found["format"] == "forebay-mcu-report"
    assert f"{found['code']:,}" in printed and f"{found['instructions'][0]:,}" in printed
    assert {"board.ld", "main.c", "digits_int8.elf"} <= {path.name for path in out.iterdir()}
    assert "references" not in printed
    assert cli.main(arguments) == 0  # its own directory is replaced


def test_the_command_says_that_devices_ran_as_references(
    digits: Path, m55: Board, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["mcu", str(digits), "--board", m55.name, "--target", "cmsis_nn:extension=mve"]
    assert cli.main(arguments) == 0
    assert "cmsis_nn ran as references in portable C" in capsys.readouterr().out


def test_the_command_fails_for_a_wrong_golden(
    digits: Path,
    m55: Board,
    golden: tuple[GoldenStep, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "golden.npz"
    arrays = {}
    for index, step in enumerate(wrong(golden)):
        arrays |= {f"in{index}_0": step.inputs[0], f"out{index}_0": step.outputs[0]}
    np.savez(path, **arrays)
    assert cli.main(["mcu", str(digits), "--board", m55.name, "--golden", str(path)]) == 1
    assert "element 7 on the board is not the golden one" in capsys.readouterr().err


def test_a_foreign_directory_is_left_alone(
    digits: Path, m55: Board, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    assert cli.main(["mcu", str(digits), "--board", m55.name, "-o", str(tmp_path)]) == 1
    assert "was not written by forebay" in capsys.readouterr().err
    assert (tmp_path / "mine.txt").read_text() == "keep"


def test_a_pool_option_without_a_memory_is_refused(
    digits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["mcu", str(digits), "--board", "mps3-an547", "--pool", "workspace"]) == 1
    assert "write NAME=MEMORY, for example --pool workspace=sram" in capsys.readouterr().err


def test_pools_lie_at_their_bases(digits: Path, m55: Board, tmp_path: Path) -> None:
    """Workspace in the middle of the DTCM, constants programmed into a flash."""
    compiled = at_bases(digits, tmp_path, "", 0x3002_0000)
    found = measure(compiled, m55, directory=tmp_path / "out")
    assert all(output.hash == output.expected for output in found.outputs)
    places = {pool.name: (pool.memory, pool.address) for pool in found.pools}
    assert places == {"tcm": ("dtcm", 0x3002_0040), "flash": ("qspi", 0x3810_0000)}
    symbols = {symbol.name for symbol in read_elf(tmp_path / "out" / "digits_int8.elf").symbols}
    assert "image_of_flash" in symbols and not {"tcm", "flash", "digits_int8_flash"} & symbols


@pytest.mark.parametrize("fill", ["at_init", "by_host"])
def test_constants_at_a_base_are_put_there_at_run_time(
    digits: Path, m55: Board, tmp_path: Path, fill: str
) -> None:
    """In the SRAM; the workspace is at the beginning of a memory, where the stack would be."""
    compiled = at_bases(digits, tmp_path, f"fill='{fill}'", 0x3000_0000, 0x1100_0000)
    found = measure(compiled, m55)
    assert all(output.hash == output.expected for output in found.outputs)
    assert {pool.address for pool in found.pools} == {0x3000_0040, 0x1100_0000}


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (
            (0x4000_0000, {}),
            r"pool 'tcm' is at \[0x40000040, 0x\w+\), in none of the memories of mps3",
        ),
        ((0x3002_0000, {"tcm": "sram"}), r"--pool tcm=sram: .* of 'dtcm' by its target"),
        (
            (0x1000_0000, {}),
            r"pool 'tcm' .* is at 0x10000040 by its target, but memory 'itcm' is taken",
        ),
    ],
)
def test_a_base_that_the_board_does_not_have(
    digits: Path, m55: Board, tmp_path: Path, case: tuple[int, dict[str, str]], message: str
) -> None:
    base, pools = case
    with pytest.raises(McuError, match=message):
        measure(at_bases(digits, tmp_path, "", base), m55, pools=pools)
