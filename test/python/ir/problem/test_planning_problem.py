"""Planning problems as IR: every problem can be written, and says the same when it is read."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from mlir import ir

from forebay.ir.problem.planning_problem import problem_of_op, problems_in
from forebay.ir.problem.planning_problem_files import (
    problem_text,
    read_problem_file,
    write_problem_file,
)
from forebay.planning import (
    Buffer,
    ByteRange,
    FormatError,
    Interval,
    Kind,
    Pool,
    Problem,
    Separation,
    live,
    plan,
)
from forebay.planning import (
    read_problem as read_other,
)
from forebay.pools import PoolKind

FULL = Problem(
    pools=(
        Pool(
            "fast",
            capacity=128,
            alignment=16,
            reserved=(ByteRange(64, 80),),
            start=32,
            base=64,
            unit=16,
            cost=3,
            weight=0,
            banks=4,
        ),
        Pool("slow", capacity=None, alignment=1),
        Pool("rom", PoolKind.constant, capacity=0),
    ),
    buffers=(
        Buffer("a/b:0", 8, live(0, 2), ("fast", "slow"), 64, costs=(1, 7), origin="net:3"),
        Buffer("b", 2**62, (Interval(0, 1), Interval(2, 3)), ("slow",), alias="tied"),
        Buffer("c", 8, (), ("fast", "slow"), kind=Kind.STATE, pinned_pool="slow", pinned_by=("x",)),
        Buffer("d", 8, live(0, 1), ("fast",), pinned_pool="fast", pinned_offset=32),
        Buffer("e", 8, live(0, 1), ("slow",), kind=Kind.OUTPUT, alias="tied"),
        Buffer("f", 8, live(0, 1), ("slow",), block="rows", block_offset=64),
        Buffer("w", 8, (), ("rom",), kind=Kind.CONSTANT),
        Buffer("i", 8, live(0, 1), ("fast",), kind=Kind.INPUT),
    ),
    conflicts=(("a/b:0", "b"), ("c", "d")),
    steps=("conv", "add"),
    name="full",
    separations=(Separation("a/b:0", "b", 3), Separation("b", "c", 0, 5)),
)


def again(problem: Problem) -> Problem:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(problem_text(problem))
        (found,) = problems_in(module.operation)
        return problem_of_op(found)


def test_everything_that_a_problem_says_survives():
    assert again(FULL) == FULL


def test_a_buffer_with_the_name_of_a_pool_gets_a_number():
    buffers = (Buffer("ram", 8, live(0, 1), ("ram",)), Buffer("a", 8, live(0, 1), ("ram",)))
    problem = Problem((Pool("ram"),), buffers, (("a", "ram"),), name="p")
    found = again(problem)
    assert [b.name for b in found.buffers] == ["ram_2", "a"]
    assert found.conflicts == (("a", "ram_2"),)


def test_reserved_ranges_are_merged_and_cut_at_the_capacity():
    pool = Pool("ram", capacity=64, reserved=(ByteRange(60, 90), ByteRange(0, 8), ByteRange(4, 16)))
    found = again(Problem((pool,), (), name="p"))
    assert found.pools[0].reserved == (ByteRange(0, 16), ByteRange(60, 64))


def test_an_offset_pinned_in_the_only_candidate_names_its_pool():
    problem = Problem((Pool("ram"),), (Buffer("a", 8, (), ("ram",), pinned_offset=4),), name="p")
    (buffer,) = again(problem).buffers
    assert (buffer.pinned_pool, buffer.pinned_offset) == ("ram", 4)


def test_the_text_holds_the_plan():
    problem = Problem((Pool("ram"),), (Buffer("a", 8, live(0, 1), ("ram",)),), name="p")
    assert problem_text(problem, plan(problem, "first-fit")) == (
        "memref_pool.problem @p {\n"
        '  memref_pool.pool @ram workspace align 1 certificate <planner = "first-fit", '
        'peak = 8, lower_bound = 8, proof = "largest buffer", live = ["a"]>\n'
        "  memref_pool.buffer @a workspace size 8 live [0, 1] in [@ram] at <@ram, 0>\n"
        "}\n"
    )


@pytest.mark.parametrize("suffix", [".mlir", ".json"])
def test_a_file_holds_a_problem(tmp_path: Path, suffix: str):
    file = tmp_path / f"case{suffix}"
    write_problem_file(FULL, file)
    if suffix == ".mlir":
        assert read_problem_file(file) == FULL
    else:
        without_kinds = tuple(replace(pool, kind=PoolKind.workspace) for pool in FULL.pools)
        assert read_other(file) == replace(FULL, pools=without_kinds)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("memref_pool.problem @p {", ":1:23: expected operation name in quotes"),
        (
            "memref_pool.problem @p {\n  memref_pool.buffer @a workspace size 0 in [@q]\n}",
            ":2:3: 'memref_pool.buffer' op size must be at least 1, but is 0",
        ),
        ("", ": needs one memref_pool.problem, has none; forebay-opt"),
        (
            "memref_pool.problem @p {}\nmemref_pool.problem @q {}",
            ": needs one memref_pool.problem, has @p, @q; forebay-opt",
        ),
        ("\udc80", ": not UTF-8 text"),
    ],
)
def test_a_wrong_file_is_refused_at_its_line(tmp_path: Path, text: str, message: str):
    file = tmp_path / "case.mlir"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(FormatError) as refusal:
        read_problem_file(file)
    assert str(refusal.value).startswith(f"{file}{message}")


def test_a_missing_file_is_refused(tmp_path: Path):
    with pytest.raises(FormatError, match="No such file or directory"):
        read_problem_file(tmp_path / "absent.mlir")


def test_a_problem_is_written_to_known_suffixes_only(tmp_path: Path):
    with pytest.raises(FormatError, match=r"a problem is written as one of \.mlir, \.csv, \.json"):
        write_problem_file(replace(FULL, pools=()), tmp_path / "case.txt")


def test_planning_imports_no_mlir():
    script = (
        "import sys, forebay.planning, forebay.planning.picture, forebay.cli.commands.plan\n"
        "print([name for name in sys.modules if name.split('.')[0] == 'mlir'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
