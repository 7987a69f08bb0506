"""The headers of instruction sets: functions on vectors, with a portable form beside each."""

from __future__ import annotations

from collections.abc import Iterable

INSTRUCTION_SET_HEADERS = {
    "forebay_dsp.h": ("forebay_load_i8x4", "forebay_dot_i8x4", "forebay_lane_i8x4"),
}
"""The functions of each header; the headers are in `codegen.project.interface.runtime`."""


def instruction_set_headers(called: Iterable[str]) -> tuple[str, ...]:
    """Return the headers of these functions, in a fixed order."""
    names = frozenset(called)
    return tuple(
        header for header, functions in INSTRUCTION_SET_HEADERS.items() if names & {*functions}
    )
