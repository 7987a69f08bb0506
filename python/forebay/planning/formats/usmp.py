"""The test dumps of TVM USMP as problems of our own format.

They use other names for some fields, `lower` and `upper` for a lifetime of one interval, and
`conflicts_directed`, which lists for each buffer those in conflict with it. In a dump with
`conflicts_directed`, the objective is the sum of the peaks of the unlimited pools.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec

from forebay.formats.reading import DocumentError

Fields = dict[str, Any]

_OUR_NAMES = {
    "id": "name",
    "align": "alignment",
    "pool_candidates": "candidates",
    "size_limit": "capacity",
}


def from_usmp(data: Any) -> Any:
    """Return the data of a problem with our names of fields; other data is returned unchanged.

    Raises `DocumentError` for `conflicts_directed` of another form.
    """
    if not isinstance(data, dict):
        return data
    root = dict(cast(Fields, data))
    for key in ("pools", "buffers"):
        entries: Any = root.get(key)
        if isinstance(entries, list):
            root[key] = [_renamed(entry) for entry in cast("list[Any]", entries)]
    if "conflicts_directed" in root:
        root["conflicts"] = [*root.get("conflicts", []), *_pairs(root.pop("conflicts_directed"))]
        root["pools"] = [_with_peak_as_objective(pool) for pool in root.get("pools", [])]
    return root


def _renamed(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    fields = {_OUR_NAMES.get(name, name): value for name, value in cast(Fields, entry).items()}
    if "lower" in fields and "upper" in fields:
        fields["lifetime"] = [[fields.pop("lower"), fields.pop("upper")]]
    return fields


def _pairs(relation: Any) -> list[list[str]]:
    """Return the unordered pairs of a relation that may list a pair in one direction only."""
    try:
        listed = msgspec.convert(relation, dict[str, list[str]])
    except msgspec.ValidationError as error:
        raise DocumentError("$.conflicts_directed must be an object of lists of names") from error
    both = [(name, other) for name, others in listed.items() for other in others]
    return [list(pair) for pair in {(min(names), max(names)): None for names in both}]


def _with_peak_as_objective(pool: Any) -> Any:
    if not isinstance(pool, dict):
        return pool
    fields = cast(Fields, pool)
    return {**fields, "cost": 0, "weight": 1 if fields.get("capacity") is None else 0}
