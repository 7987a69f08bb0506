import subprocess
import sys

import pytest

from forebay.planning import (
    Buffer,
    ByteRange,
    Interval,
    Kind,
    Placement,
    Plan,
    Pool,
    Problem,
    live,
    plan,
    verify,
)
from forebay.planning.model import errors

HERE = ("ram",)
RAM = Pool("ram", capacity=100, alignment=4, start=4, reserved=(ByteRange(40, 48),))
BUFFERS = (
    Buffer("a", 8, live(0, 2), HERE),
    Buffer("b", 8, live(1, 3), HERE),
    Buffer("c", 8, live(2, 4), HERE, pinned_offset=24),
)


def judge(offsets: dict[str, int], *buffers: Buffer, conflicts=(), pool: Pool = RAM) -> None:
    problem = Problem((pool, Pool("rom")), buffers or BUFFERS, conflicts)
    problem.check()
    verify(Plan(problem, {n: Placement("ram", o) for n, o in offsets.items()}, "test"))


def test_a_correct_plan_passes():
    judge({"a": 4, "b": 12, "c": 24})


@pytest.mark.parametrize(
    ("offsets", "error", "message"),
    [
        ({"a": 4, "c": 24}, errors.MissingBufferError, "the plan forgets buffer 'b'"),
        (
            {"a": 4, "b": 12, "c": 24, "d": 0},
            errors.UnknownBufferError,
            "the plan places 'd', which the problem does not have",
        ),
        (
            {"a": 4, "b": 8, "c": 24},
            errors.OverlapError,
            "buffers 'b' at [8, 16) and 'a' at [4, 12) of pool 'ram' are live together "
            "and share bytes [8, 12)",
        ),
        (
            {"a": 4, "b": 14, "c": 24},
            errors.MisalignedError,
            "buffer 'b' at [14, 22) of pool 'ram' begins at address 14, not aligned to 4",
        ),
        (
            {"a": 0, "b": 12, "c": 24},
            errors.OutOfPoolError,
            "buffer 'a' at [0, 8) of pool 'ram' begins before the first usable byte 4",
        ),
        (
            {"a": 96, "b": 12, "c": 24},
            errors.OutOfPoolError,
            "buffer 'a' at [96, 104) of pool 'ram' ends 4 bytes above the capacity 100",
        ),
        (
            {"a": 36, "b": 12, "c": 24},
            errors.ReservedBytesError,
            "buffer 'a' at [36, 44) of pool 'ram' covers reserved bytes [40, 48)",
        ),
        (
            {"a": 4, "b": 12, "c": 28},
            errors.PinMovedError,
            "buffer 'c' is pinned to offset 24 of pool 'ram', not 28",
        ),
    ],
)
def test_a_wrong_plan_is_refused(offsets: dict[str, int], error: type[Exception], message: str):
    with pytest.raises(error) as refusal:
        judge(offsets)
    assert str(refusal.value) == message


def test_a_pool_that_is_no_candidate_is_refused():
    problem = Problem((RAM, Pool("rom")), BUFFERS[:1])
    with pytest.raises(errors.WrongPoolError) as refusal:
        verify(Plan(problem, {"a": Placement("rom", 0)}, "test"))
    assert str(refusal.value) == "buffer 'a' lies in pool 'rom'; its candidates are 'ram'"


def test_a_float_offset_is_refused():
    problem = Problem((RAM,), BUFFERS[:1])
    with pytest.raises(errors.OutOfPoolError):
        verify(Plan(problem, {"a": Placement("ram", 4.0)}, "test"))  # type: ignore[arg-type]


def test_a_long_range_under_a_short_one_is_found():
    # b lies inside a; c begins after b's end, still inside a
    buffers = (
        Buffer("a", 32, live(0, 9), HERE),
        Buffer("c", 4, live(3, 9), HERE),
    )
    with pytest.raises(errors.OverlapError):
        judge({"a": 4, "c": 32}, *buffers)


