from common.documents.memory_maps import buffer, memory_map, pool

from forebay.view.difference import ChangedBuffer, ChangedPool, plan_difference
from forebay.view.from_memory_map import data_of_memory_map
from forebay.view.plan_data import PlanData


def plan_of(*buffers: object, peak: int = 16) -> PlanData:
    return data_of_memory_map(
        memory_map(pools=(pool("ws", peak, bound=None),), buffers=buffers, steps=())
    )


def test_names_match_buffers() -> None:
    before = plan_of(buffer("same", (0, 1)), buffer("gone", (0, 1)), buffer("up", (0, 1)))
    after = plan_of(
        buffer("up", (0, 1), offset=8),
        buffer("same", (0, 9)),
        buffer("new", (0, 1)),
        peak=32,
    )
    found = plan_difference(before, after)
    assert found.buffers == (
        ChangedBuffer("gone", "removed", 1, None),
        ChangedBuffer("up", "moved", 2, 0),
        ChangedBuffer("new", "added", None, 2),
    )
    assert found.same == 1
    assert found.pools == (ChangedPool("ws", 16, 32),)


def test_another_size_is_more_than_another_place() -> None:
    found = plan_difference(
        plan_of(buffer("a", (0, 1))), plan_of(buffer("a", (0, 1), size=16, offset=8))
    )
    assert found.buffers == (ChangedBuffer("a", "resized", 0, 0),)


def test_another_pool_is_another_place() -> None:
    pools = (pool("ws", 8, bound=None), pool("fast", 8, bound=None))
    before, after = (
        data_of_memory_map(
            memory_map(pools=pools, buffers=(buffer("a", (0, 1), pool=name),), steps=())
        )
        for name in ("ws", "fast")
    )
    assert plan_difference(before, after).buffers[0].change == "moved"
