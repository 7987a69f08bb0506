"""Collect everything unsupported in a network, and report it in one error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forebay.frontends.errors import UnsupportedModel

MOST_INDICES = 8
_LONGEST = 100
"""The largest length of advice, in characters, that is printed on the line of its operator."""


class UnsupportedOperator(UnsupportedModel):
    """A well-formed operator that is not supported; `reason` does not name the operator."""

    def __init__(self, file_name: str, index: int, name: str, what: str, way_out: str) -> None:
        super().__init__(f"operator {index} ({name}): not supported: {what}; {way_out}", file_name)
        self.index, self.name, self.reason, self.way_out = index, name, what, way_out


def all_missing(file_name: str, found: Sequence[UnsupportedModel]) -> UnsupportedModel:
    """Return one error for all found: a single error unchanged, else one line per kind."""
    if len(found) == 1:
        return found[0]
    kinds: dict[tuple[str, str, str], list[int]] = {}
    others: dict[str, None] = {}
    ways_out: dict[str, list[str]] = {}
    for error in found:
        if isinstance(error, UnsupportedOperator):
            kinds.setdefault((error.name, error.reason, error.way_out), []).append(error.index)
            ways_out.setdefault(error.way_out, []).append(error.name)
        else:
            others[error.what] = None
    shared = [way for way, n in ways_out.items() if len(set(n)) > 1 or len(way) > _LONGEST]
    lines = list(others)
    for (name, what, way_out), indices in kinds.items():
        more = "" if way_out in shared else f"; {way_out}"
        lines.append(f"{_operators(indices)} ({name}): {what}{more}")
    listed = "".join(f"\n  {line}" for line in [*lines, *shared])
    return UnsupportedModel(f"not supported are {len(found):,} things:{listed}", file_name)


def _operators(indices: Iterable[int]) -> str:
    numbers = [str(index) for index in indices]
    more = f" and {len(numbers) - MOST_INDICES:,} more" if len(numbers) > MOST_INDICES else ""
    plural = "s" if len(numbers) > 1 else ""
    return f"operator{plural} {', '.join(numbers[:MOST_INDICES])}{more}"