def test_a_buffer_reused_between_two_lives_of_another_passes_and_inside_one_does_not():
    a = Buffer("a", 8, (Interval(0, 2), Interval(5, 6)), HERE)
    judge({"a": 4, "b": 4}, a, Buffer("b", 8, live(2, 5), HERE))
    with pytest.raises(errors.OverlapError):
        judge({"a": 4, "b": 4}, a, Buffer("b", 8, live(2, 6), HERE))


def test_explicit_conflicts_are_obeyed():
    buffers = (Buffer("a", 8, candidates=HERE), Buffer("b", 8, candidates=HERE))
    judge({"a": 4, "b": 4}, *buffers)
    with pytest.raises(errors.OverlapError):
        judge({"a": 4, "b": 4}, *buffers, conflicts=(("a", "b"),))


def test_nothing_shares_bytes_with_a_constant():
    w = Buffer("w", 8, candidates=HERE, kind=Kind.CONSTANT)
    for other in (Buffer("a", 8, live(3, 4), HERE), Buffer("a", 8, candidates=HERE)):
        with pytest.raises(errors.OverlapError):
            judge({"w": 4, "a": 8}, w, other)


def test_an_alias_group_shares_one_address_and_excludes_others():
    a = Buffer("a", 4, live(0, 4), HERE, alias="x")
    b = Buffer("b", 16, live(1, 5), HERE, alias="x")
    c = Buffer("c", 4, live(2, 3), HERE)
    judge({"a": 4, "b": 4, "c": 20}, a, b, c)
    with pytest.raises(errors.OverlapError):
        judge({"a": 4, "b": 4, "c": 12}, a, b, c)
    with pytest.raises(errors.AliasBrokenError):
        judge({"a": 4, "b": 48, "c": 20}, a, b, c)


def test_rows_are_taken_whole():
    spad = Pool("ram", unit=16)
    buffers = (Buffer("a", 24, live(0, 2), HERE), Buffer("b", 16, live(0, 2), HERE))
    judge({"a": 0, "b": 32}, *buffers, pool=spad)
    with pytest.raises(errors.OverlapError):
        judge({"a": 0, "b": 16}, *buffers, pool=spad)
    with pytest.raises(errors.MisalignedError):
        judge({"a": 0, "b": 40}, *buffers, pool=spad)


def test_alignment_is_of_the_absolute_address():
    pool = Pool("ram", base=8, alignment=8)
    a = Buffer("a", 8, live(0, 1), HERE, alignment=16)
    judge({"a": 8}, a, pool=pool)
    with pytest.raises(errors.MisalignedError):
        judge({"a": 16}, a, pool=pool)


def test_wrong_plans_are_refused_without_asserts_too():
    script = (
        "from forebay.planning import *\n"
        "p = Problem((Pool('m'),), tuple(Buffer(n, 8, live(0, 1), ('m',)) for n in 'ab'))\n"
        "try: verify(Plan(p, {n: Placement('m', 0) for n in 'ab'}, 'test'))\n"
        "except PlanRefusedError: print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-O", "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "refused\n"


def test_an_alias_group_keeps_its_largest_size_while_any_member_lives():
    # a dies at 2, but its view v lives on: [16, 64) of the block are not free for c
    buffers = (
        Buffer("a", 64, live(0, 2), HERE, alias="x"),
        Buffer("v", 16, live(1, 4), HERE, alias="x"),
        Buffer("c", 16, live(2, 4), HERE),
    )
    judge({"a": 0, "v": 0, "c": 64}, *buffers, pool=Pool("ram"))
    with pytest.raises(errors.OverlapError) as refusal:
        judge({"a": 0, "v": 0, "c": 16}, *buffers, pool=Pool("ram"))
    assert "'v' at [0, 64)" in str(refusal.value)
    for planner in ("auto", "first-fit"):
        assert plan(Problem((Pool("ram"),), buffers), planner).peak("ram") == 80
