from forebay.network.fixed_memory import GRANULE, spans
from forebay.network.model import PlannedPool
from forebay.pools import PoolKind


def pool(name: str, base: int, size: int) -> PlannedPool:
    return PlannedPool(name, PoolKind.workspace, size=size, base=base)


def test_pools_that_share_a_granule_are_mapped_together() -> None:
    low, high = pool("low", GRANULE + 16, 64), pool("high", GRANULE + 4096, 2 * GRANULE)
    far = pool("far", 8 * GRANULE, GRANULE)
    found = spans([far, high, low])
    assert [(span.start, span.end) for span in found] == [
        (GRANULE, 4 * GRANULE),
        (8 * GRANULE, 9 * GRANULE),
    ]
    assert [span.pools for span in found] == [(low, high), (far,)]


def test_a_pool_inside_of_another_s_range_does_not_shorten_it() -> None:
    found = spans([pool("large", 0, 5 * GRANULE), pool("small", GRANULE, 1)])
    assert [(span.start, span.end) for span in found] == [(0, 5 * GRANULE)]


def test_pools_that_touch_at_a_granule_are_apart() -> None:
    found = spans([pool("a", 0, GRANULE), pool("b", GRANULE, 1)])
    assert [(span.start, span.end) for span in found] == [(0, GRANULE), (GRANULE, 2 * GRANULE)]
