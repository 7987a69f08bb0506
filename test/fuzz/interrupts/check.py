"""One interrupted run, judged."""

from __future__ import annotations

import random
import signal
import tempfile
from functools import cache
from pathlib import Path

from fuzz.cases import Wrong
from fuzz.interrupts.runs import Case, duration, interrupted, prepare, runnable_cases


def check(seed: int) -> dict[str, int]:
    """Interrupt a command; `Wrong` for whatever it did or left that it should not."""
    draw, cases = random.Random(seed), runnable_cases()
    case = cases[seed % len(cases)]
    number = draw.choice((signal.SIGINT, signal.SIGTERM))
    after = draw.random() * _usual(case)
    with tempfile.TemporaryDirectory(prefix="interrupts-") as temporary:
        folder = Path(temporary, "work")
        prepare(folder)
        outcome = interrupted(case, number, after, folder)
    if outcome.mistakes:
        mistakes = "; ".join(outcome.mistakes)
        raise Wrong(f"{case.name}, {number.name} after {after:.3f} s: {mistakes}")
    return {f"{case.name} exits with {outcome.code}": 1}


@cache
def _usual(case: Case) -> float:
    """Seconds that the command takes on this machine."""
    with tempfile.TemporaryDirectory(prefix="interrupts-") as temporary:
        folder = Path(temporary, "work")
        prepare(folder)
        return duration(case, folder)
