"""Problems and plans as JSON: the fields of `Pool`, `Buffer` and `Problem` by their names.

The parser also reads the test dumps of TVM USMP, which use `id`, `align`, `lower` and `upper`,
`pool_candidates`, `size_limit` and `conflicts_directed`. In a dump with `conflicts_directed`,
the objective is the sum of the peaks of the unlimited pools.
"""

from __future__ import annotations

import json
from typing import Any, cast

from forebay.planning.contract.certificate import certify
from forebay.planning.formats.json_fields import Fields, make, pair
from forebay.planning.model.buffer import Buffer
from forebay.planning.model.errors import FormatError
from forebay.planning.model.plan import Plan
from forebay.planning.model.pool import Pool
from forebay.planning.model.problem import Problem
from forebay.planning.model.separation import Separation

OTHER_NAMES = {
    "id": "name",
    "align": "alignment",
    "pool_candidates": "candidates",
    "size_limit": "capacity",
}


def parse_json(text: str, name: str) -> Problem:
    """Parse a problem from JSON text; raise `FormatError`, which names the mistake."""
    try:
        data: Any = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}") from error
    if not isinstance(data, dict) or not {"pools", "buffers"} <= data.keys():
        raise FormatError("needs an object with 'pools' and 'buffers'")
    root: Fields = data
    pools = tuple(make(Pool, entry) for entry in _entries(root, "pools"))
    buffers = tuple(_buffer(entry) for entry in _entries(root, "buffers"))
    conflicts = [pair(each) for each in _list(root, "conflicts", "pairs of names")]
    if "conflicts_directed" in root:
        conflicts += _directed(root["conflicts_directed"])
        pools = tuple(_only_peak(pool) for pool in pools)
    separations = tuple(make(Separation, entry) for entry in _entries(root, "separations"))
    steps = tuple(map(str, _list(root, "steps", "names")))
    named = str(root.get("name") or name)
    return Problem(pools, buffers, tuple(conflicts), steps, named, separations)


def print_json(plan: Plan) -> str:
    """Print the placements and certificates of a plan as JSON."""
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


def _list(root: Fields, key: str, what: str) -> list[Any]:
    entries: Any = root.get(key, [])
    if not isinstance(entries, list):
        raise FormatError(f"'{key}' must be a list of {what}")
    return cast(list[Any], entries)


def _entries(root: Fields, key: str) -> list[Fields]:
    return [_renamed(key, entry) for entry in _list(root, key, "objects")]


def _renamed(key: str, entry: Any) -> Fields:
    if not isinstance(entry, dict):
        raise FormatError(f"'{key}' must be a list of objects")
    given = cast(Fields, entry)
    return {OTHER_NAMES.get(name, name): value for name, value in given.items()}


def _buffer(entry: Fields) -> Buffer:
    if "lower" in entry and "upper" in entry:
        entry["lifetime"] = [[entry.pop("lower"), entry.pop("upper")]]
    return make(Buffer, entry)


def _directed(conflicts: Any) -> list[tuple[str, str]]:
    """Return the unordered pairs of a relation that may list a pair in one direction only."""
    if not isinstance(conflicts, dict):
        raise FormatError("'conflicts_directed' must be an object of lists of names")
    relation = cast(dict[str, Any], conflicts)
    both = [pair([name, other]) for name, others in relation.items() for other in _names(others)]
    return list({(min(names), max(names)): None for names in both})


def _names(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise FormatError("'conflicts_directed' must be an object of lists of names")
    return cast(list[Any], value)


def _only_peak(pool: Pool) -> Pool:
    weight = 0 if pool.capacity is not None else 1
    return Pool(pool.name, pool.capacity, pool.alignment, cost=0, weight=weight)
