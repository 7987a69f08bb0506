import pytest

from forebay.planning import Buffer, ByteRange, PlanInfeasibleError, Pool, Problem, live, plan

HERE = ("ram",)


def test_execution_order_fills_the_lowest_hole():
    buffers = (
        Buffer("a", 10, live(0, 2), HERE),
        Buffer("b", 30, live(1, 3), HERE),
        Buffer("c", 20, live(2, 4), HERE),
    )
    found = plan(Problem((Pool("ram"),), buffers), "first-fit")
    assert {n: p.offset for n, p in found.placements.items()} == {"a": 0, "b": 10, "c": 40}


def test_the_gap_below_the_first_live_buffer_is_a_hole():
    # a [0, 60) dies, b lies at [60, 180), c of 60 goes below b
    buffers = (
        Buffer("a", 60, live(0, 2), HERE),
        Buffer("b", 120, live(1, 3), HERE),
        Buffer("c", 60, live(2, 3), HERE),
    )
    found = plan(Problem((Pool("ram"),), buffers), "first-fit")
    assert found.peak("ram") == 180
    assert found.placements["c"].offset == 0


def test_pins_and_reserved_ranges_are_stepped_over():
    buffers = (
        Buffer("a", 8, live(0, 1), HERE),
        Buffer("b", 8, live(0, 1), HERE, pinned_offset=8),
    )
    pool = Pool("ram", reserved=(ByteRange(0, 4),))
    found = plan(Problem((pool,), buffers), "first-fit")
    assert {n: p.offset for n, p in found.placements.items()} == {"a": 16, "b": 8}


def test_a_full_pool_spills_to_the_next_candidate():
    pools = (Pool("fast", capacity=10), Pool("slow"))
    buffers = tuple(Buffer(n, 8, live(0, 1), ("fast", "slow")) for n in "ab")
    found = plan(Problem(pools, buffers), "first-fit")
    assert {n: p.pool for n, p in found.placements.items()} == {"a": "fast", "b": "slow"}


def test_when_no_candidate_fits_the_error_says_who_is_live_and_who_pins_them():
    buffers = (
        Buffer("fetched", 4624, live(1, 3), ("act_mem",)),
        Buffer("sid_3", 8192, live(2, 4), ("act_mem",), pinned_by=("accel_conv2d",)),
    )
    pools = (Pool("act_mem", capacity=12815, alignment=16),)
    steps = ("transform", "fetch", "conv", "slice")
    with pytest.raises(PlanInfeasibleError) as refusal:
        plan(Problem(pools, buffers, steps=steps), "first-fit")
    error = refusal.value
    assert (error.needed, error.available, error.excess, error.proved) == (12816, 12815, 1, True)
    assert (error.pool, error.where) == ("act_mem", "conv")
    assert [(live.buffer, live.size, live.pinned_by) for live in error.live] == [
        ("fetched", 4624, ()),
        ("sid_3", 8192, ("accel_conv2d",)),
    ]


def test_a_greedy_failure_is_marked_as_no_proof():
    # first fit leaves a hole of 10 below b and puts c on top; the bound of 30 would fit
    buffers = (
        Buffer("a", 10, live(0, 2), HERE),
        Buffer("b", 10, live(1, 3), HERE),
        Buffer("c", 20, live(2, 4), HERE),
    )
    with pytest.raises(PlanInfeasibleError) as refusal:
        plan(Problem((Pool("ram", capacity=30),), buffers), "first-fit")
    assert (refusal.value.needed, refusal.value.proved) == (40, False)
