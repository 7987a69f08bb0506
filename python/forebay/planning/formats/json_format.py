"""Problems and plans as JSON: the fields of `Pool`, `Buffer` and `Problem` by their names.

Reads TVM USMP's test dumps, too: `id`, `align`, `lower` and `upper`, `pool_candidates`,
`size_limit` and `conflicts_directed`. Those with conflicts ask for the smallest unlimited pools.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar, cast

from forebay.planning.buffer import Buffer, Interval, Kind
from forebay.planning.certificate import certify
from forebay.planning.errors import FormatError
from forebay.planning.plan import Plan
from forebay.planning.pool import ByteRange, Pool
from forebay.planning.problem import Problem
from forebay.planning.separation import Separation

Fields = dict[str, Any]
Kinded = TypeVar("Kinded", Pool, Buffer, Separation)
OTHER_NAMES = {
    "id": "name",
    "align": "alignment",
    "pool_candidates": "candidates",
    "size_limit": "capacity",
}

INTEGERS = {
    *("size", "alignment", "pinned_offset"),
    *("capacity", "start", "base", "unit", "banks", "cost", "weight"),
    *("shared_byte", "same_bank"),
}
TEXTS = {"name", "pinned_pool", "alias", "origin", "first", "second"}


def parse_json(text: str, name: str) -> Problem:
    """The problem in a JSON text; raises `FormatError` with what is wrong."""
    try:
        data: Any = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}") from error
    if not isinstance(data, dict) or not {"pools", "buffers"} <= data.keys():
        raise FormatError("needs an object with 'pools' and 'buffers'")
    root: Fields = data
    pools = tuple(_pool(entry) for entry in _entries(root, "pools"))
    buffers = tuple(_buffer(entry) for entry in _entries(root, "buffers"))
    conflicts = [_pair(pair) for pair in root.get("conflicts", [])]
    if "conflicts_directed" in root:
        conflicts += _directed(root["conflicts_directed"])
        pools = tuple(_only_peak(pool) for pool in pools)
    wishes = _entries(root, "separations") if "separations" in root else []
    separations = tuple(_make(Separation, entry) for entry in wishes)
    steps = tuple(map(str, root.get("steps", ())))
    named = str(root.get("name") or name)
    return Problem(pools, buffers, tuple(conflicts), steps, named, separations)


def print_json(plan: Plan) -> str:
    """Placements and certificates of a plan."""
    placements = {
        name: {"pool": pool, "offset": offset} for name, (pool, offset) in plan.placements.items()
    }
    certificates = [
        {
            "pool": c.pool,
            "peak": c.peak,
            "lower_bound": c.lower_bound,
            "optimal": c.optimal,
            "argument": c.argument,
            "at_bound": list(c.at_bound),
            "step": c.step,
            "holes": [list(hole) for hole in c.holes],
            **({"penalty": c.penalty} if plan.problem.separations else {}),
        }
        for c in certify(plan)
    ]
    data = {
        "planner": plan.planner,
        "cost": plan.cost,
        **({"penalty": plan.penalty} if plan.problem.separations else {}),
        "pools": certificates,
        "placements": {b.name: placements[b.name] for b in plan.problem.buffers},
    }
    return json.dumps(data, indent=1) + "\n"


def _entries(root: Fields, key: str) -> list[Fields]:
    entries: Any = root[key]
    if not isinstance(entries, list):
        raise FormatError(f"'{key}' must be a list of objects")
    return [_renamed(key, entry) for entry in cast(list[Any], entries)]


def _renamed(key: str, entry: Any) -> Fields:
    if not isinstance(entry, dict):
        raise FormatError(f"'{key}' must be a list of objects")
    given = cast(Fields, entry)
    return {OTHER_NAMES.get(name, name): value for name, value in given.items()}


def _pool(entry: Fields) -> Pool:
    _convert(entry, "reserved", _ranges)
    return _make(Pool, entry)


def _buffer(entry: Fields) -> Buffer:
    if "lower" in entry and "upper" in entry:
        entry["lifetime"] = [(entry.pop("lower"), entry.pop("upper"))]
    _convert(entry, "lifetime", _intervals)
    _convert(entry, "kind", Kind)
    for key in ("candidates", "pinned_by", "costs"):
        _convert(entry, key, _tuple)
    return _make(Buffer, entry)


def _ranges(value: Any) -> tuple[ByteRange, ...]:
    return tuple(ByteRange(int(start), int(end)) for start, end in value)


def _intervals(value: Any) -> tuple[Interval, ...]:
    return tuple(Interval(int(start), int(end)) for start, end in value)


def _tuple(value: Any) -> tuple[Any, ...] | None:
    return None if value is None else tuple(value)


def _convert(entry: Fields, key: str, convert: Any) -> None:
    if key in entry:
        try:
            entry[key] = convert(entry[key])
        except (TypeError, ValueError) as error:
            raise FormatError(f"'{entry.get('name')}': '{key}' is wrong: {error}") from error


def _make(kind: type[Kinded], entry: Fields) -> Kinded:
    known = [field.name for field in fields(kind)]
    who = repr(entry.get("name", entry.get("first")))
    for key in entry:
        if key not in known:
            raise FormatError(f"{who}: unknown field '{key}'; known: {', '.join(known)}")
    for key in INTEGERS & entry.keys():
        if not isinstance(entry[key], int | None) or isinstance(entry[key], bool):
            raise FormatError(f"{who}: '{key}' must be an integer")
    for key in TEXTS & entry.keys():
        if not isinstance(entry[key], str | None):
            raise FormatError(f"{who}: '{key}' must be text")
    try:
        return kind(**entry)
    except TypeError as error:
        raise FormatError(f"{who}: {error}") from error


def _pair(pair: Any) -> tuple[str, str]:
    try:
        first, second = pair
    except (TypeError, ValueError) as error:
        raise FormatError(f"a conflict is a pair of names, not {pair!r}") from error
    return str(first), str(second)


def _directed(conflicts: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """The pairs of a relation that may be given in one direction only."""
    pairs = {(min(a, b), max(a, b)): None for a, others in conflicts.items() for b in others}
    return list(pairs)


def _only_peak(pool: Pool) -> Pool:
    weight = 0 if pool.capacity is not None else 1
    return Pool(pool.name, pool.capacity, pool.alignment, cost=0, weight=weight)
