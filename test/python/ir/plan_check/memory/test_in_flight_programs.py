"""The verifier refuses exactly the programs that the emulator stops for some input.

It sees all paths at once, the emulator one in each run: here all inputs that decide are tried.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from common.programs.token_programs import CHOICES, Program
from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.emulator import Emulator, Fault
from forebay.emulator.memory.faults import NotWaited, WaitedTwice
from forebay.ir.liveness.liveness import liveness_of
from forebay.ir.plan_check import execute, placed_in
from forebay.ir.refused import RefusedError
from forebay.pipelines import run_pipeline

SEEDS = range(40)


def parsed(text: str) -> ModuleOp:
    opview = ir.Module.parse(text).operation.opview
    assert isinstance(opview, ModuleOp)
    return opview


def faults(module: ModuleOp) -> list[Fault]:
    """Of all inputs; a token that is waited for twice says nothing about bytes."""
    machine = Emulator(module.operation)
    found: list[Fault] = []
    for flags in product(range(3), repeat=CHOICES):
        try:
            machine.call("main", [np.array(flags, np.int8)])
        except Fault as fault:
            found.append(fault)
    return [fault for fault in found if not isinstance(fault, WaitedTwice)]


def verifier(module: ModuleOp) -> str:
    try:
        execute(module, placed_in(module))
    except RefusedError as refused:
        return str(refused)
    return ""


def liveness(module: ModuleOp) -> str:
    try:
        liveness_of(module)
    except RefusedError as refused:
        return str(refused)
    return ""


def test_the_programs_are_of_both_kinds() -> None:
    with ir.Context(), ir.Location.unknown():
        refused = [bool(verifier(parsed(Program(seed).text()))) for seed in SEEDS]
    assert min(refused.count(True), refused.count(False)) >= len(SEEDS) // 4


@pytest.mark.parametrize("seed", SEEDS)
def test_what_some_run_stops_at_is_refused_and_nothing_else(seed: int) -> None:
    with ir.Context(), ir.Location.unknown():
        module = parsed(Program(seed).text())
        stopped, refused = faults(module), verifier(module)
        assert bool(stopped) == bool(refused), (refused, [str(fault) for fault in stopped[:1]])
        if any(isinstance(fault, NotWaited) for fault in stopped):
            assert "the program does not wait for the token" in liveness(module)
        if not stopped:
            assert liveness(module) == ""


def test_right_programs_are_planned_without_sharing_what_is_in_flight() -> None:
    tried = 0
    for seed in SEEDS:
        with ir.Context(), ir.Location.unknown():
            if verifier(parsed(Program(seed).text())):
                continue
            module = ir.Module.parse(Program(seed).text(placed=False))
            run_pipeline(module, "builtin.module(memref-pool-plan,memref-pool-verify-plan)")
            opview = module.operation.opview
            assert isinstance(opview, ModuleOp)
            assert faults(opview) == []
            tried += 1
    assert tried >= len(SEEDS) // 4
