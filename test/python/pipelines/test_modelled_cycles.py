"""The cycles of steps are those that the emulator counts when it runs them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import forebay
from forebay.emulator.machine.timeline import HOST


@pytest.mark.parametrize("target", ["fetch_conv", "fetch_conv:act_mem=4096,wei_mem=8192,stream=1"])
def test_cycles_are_those_of_a_run(digits: Path, target: str) -> None:
    compiled = forebay.compile(digits, target=target)
    engine = compiled.emulator()
    (port,) = compiled.inputs
    engine.run([np.zeros(port.shape, port.dtype)])
    run: Counter[str] = Counter()
    for span in engine.report.timeline.spans:
        if span.lane != HOST:
            run[span.work.location] += span.work.cycles
    steps: Counter[str] = Counter()
    for step in compiled.info.steps:
        if step.cycles is not None:
            steps[step.location] += step.cycles
    assert len(run) > 3
    # an operator in a loop over tiles has one step for all of its iterations
    straight = {place for place, cycles in steps.items() if run[place] == cycles}
    assert len(straight) > 3
    assert all(cycles <= run[place] for place, cycles in steps.items())
    assert all(step.cycles is None for step in compiled.info.steps if step.device == "cpu")
