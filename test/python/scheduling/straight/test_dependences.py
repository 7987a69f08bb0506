"""The dependences of straight-line code order all pairs of ops that conflict, and no other pair."""

from __future__ import annotations

import pytest
from common.programs.straight_tiles import Tiles
from common.sweep import sweep
from fuzz.programs.draw import Program
from mlir import ir

from forebay.ir.identity import identity_of
from forebay.ir.liveness.memory_effects import MemoryEffects
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_in
from forebay.scheduling.moving import blocks_in
from forebay.scheduling.straight.dependences import dependences_of
from forebay.scheduling.straight.items import Commands, SchedulingRegion, scheduling_regions_of


def regions(program: ir.Module) -> list[SchedulingRegion]:
    """All regions of a program; barriers are the ops with regions."""
    module = module_of(program)
    effects, commands = MemoryEffects(module), Commands(module)
    return [
        region
        for function in functions_in(module)
        for block in blocks_in(function)
        if len(block.operations)
        for region in scheduling_regions_of(
            block, effects, commands, lambda op: len(op.regions) > 0
        )
    ]


def closure(behind: list[set[int]]) -> list[set[int]]:
    """All items that each item is behind, directly or through others."""
    found: list[set[int]] = []
    for direct in behind:
        found.append(direct.union(*(found[other] for other in direct)))
    return found


def by_pairs(region: SchedulingRegion) -> list[set[int]]:
    """Every pair compared; results are followed through all ops of the region."""
    results: dict[ir.Value, set[int]] = {}
    numbers = {identity_of(item.op): n for n, item in enumerate(region.items)}
    found: list[set[int]] = [set() for _ in region.items]
    for op in region.ops:
        used = [value for inner in ops_in(op) for value in inner.operands]
        behind = set[int]().union(*(results.get(value, set()) for value in used))
        number = numbers.get(identity_of(op))
        if number is not None:
            found[number] |= behind
            behind = {number}
        for result in op.results:
            results[result] = behind
    for number, item in enumerate(region.items):
        for other, earlier in enumerate(region.items[:number]):
            if any(a.conflicts(b) for a in item.effects for b in earlier.effects):
                found[number].add(other)
    return found


@pytest.mark.parametrize("seed", sweep(range(40)))
def test_drawn_programs_have_the_order_of_all_pairs(seed: int) -> None:
    with ir.Context(), ir.Location.unknown():
        program = ir.Module.parse(Program(seed).text)
        for region in regions(program):
            found, expected = dependences_of(region), by_pairs(region)
            assert closure(found) == closure(expected)
            assert all(one <= other for one, other in zip(found, expected, strict=True))


def test_tiles_of_one_tensor_are_independent() -> None:
    """A tile is a load, a call and a store, each behind the one before."""
    with ir.Context(), ir.Location.unknown():
        program = ir.Module.parse(Tiles(8).text)
        (region,) = regions(program)
        assert dependences_of(region) == [
            behind for tile in range(8) for behind in (set(), {3 * tile}, {3 * tile + 1})
        ]
