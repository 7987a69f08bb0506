from forebay.planning import Buffer, Pool, Problem, live, plan

HERE = ("ram",)


def test_the_largest_buffer_gets_offset_zero():
    buffers = (
        Buffer("a", 10, live(0, 2), HERE),
        Buffer("b", 30, live(1, 3), HERE),
        Buffer("c", 20, live(2, 4), HERE),
    )
    found = plan(Problem((Pool("ram"),), buffers), "greedy-by-size")
    assert {n: p.offset for n, p in found.placements.items()} == {"a": 30, "b": 0, "c": 30}


def test_size_order_loses_on_this_chain():
    # pairs (7, 8), (8, 9), (9, 1): bound 17; 9 and 8 stack, so 7 lies under 8
    buffers = tuple(
        Buffer(name, size, live(i, i + 2), HERE)
        for i, (name, size) in enumerate({"a": 7, "b": 8, "c": 9, "d": 1}.items())
    )
    found = plan(Problem((Pool("ram"),), buffers), "greedy-by-size")
    assert found.peak("ram") == 17
    assert found.placements["b"].offset == 9
