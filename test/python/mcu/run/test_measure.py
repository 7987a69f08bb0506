"""A network on boards: bits, counts, and what is said when something is wrong."""

import importlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from common import networks
from common.programs.pool_chain import pool_chain
from msgspec import structs

import forebay
from forebay.formats.reading import read_document
from forebay.formats.writing import json_text
from forebay.mcu import Board, McuError, McuReport, MismatchError, measure
from forebay.mcu.image.program import write_main
from forebay.mcu.run.golden import drawn_golden, with_golden
from forebay.network.model import GoldenStep
from forebay.network.names import naming_of
from forebay.pools import PoolKind


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
