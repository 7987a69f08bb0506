"""Conversion of a planner's answer to a private copy with checked types."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from forebay.planning.model.errors import InvalidAnswerError
from forebay.planning.model.plan import Placement


def settled(planner: str, answer: Any) -> dict[str, Placement]:
    """Copy the answer of a planner into a dictionary of placements.

    Raises `InvalidAnswerError` when the answer is not a mapping from names to (pool, offset).
    """
    if not isinstance(answer, Mapping):
        raise InvalidAnswerError(
            f"planner '{planner}' answers {type(answer).__name__}, not a mapping "
            f"from buffer names to (pool, offset)"
        )
    items: Mapping[Any, Any] = answer
    return {_name(key): _placement(key, value) for key, value in items.items()}


def _name(key: Any) -> str:
    if not isinstance(key, str):
        raise InvalidAnswerError(f"the plan names a buffer {key!r}, which is no string")
    return key


def _placement(name: Any, value: Any) -> Placement:
    try:
        pool, offset = value
        return Placement(str(pool), operator.index(offset))
    except (TypeError, ValueError):
        raise InvalidAnswerError(
            f"buffer '{name}' is placed at {value!r}, not (pool, offset)", buffers=[str(name)]
        ) from None
