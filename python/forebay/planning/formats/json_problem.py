"""Printing of a problem as JSON for `json_format`; fields with default values are omitted."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from enum import Enum
from typing import Any

from forebay.planning.model.buffer import Buffer
from forebay.planning.model.pool import Pool
from forebay.planning.model.problem import Problem
from forebay.planning.model.separation import Separation


def print_json_problem(problem: Problem) -> str:
    """Print a problem with one line per pool, buffer, conflict and separation."""
    parts = [
        f'"name": {json.dumps(problem.name)}',
        _list("pools", [_fields(pool) for pool in problem.pools]),
        _list("buffers", [_fields(buffer) for buffer in problem.buffers]),
    ]
    if problem.conflicts:
        parts.append(_list("conflicts", list(problem.conflicts)))
    if problem.separations:
        parts.append(_list("separations", [_fields(wish) for wish in problem.separations]))
    if problem.steps:
        parts.append(_list("steps", list(problem.steps)))
    return "{" + ",\n".join(parts) + "}\n"


def _list(key: str, entries: list[Any]) -> str:
    return f'"{key}": [\n' + ",\n".join(json.dumps(entry) for entry in entries) + "]"


def _fields(entry: Pool | Buffer | Separation) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in fields(entry):
        value = getattr(entry, field.name)
        if field.default is MISSING or value != field.default:
            found[field.name] = value.value if isinstance(value, Enum) else value
    return found
