import pytest

from forebay.planning import Buffer, ByteRange, Pool, Problem, live
from forebay.planning.core.library import available, load_core
from forebay.planning.search.items import items_of
from forebay.planning.search.pack import pack
from forebay.planning.search.stack import whole_stack
from forebay.planning.search.stacks import end_of

pytestmark = pytest.mark.skipif(not available(), reason="the compiled core is not built")


def test_search_packs_what_no_greedy_order_packs():
    # tick:    0      1      2      3
    # a (4) [0,2), b (4) [3,5), c (6) [1,4), d (2) [0,5): c over d, a and b beside nothing else
    buffers = (
        Buffer("a", 4, live(0, 2), ("ram",)),
        Buffer("b", 4, live(3, 5), ("ram",)),
        Buffer("c", 6, live(1, 4), ("ram",)),
        Buffer("d", 2, live(0, 5), ("ram",)),
    )
    whole = whole_stack(items_of(Problem((Pool("ram"),), buffers)))
    found = pack(whole, 12, 100, 10**6)
    assert found.offsets is not None
    assert end_of(whole, found.offsets) == 12


@pytest.mark.parametrize("unit", [1, 2**20, 2**40])
def test_a_proof_beside_reserved_bytes_takes_the_same_work_in_any_unit(unit: int):
    # 13 of reserved bytes between two gaps: each failed height says how much more is needed
    pool = Pool("ram", base=11 * unit, reserved=(ByteRange(6 * unit, 19 * unit),))
    sizes = {"a": (6, 4), "b": (6, 16), "c": (12, 2), "d": (10, 4), "e": (6, 16)}
    buffers = tuple(
        Buffer(name, size * unit, live(0, 1), ("ram",), alignment * unit)
        for name, (size, alignment) in sizes.items()
    )
    found = pack(whole_stack(items_of(Problem((pool,), buffers))), 20 * unit, 10**3 * unit, 10**6)
    assert found.proved == 67 * unit
    assert found.work < 50_000


def test_the_same_stack_is_searched_once(monkeypatch: pytest.MonkeyPatch):
    buffers = tuple(Buffer(name, 4, live(0, 2), ("ram",)) for name in "abc")
    whole = whole_stack(items_of(Problem((Pool("ram"),), buffers)))
    core = load_core()
    runs: list[int] = []
    monkeypatch.setattr(f"{pack.__module__}.load_core", lambda: runs.append(1) or core)
    first, again = (pack(whole, 12, 100, 4242) for _ in range(2))
    assert first.offsets is not None and again.offsets is not None
    assert first.offsets.tolist() == again.offsets.tolist()
    assert len(runs) == 1
    pack(whole, 12, 100, 4243)
    assert len(runs) == 2
