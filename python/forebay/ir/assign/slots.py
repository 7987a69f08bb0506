"""Slots: sets of tensors that necessarily share storage, and the places that each set may have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mlir import ir
from mlir.dialects import func
from msgspec import Struct

from forebay.assignment import AliasSet, PoolOption
from forebay.ir.assign.machine import ModuleMemory
from forebay.ir.assign.origins import (
    CALLER,
    StorageOrigin,
    anywhere,
    held_by,
    places_of,
    pools_in_order,
    storage_origin_of,
)
from forebay.ir.assign.ports import FunctionPort, arguments_of, results_of
from forebay.ir.assign.requirements import Requirement, requirements_of
from forebay.ir.assign.uses import Use
from forebay.ir.memory.storage import is_tensor, last_op
from forebay.ir.memory.underlying_buffers import is_private
from forebay.ir.nested import inner_blocks, ops_in
from forebay.pools import PoolKind

SlotKey = ir.Value | tuple[str, int]
"""A tensor; or a parameter: the name of a function without a body, and an argument's number."""


class AliasSetTable(Struct, frozen=True):
    """The slot number of every tensor and parameter, all slots, and their requirements."""

    of: Mapping[SlotKey, int]
    slots: tuple[AliasSet, ...]
    requirements: tuple[tuple[Requirement, ...], ...]


def alias_sets_of(
    machine: ModuleMemory, functions: Sequence[func.FuncOp], uses: Sequence[Use]
) -> AliasSetTable:
    """Return the slots of all tensors; a slot that no place suits has no places."""
    of = _numbered([*tensor_values_in(functions), *_parameters(uses)], uses)
    origins = _Origins(machine, functions, uses)
    places: dict[int, list[PoolOption]] = {}
    requirements: dict[int, list[Requirement]] = {number: [] for number in of.values()}
    for key, number in of.items():
        candidates = origins.places(key)
        places[number] = [place for place in places.get(number, candidates) if place in candidates]
        requirements[number].append(origins.requirement(key, candidates))
    for key, requirement in requirements_of(machine, functions, uses):
        requirements[of[key]].append(requirement)
    numbers = sorted(places)
    return AliasSetTable(
        of,
        tuple(_slot(places[number], requirements[number]) for number in numbers),
        tuple(tuple(requirements[number]) for number in numbers),
    )


def _slot(places: Iterable[PoolOption], requirements: Sequence[Requirement]) -> AliasSet:
    left = [
        place
        for place in places
        if all(place.pool in wanted.pools for wanted in requirements)
        and (place.writable or not any(wanted.overwrites for wanted in requirements))
    ]
    orders = [wanted.pools for wanted in requirements if wanted.ordered]
    if orders:
        left.sort(key=lambda place: orders[0].index(place.pool))
    return AliasSet(tuple(left), ordered=bool(orders))


def tensor_values_in(functions: Iterable[func.FuncOp]) -> list[ir.Value]:
    """Return every tensor that the functions' ops and blocks define, outer ones first."""
    return [
        value
        for function in functions
        for op in ops_in(function)
        for value in (*op.results, *(a for b in inner_blocks(op) for a in b.arguments))
        if is_tensor(value)
    ]


def _parameters(uses: Iterable[Use]) -> Iterator[tuple[str, int]]:
    yield from dict.fromkeys(use.parameter for use in uses if use.parameter is not None)


def _numbered(keys: Sequence[SlotKey], uses: Iterable[Use]) -> dict[SlotKey, int]:
    """Return a number per key; tensors that one use is tied to have the same number."""
    parents: dict[SlotKey, SlotKey] = {key: key for key in keys}

    def root(key: SlotKey) -> SlotKey:
        while parents[key] != key:
            key = parents[key]
        return key

    for use in uses:
        for tied in use.tied[1:]:
            parents[root(tied)] = root(use.tied[0])
    numbers: dict[SlotKey, int] = {}
    return {key: numbers.setdefault(root(key), len(numbers)) for key in keys}


class _Origins:
    """The places that the origins of tensors, and the ports that they leave by, allow."""

    def __init__(
        self, machine: ModuleMemory, functions: Sequence[func.FuncOp], uses: Sequence[Use]
    ) -> None:
        self._machine = machine
        self._held = _reached_by_held(uses)
        self._ports = {
            value: port
            for function in functions
            if not is_private(function)
            for value, port in _ports(function)
            if is_tensor(value)
        }

    def places(self, key: SlotKey) -> list[PoolOption]:
        """Return all places that the origin allows."""
        if isinstance(key, tuple):
            return anywhere(self._machine.pools)
        if key in self._ports:
            return self._places_of_port(self._ports[key])
        return [*places_of(key, self._machine.pools), *self._held.get(key, ())]

    def requirement(self, key: SlotKey, places: Iterable[PoolOption]) -> Requirement:
        """Return the origin as a requirement, for messages."""
        names = tuple(dict.fromkeys(place.pool for place in places))
        if isinstance(key, tuple):
            return Requirement(names, "it is a parameter", ir.Location.unknown(), is_origin=True)
        port = self._ports.get(key)
        described = storage_origin_of(key).value if port is None else f"is {port.description}"
        return Requirement(names, f"it {described}", key.location, is_origin=True)

    def _places_of_port(self, port: FunctionPort) -> list[PoolOption]:
        if port.candidates is None and not (self._machine.pooled or port.by_rows):
            return [PoolOption(CALLER, port.is_result)]
        return [
            PoolOption(pool.name, port.is_result)
            for pool in pools_in_order(self._machine.pools.values())
            if pool.kind is PoolKind.workspace
            or (pool.kind is PoolKind.state and pool.name in (port.candidates or ()))
        ]


def _ports(function: func.FuncOp) -> Iterator[tuple[ir.Value, FunctionPort]]:
    block = function.entry_block
    yield from zip(block.arguments, arguments_of(function), strict=True)
    yield from zip(last_op(block).operands, results_of(function), strict=True)


def _reached_by_held(uses: Sequence[Use]) -> dict[ir.Value, tuple[PoolOption, ...]]:
    """Return the places of writable buffers, for every tensor that may take over their storage."""
    found: dict[ir.Value, tuple[PoolOption, ...]] = {}
    for use in uses:
        if storage_origin_of(use.value) is StorageOrigin.HELD and held_by(use.value).writable:
            found[use.value] = tuple(PoolOption(name, True) for name in held_by(use.value).pools)
    changed = bool(found)
    while changed:
        changed = False
        for use in uses:
            for tied in use.tied:
                known = found.get(tied, ())
                joined = tuple(dict.fromkeys((*known, *found.get(use.value, ()))))
                if joined != known:
                    found[tied], changed = joined, True
    return found
