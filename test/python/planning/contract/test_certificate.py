from forebay.planning import Buffer, Placement, Plan, Pool, Problem, certify_pool, live
from forebay.planning.model.plan import ProvedBound
from forebay.pools import ByteRange

# tick     0   1   2
# a 4      [   ]         at [6, 10)
# b 3      [       ]     at [0, 3)
# c 2          [   ]     at [3, 5)
BUFFERS = (
    Buffer("a", 4, live(0, 1), ("ram",)),
    Buffer("b", 3, live(0, 2), ("ram",)),
    Buffer("c", 2, live(1, 2), ("ram",)),
)
PLACES = {"a": Placement("ram", 6), "b": Placement("ram", 0), "c": Placement("ram", 3)}


def plan(*proved: ProvedBound) -> Plan:
    problem = Problem((Pool("ram"),), BUFFERS, steps=("first", "second"))
    return Plan(problem, PLACES, "by hand", proved)


def test_the_bound_is_the_most_live_bytes_and_says_where():
    found = certify_pool(plan(), "ram")
    assert (found.peak, found.lower_bound, found.gap, found.optimal) == (10, 7, 3, False)
    assert (set(found.at_bound), found.step) == ({"a", "b"}, "first")


def test_holes_below_the_peak_explain_the_gap():
    assert certify_pool(plan(), "ram").holes == (ByteRange(3, 6),)


def test_a_bound_that_the_planner_proved_counts_when_it_is_higher():
    assert certify_pool(plan(ProvedBound("ram", 10, "search")), "ram").optimal
    assert certify_pool(plan(ProvedBound("ram", 5, "search")), "ram").lower_bound == 7
    assert certify_pool(plan(ProvedBound("rom", 10, "search")), "ram").lower_bound == 7
