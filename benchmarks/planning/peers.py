"""omnimalloc's allocators as planners, if it is installed: only intervals and one pool."""

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

from forebay.planning import Pool
from forebay.planning.user import UserBuffer

Planner = Callable[[tuple[UserBuffer, ...], tuple[Pool, ...]], dict[str, tuple[str, int]]]


def omnimalloc_planners() -> dict[str, Planner]:
    if importlib.util.find_spec("omnimalloc") is None:
        return {}
    allocators = importlib.import_module("omnimalloc.allocators")
    return {
        "omni": _planner(allocators.OmniAllocator()),
        "supermalloc": _planner(allocators.SupermallocAllocator(num_threads=6)),
    }


def _planner(allocator: Any) -> Planner:
    primitives = importlib.import_module("omnimalloc.primitives")

    def plan(
        buffers: tuple[UserBuffer, ...], pools: tuple[Pool, ...]
    ) -> dict[str, tuple[str, int]]:
        allocations = tuple(
            primitives.Allocation(
                id=b.name,
                size=-(-b.size // b.alignment) * b.alignment,
                start=b.lifetime[0].start,
                end=b.lifetime[0].end,
            )
            for b in buffers
        )
        return {a.id: (pools[0].name, a.offset) for a in allocator.allocate(allocations)}

    return plan
