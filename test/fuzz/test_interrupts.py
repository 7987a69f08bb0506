"""Signals at drawn moments: `python test/fuzz interrupts` makes many more of them."""

import random
import signal
from pathlib import Path

import pytest
from common.sweep import sweep

from fuzz.interrupts import runs as interrupts

RUNS = 12
SECONDS = 2.5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which one run has written its project."""
    folder = tmp_path_factory.mktemp("interrupts") / "work"
    interrupts.prepare(folder)
    interrupts.duration(interrupts.CASES[0], folder)
    return folder


def drawn() -> list[tuple[interrupts.Case, signal.Signals, float]]:
    draw, cases = random.Random(11), interrupts.runnable_cases()
    return [
        (
            cases[number % len(cases)],
            draw.choice((signal.SIGINT, signal.SIGTERM)),
            draw.random() * SECONDS,
        )
        for number in range(RUNS)
    ]


@pytest.mark.parametrize("run", sweep(drawn(), fast=3))
def test_a_command_ends_cleanly_at_any_moment(
    run: tuple[interrupts.Case, signal.Signals, float], folder: Path
) -> None:
    case, number, after = run
    assert interrupts.interrupted(case, number, after, folder).mistakes == ()
