"""Comparison of the board's output with the golden outputs."""

from __future__ import annotations

from collections.abc import Mapping

from forebay.formats.mcu_report import OutputHash
from forebay.mcu.errors import MismatchError
from forebay.mcu.run.emulate import EmulatedRun
from forebay.mcu.run.golden import expected_hashes
from forebay.network.model import ModelInfo


def compared(model: ModelInfo, outcome: EmulatedRun) -> tuple[OutputHash, ...]:
    """Return the hashes of all outputs; raise `MismatchError` at the first that differs."""
    for step, output, element in outcome.mismatches:
        raise MismatchError(
            f"{_place(model, step, output)}: element {element} on the board is not the golden one"
        )
    expected = expected_hashes(model)
    for (step, output), value in expected.items():
        if outcome.hashes.get((step, output)) != value:
            raise MismatchError(
                f"{_place(model, step, output)}: the board's hash is not the golden one"
            )
    return tuple(
        OutputHash(step, model.outputs[output].name, f"{value:016x}", _hex(expected, step, output))
        for (step, output), value in sorted(outcome.hashes.items())
    )


def _place(model: ModelInfo, step: int, output: int) -> str:
    return f"{model.name}: inference {step}, output '{model.outputs[output].name}'"


def _hex(hashes: Mapping[tuple[int, int], int], step: int, output: int) -> str | None:
    value = hashes.get((step, output))
    return None if value is None else f"{value:016x}"
