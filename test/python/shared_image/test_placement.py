"""Memories at a fixed address, whose bytes the code of the networks contains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import convert

from forebay.formats.memory_map import MapPool
from forebay.shared_image.errors import SharingError
from forebay.shared_image.memories import NetworkPool, SharedMemory, memories_of
from forebay.shared_image.placement import place_memory
from forebay.shared_image.project import CompiledProject


def share(prefix: str, start: int, end: int, kind: str = "workspace", **more: Any) -> NetworkPool:
    pool = convert(
        {
            "name": "tcm",
            "kind": kind,
            "peak": end,
            "lower_bound": end,
            "bound": None,
            "capacity": None,
            "alignment": 16,
            "section": None,
            "fill": None,
            "base": 0x1000,
            "start": start,
            **more,
        },
        MapPool,
    )
    return NetworkPool(CompiledProject(Path(prefix), prefix, None, {}, {}), pool)  # pyright: ignore


def memory(
    *shares: NetworkPool, kind: str = "workspace", capacity: int | None = None
) -> SharedMemory:
    return SharedMemory("tcm", kind, None, None, 0x1000, capacity, 16, shares)


def test_workspaces_at_a_fixed_address_overlap_in_turns_only():
    both = memory(share("a", 64, 128), share("b", 96, 256))
    placed = place_memory(both, concurrent=False)
    assert (placed.start, placed.size, placed.alone) == (64, 256, 64 + 160)
    with pytest.raises(SharingError, match=r"'a' \(\[64, 128\)\) and 'b' \(\[96, 256\)\)"):
        place_memory(both, concurrent=True)
    place_memory(memory(share("a", 64, 96), share("b", 96, 256)), concurrent=True)


def test_bytes_without_sharing_have_the_gaps_of_alignment():
    shares = (share("a", 0, 5, "state"), share("b", 0, 9, "state"))
    placed = place_memory(
        SharedMemory("tcm", "state", None, None, None, None, 16, shares), concurrent=False
    )
    assert (placed.size, placed.alone) == (21, 25)


def test_states_at_a_fixed_address_may_not_overlap():
    with pytest.raises(SharingError, match="for good"):
        place_memory(
            memory(share("a", 0, 8, "state"), share("b", 4, 8, "state"), kind="state"),
            concurrent=False,
        )


def test_a_fixed_memory_has_a_capacity():
    with pytest.raises(SharingError, match="has 200 bytes, but 'b' uses its first 256"):
        place_memory(memory(share("a", 0, 8), share("b", 8, 256), capacity=200), concurrent=False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "state"}, "its kind is 'workspace' in 'a' and 'state' in 'b'"),
        ({"base": 0x2000}, "its base is 0x1000 in 'a' and 0x2000 in 'b'"),
        ({"section": ".fast"}, "its section is not set in 'a' and '.fast' in 'b'"),
    ],
)
def test_pools_of_one_name_are_one_memory_or_refused(change: dict[str, Any], message: str):
    class Map:
        def __init__(self, pool: MapPool) -> None:
            self.pools = (pool,)

    pools = {
        "a": share("a", 0, 8).pool,
        "b": share("b", 0, 8, **{"kind": "workspace", **change}).pool,
    }
    projects = [
        CompiledProject(Path(name), name, Map(pool), {}, {})  # pyright: ignore
        for name, pool in pools.items()
    ]
    with pytest.raises(SharingError, match=message):
        memories_of(projects, {})
