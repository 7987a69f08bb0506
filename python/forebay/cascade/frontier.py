"""The plans between the layer-wise one and the smallest: fewer live bytes for more work."""

from __future__ import annotations

from forebay.cascade.search import CascadePlan, CascadeSearch


def frontier(search: CascadeSearch, most: int) -> tuple[CascadePlan, ...]:
    """Return at most about `most` plans, each of fewer bytes and more work than the one before.

    Each has the least work within one of `most` budgets at equal distances.
    """
    whole, smallest = search.cheapest(), search.smallest()
    if whole is None:
        raise AssertionError("a plan of the fewest bytes exists, but none of the least work")
    found = [whole]
    for number in range(1, most):
        budget = whole.bytes - (whole.bytes - smallest.bytes) * number // max(1, most - 1)
        plan = search.within(min(budget, found[-1].bytes - 1))
        if plan is not None:
            found.append(plan)
    if found[-1].bytes > smallest.bytes:
        found.append(smallest)
    return tuple(found)
