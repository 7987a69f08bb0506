import pytest

from forebay.planning import (
    Buffer,
    ByteRange,
    Interval,
    Kind,
    Pool,
    Problem,
    ProblemError,
    Separation,
    live,
)

RAM = Pool("ram", capacity=1024, alignment=16)


def problem(*buffers: Buffer, pools: tuple[Pool, ...] = (RAM,), conflicts=()) -> Problem:
    return Problem(pools, buffers, conflicts)


def test_touching_lifetimes_do_not_conflict():
    assert not Buffer("a", 1, live(0, 2)).live_with(Buffer("b", 1, live(2, 3)))


def test_a_buffer_may_die_and_live_again():
    twice = Buffer("a", 1, (Interval(0, 2), Interval(5, 6)))
    assert not twice.live_with(Buffer("b", 1, live(2, 5)))
    assert twice.live_with(Buffer("c", 1, live(4, 6)))


def test_constants_and_state_are_always_live():
    for kind in (Kind.CONSTANT, Kind.STATE):
        assert Buffer("a", 1, kind=kind).live_with(Buffer("b", 1, live(7, 8)))


def test_members_of_an_alias_group_never_conflict():
    assert not Buffer("a", 1, live(0, 3), alias="x").live_with(
        Buffer("b", 1, live(1, 2), alias="x")
    )


def test_alignment_is_the_buffers_own_and_else_the_pools():
    p = problem()
    assert p.alignment_in(Buffer("a", 1, alignment=4), RAM) == 4
    assert p.alignment_in(Buffer("a", 1), RAM) == 16


def test_a_row_addressed_pool_gives_whole_rows():
    spad = Pool("spad", unit=16)
    p = problem(pools=(spad,))
    assert p.size_in(Buffer("a", 24), spad) == 32
    assert p.alignment_in(Buffer("a", 24, alignment=4), spad) == 16


def test_a_fixed_base_counts_in_the_alignment():
    assert Pool("ram", base=8, alignment=8).align(0, 16) == 8


def test_cost_is_the_spilled_bytes_by_default():
    slow = Pool("slow")
    p = problem(pools=(RAM, slow))
    buffer = Buffer("a", 100, candidates=("ram", "slow"))
    assert (p.cost_in(buffer, RAM), p.cost_in(buffer, slow)) == (0, 100)


def test_cost_per_byte_of_a_pool_and_cost_of_a_buffer_replace_the_default():
    slow = Pool("slow", cost=3)
    p = problem(pools=(RAM, slow))
    assert p.cost_in(Buffer("a", 100, candidates=("ram", "slow")), slow) == 300
    assert p.cost_in(Buffer("a", 100, candidates=("ram", "slow"), costs=(1, 7)), slow) == 7


HERE = ("ram",)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            problem(Buffer("a", 1, live(0, 1), ("rom",))),
            "buffer 'a' may live in pool 'rom', which does not exist; pools: 'ram'",
        ),
        (
            problem(Buffer("a", 1, live(0, 1))),
            "buffer 'a' has no candidate pool; pools: 'ram'",
        ),
        (
            problem(Buffer("a", 0, live(0, 1), HERE)),
            "buffer 'a' has size 0; it must be at least 1 byte",
        ),
        (
            problem(Buffer("a", 1, live(3, 3), HERE)),
            "buffer 'a' has the empty lifetime [3, 3); end is exclusive",
        ),
        (
            problem(Buffer("a", 1, live(0, 1), HERE, alignment=12)),
            "buffer 'a' has alignment 12; it must be a power of two",
        ),
        (
            problem(Buffer("a", 1, candidates=HERE), Buffer("a", 2, candidates=HERE)),
            "there are two buffers named 'a'",
        ),
        (
            problem(Buffer("a", 1, candidates=HERE), conflicts=(("a", "b"),)),
            "conflict (a, b): there is no buffer 'b'",
        ),
        (
            problem(Buffer("a", 8, candidates=HERE, pinned_offset=8)),
            "buffer 'a' is pinned to offset 8, which is not aligned to 16",
        ),
        (
            problem(Buffer("a", 8, candidates=HERE, pinned_offset=1024)),
            "buffer 'a' is pinned to [1,024, 1,032), outside pool 'ram'",
        ),
        (
            problem(
                Buffer("a", 8, candidates=HERE, pinned_offset=0),
                pools=(Pool("ram", reserved=(ByteRange(4, 6),)),),
            ),
            "buffer 'a' is pinned to [0, 8), into reserved [4, 6)",
        ),
        (
            problem(
                Buffer("a", 8, candidates=HERE, alias="x"),
                Buffer("b", 8, candidates=HERE, alias="x"),
                conflicts=(("a", "b"),),
            ),
            "conflict (a, b): both are of alias group 'x'",
        ),
        (problem(pools=(Pool("ram", alignment=3),)), "pool 'ram' has alignment 3"),
        (problem(pools=(RAM, RAM)), "there are two pools named 'ram'"),
    ],
)
def test_a_contradictory_problem_is_refused(wrong: Problem, message: str):
    with pytest.raises(ProblemError) as refusal:
        wrong.check()
    assert str(refusal.value).startswith(message)


def test_what_may_need_offsets_up_to_2_60_is_planned():
    most = 2**60 - 3 * 16
    problem(
        Buffer("a", most, live(0, 1), HERE), pools=(Pool("ram", capacity=2**63 - 1, alignment=16),)
    ).check()
    with pytest.raises(ProblemError, match="too large together"):
        problem(
            Buffer("a", most + 1, live(0, 1), HERE),
            pools=(Pool("ram", capacity=None, alignment=16),),
        ).check()


@pytest.mark.parametrize(
    "wrong",
    [
        problem(Buffer("a", 2**61, live(0, 1), HERE)),
        problem(Buffer("a", 1, live(0, 1), HERE, alignment=2**62)),
        problem(Buffer("a", 1, live(0, 2**62), HERE)),
        problem(Buffer("a", 1, live(-(2**63), 1), HERE)),
        problem(Buffer("a", 1, live(0, 1), HERE, costs=(2**61,))),
        problem(
            Buffer("a", 1, live(0, 1), HERE, pinned_offset=2**62),
            pools=(Pool("ram", capacity=None, alignment=1),),
        ),
        problem(pools=(Pool("ram", alignment=2**62),)),
        problem(pools=(Pool("ram", unit=2**62),)),
        problem(pools=(Pool("ram", base=2**62),)),
        problem(pools=(Pool("ram", start=2**62),)),
        problem(pools=(Pool("ram", cost=2**62),)),
        problem(pools=(Pool("ram", weight=2**62),)),
        problem(pools=(Pool("ram", reserved=(ByteRange(0, 2**62),)),)),
        # three whose padding alone may be 5 x 2^58
        problem(
            *(Buffer(name, 4, live(0, 1), HERE) for name in "abc"),
            pools=(Pool("ram", alignment=2**58),),
        ),
        # 2^40 bytes at 2^30 each
        problem(Buffer("a", 2**40, live(0, 1), HERE), pools=(Pool("ram", cost=2**30),)),
        Problem(
            (RAM,),
            tuple(Buffer(name, 4, live(0, 1), HERE) for name in "ab"),
            separations=(Separation("a", "b", 2**62),),
        ),
    ],
)
def test_numbers_near_2_63_are_refused(wrong: Problem):
    with pytest.raises(ProblemError, match="too large"):
        wrong.check()


def test_a_negative_base_is_refused():
    with pytest.raises(ProblemError, match="negative start, base"):
        problem(pools=(Pool("ram", base=-4),)).check()
