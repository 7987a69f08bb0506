from forebay.planning import Buffer, Kind, Pool, Problem, live, plan
from forebay.view.from_plan import data_of_plan


def test_steps_of_one_name_are_an_operator() -> None:
    buffers = (Buffer("a", 8, live(0, 2), ("m",)), Buffer("b", 8, live(1, 3), ("m",)))
    found = plan(Problem((Pool("m"),), buffers, (), ("x", "x", "y"), "p"))
    data = data_of_plan(found)
    assert [(each.title, each.steps) for each in data.operators] == [("x", (0, 2)), ("y", (2, 3))]
    assert (data.name, data.ticks, data.pools[0].peak) == ("p", 3, 16)
    assert data.pools[0].live == ((0, 8), (1, 16), (2, 8), (3, 0))


def test_an_alias_group_counts_once() -> None:
    buffers = (
        Buffer("a", 8, live(0, 2), ("m",), alias="g"),
        Buffer("b", 24, live(1, 3), ("m",), alias="g"),
    )
    data = data_of_plan(plan(Problem((Pool("m"),), buffers)))
    assert data.pools[0].live == ((0, 24), (3, 0))
    assert [buffer.group for buffer in data.buffers] == ["g", "g"]


def test_constants_are_live_all_the_time_and_empty_pools_are_left_out() -> None:
    buffers = (
        Buffer("a", 8, live(0, 5), ("m",)),
        Buffer("w", 8, live(1, 2), ("m",), kind=Kind.CONSTANT),
    )
    data = data_of_plan(plan(Problem((Pool("m"), Pool("other")), buffers)))
    assert data.buffers[1].spans == ((0, 5),)
    assert [pool.name for pool in data.pools] == ["m"]
