"""The conflict relation, against the definition for each pair."""

from random import Random

import pytest

from forebay.planning import Buffer, Interval, Kind, Pool, Problem
from forebay.planning.contract.conflicts import conflict_sets


def drawn(seed: int) -> Problem:
    rng = Random(seed)
    buffers: list[Buffer] = []
    for number in range(8):
        bounds = sorted(rng.sample(range(12), 2 * rng.choice([0, 1, 1, 2])))
        lifetime = tuple(Interval(*bounds[i : i + 2]) for i in range(0, len(bounds), 2))
        kind = rng.choice([Kind.WORKSPACE] * 6 + [Kind.CONSTANT, Kind.STATE])
        alias = rng.choice([None, None, None, "g"])
        buffers.append(Buffer(f"b{number}", 1, lifetime, ("ram",), kind=kind, alias=alias))
    names = [buffer.name for buffer in buffers]
    pairs = tuple(tuple(sorted(rng.sample(names, 2))) for _ in range(3))
    return Problem((Pool("ram"),), tuple(buffers), pairs)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(60))
def test_it_is_what_lifetimes_kinds_groups_and_pairs_say(seed: int):
    problem = drawn(seed)
    pairs = {frozenset(pair) for pair in problem.conflicts}

    def conflict(a: Buffer, b: Buffer) -> bool:
        if a is b or (a.alias is not None and a.alias == b.alias):
            return False
        ticks = [{t for i in x.lifetime for t in range(i.start, i.end)} for x in (a, b)]
        always = {Kind.CONSTANT, Kind.STATE} & {a.kind, b.kind}
        return bool(always or ticks[0] & ticks[1] or frozenset((a.name, b.name)) in pairs)

    expected = {
        a.name: {b.name for b in problem.buffers if conflict(a, b)} for a in problem.buffers
    }
    assert conflict_sets(problem, [b.name for b in problem.buffers]) == expected


def test_only_the_named_buffers_count():
    buffers = tuple(Buffer(n, 1, (Interval(0, 2),), ("ram",)) for n in "abc")
    problem = Problem((Pool("ram"),), buffers, (("a", "b"),))
    assert conflict_sets(problem, ["a", "c"]) == {"a": {"c"}, "c": {"a"}}
