import pytest

from forebay.planning import Buffer, Pool, Problem, live
from forebay.planning.search import orders
from forebay.planning.search.items import items_of
from forebay.planning.search.stack import Stack, whole_stack

#      tick  0   1   2   3   4   5
# a    8     [           ]                degree 2
# b    8         [   ]                    degree 2
# c    2         [           ]            degree 3
# d    3                 [           ]    degree 1; alignment 4
BUFFERS = (
    Buffer("a", 8, live(0, 3), ("ram",)),
    Buffer("b", 8, live(1, 2), ("ram",)),
    Buffer("c", 2, live(1, 4), ("ram",)),
    Buffer("d", 3, live(3, 6), ("ram",), 4),
)


def stack() -> Stack:
    return whole_stack(items_of(Problem((Pool("ram"),), BUFFERS)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("given", "abcd"),
        ("size", "abdc"),
        ("size, duration", "abdc"),
        ("start", "abcd"),
        ("end", "dcab"),
        ("area", "adbc"),  # 24, 8, 6, 9
        ("duration", "acdb"),
        ("duration, size", "adcb"),
        ("duration x area", "adcb"),  # 72, 8, 18, 27
        ("conflicts", "cabd"),
        ("conflicts x size", "abcd"),  # 16, 16, 6, 3
        ("pressure", "acbd"),  # 18 live bytes at tick 1; then the longest lifetime, the largest
        ("padding", "dabc"),
    ],
)
def test_orders(name: str, expected: str):
    order = orders.orders()[name](stack())
    assert "".join("abcd"[position] for position in order) == expected


def test_every_order_is_tested_here():
    (mark,) = test_orders.pytestmark
    assert {name for name, _ in mark.args[1]} == set(orders.orders())


def test_ties_of_usmp_go_to_the_last_name():
    assert orders.by_usmp_size(stack()).tolist() == [1, 0, 3, 2]
    assert orders.by_usmp_conflicts(stack()).tolist() == [2, 1, 0, 3]
