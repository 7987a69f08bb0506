from forebay.planning import Buffer, ByteRange, Placement, Plan, Pool, Problem, certify_pool, live
from forebay.planning.model.plan import ProvedBound

HERE = ("ram",)
PROBLEM = Problem(
    (Pool("ram", alignment=16), Pool("slow", weight=3)),
    (
        Buffer("a", 100, live(0, 2), ("ram", "slow")),
        Buffer("b", 40, live(1, 3), ("ram", "slow"), alignment=64),
        Buffer("c", 70, live(2, 3), ("ram", "slow")),
    ),
    steps=("conv", "add", "out"),
)


def test_peak_is_the_highest_end_of_each_pool():
    plan = Plan(
        PROBLEM,
        {"a": Placement("ram", 0), "b": Placement("ram", 128), "c": Placement("slow", 5)},
        "test",
    )
    assert (plan.peak("ram"), plan.peak("slow")) == (168, 75)
    assert plan.in_pool("ram") == ("a", "b")
    assert plan.cost == 70
    assert plan.weighted_peaks == 168 + 3 * 75
    assert plan.base_alignment("ram") == 64


def test_certificate_gives_gap_buffers_and_step():
    plan = Plan(
        PROBLEM,
        {"a": Placement("ram", 0), "b": Placement("ram", 128), "c": Placement("ram", 0)},
        "test",
    )
    found = certify_pool(plan, "ram")
    # b at the bottom would round up to 48, then a: 148
    assert (found.peak, found.lower_bound, found.gap, found.optimal) == (168, 148, 20, False)
    assert (found.at_bound, found.step) == (("a", "b"), "add")
    assert found.holes == (ByteRange(100, 128),)


def test_a_planners_proof_lifts_the_bound():
    placements = {n: Placement("ram", o) for n, o in {"a": 0, "b": 128, "c": 0}.items()}
    plan = Plan(PROBLEM, placements, "test", (ProvedBound("ram", 168, "exhaustive search"),))
    found = certify_pool(plan, "ram")
    assert found.optimal
    assert found.argument == "exhaustive search"


def test_the_bytes_of_an_alias_group_are_no_hole():
    # v, 8 bytes, stands for the block of w, 16; above it only the gap to u's alignment is free
    buffers = (
        Buffer("v", 8, live(0, 1), HERE, alias="x"),
        Buffer("w", 16, live(0, 1), HERE, alias="x"),
        Buffer("u", 8, live(0, 1), HERE, alignment=32),
    )
    placements = {n: Placement("ram", o) for n, o in {"v": 0, "w": 0, "u": 32}.items()}
    found = certify_pool(Plan(Problem((Pool("ram"),), buffers), placements, "test"), "ram")
    assert found.holes == (ByteRange(16, 32),)
    assert found.lower_bound == 24
