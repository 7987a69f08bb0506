from forebay.planning import Buffer, ByteRange, Kind, Pool, Problem, live, lower_bound

HERE = ("ram",)


def bound(*buffers: Buffer, pool: Pool | None = None, conflicts=()) -> int:
    ram = pool or Pool("ram")
    return lower_bound(Problem((ram,), buffers, conflicts), ram).bytes


def test_an_empty_pool_needs_nothing():
    assert bound() == 0


def test_bound_is_the_most_bytes_live_at_once():
    # tick:  0   1   2      a and b meet, b and c meet: 100 + 40, 40 + 70
    assert (
        bound(
            Buffer("a", 100, live(0, 2), HERE),
            Buffer("b", 40, live(1, 3), HERE),
            Buffer("c", 70, live(2, 3), HERE),
        )
        == 140
    )


def test_all_but_the_topmost_buffer_round_up_to_the_alignment():
    # 10 -> 16, then 10: ends at 26
    a, b = (Buffer(name, 10, live(0, 1), HERE, alignment=16) for name in "ab")
    assert bound(a, b) == 26


def test_mixed_alignments_bound_each_class_by_itself():
    # aligned to 64: 65 -> 128, then 65 = 193; the byte of c fits between
    a, b = (Buffer(name, 65, live(0, 1), HERE, alignment=64) for name in "ab")
    assert bound(a, b, Buffer("c", 1, live(0, 1), HERE, alignment=1)) == 193


def test_constants_count_at_every_tick():
    assert (
        bound(
            Buffer("w", 30, candidates=HERE, kind=Kind.CONSTANT),
            Buffer("a", 5, live(4, 5), HERE),
        )
        == 35
    )


def test_of_an_alias_group_only_the_largest_live_member_counts():
    assert (
        bound(
            Buffer("a", 10, live(0, 4), HERE, alias="x"),
            Buffer("b", 30, live(2, 3), HERE, alias="x"),
            Buffer("c", 5, live(0, 4), HERE),
        )
        == 35
    )


def test_reserved_bytes_and_start_lift_the_bound():
    # start at 4, [8, 12) is reserved: below it is room for one of 4, so the other ends at 16
    pool = Pool("ram", start=4, reserved=(ByteRange(8, 12),))
    a, b = (Buffer(name, 4, live(0, 1), HERE) for name in "ab")
    assert bound(a, b, pool=pool) == 16


def test_buffers_that_fit_in_no_gap_below_the_reserved_bytes_lie_above_them():
    # the gap [4, 8) holds neither: 12 + 5 + 5
    pool = Pool("ram", start=4, reserved=(ByteRange(8, 12),))
    a, b = (Buffer(name, 5, live(0, 1), HERE) for name in "ab")
    assert bound(a, b, pool=pool) == 22


def test_padding_may_lie_in_reserved_bytes_of_any_address():
    # a [0, 10), b [16, 26), reserved [26, 32), c [32, 40): b's padding is the reserved range
    pool = Pool("ram", alignment=16, reserved=(ByteRange(26, 32),))
    sizes = {"a": 10, "b": 10, "c": 8}
    assert bound(*(Buffer(n, s, live(0, 1), HERE) for n, s in sizes.items()), pool=pool) == 40


def test_padding_below_a_base_that_is_not_aligned_to_the_buffers():
    # addresses 6 + [2, 9), 6 + [0, 1): x0 at 2, x1 at 0; [1, 2) is reserved and padding of x1
    pool = Pool("ram", alignment=2, reserved=(ByteRange(1, 2),), base=6)
    x0, x1 = Buffer("x0", 7, live(0, 1), HERE), Buffer("x1", 1, live(0, 1), HERE)
    assert bound(x0, x1, pool=pool) == 9


def test_a_buffer_that_no_hole_holds_lies_above_the_reserved_bytes():
    pool = Pool("ram", reserved=(ByteRange(8, 12),))
    assert bound(Buffer("a", 9, live(0, 1), HERE), pool=pool) == 21


def test_a_pinned_buffer_ends_where_it_is_pinned():
    assert bound(Buffer("a", 4, live(0, 1), HERE, pinned_offset=100)) == 104


def test_explicit_conflicts_are_bounded_by_a_clique():
    # a-b-c is a triangle of 10 + 20 + 30, d hangs on c
    buffers = [
        Buffer(name, size, candidates=HERE)
        for name, size in zip("abcd", (10, 20, 30, 25), strict=True)
    ]
    pairs = (("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"))
    assert bound(*buffers, conflicts=pairs) == 60


def test_the_bound_names_the_tick_and_the_buffers():
    ram = Pool("ram")
    problem = Problem((ram,), (Buffer("a", 1, live(0, 2), HERE), Buffer("b", 2, live(1, 3), HERE)))
    found = lower_bound(problem, ram)
    assert (found.bytes, found.tick, found.buffers) == (3, 1, ("a", "b"))
    assert found.argument == "live bytes"
