"""Wrong plans of real networks: what changes a result is caught, and right plans pass."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import forebay
from forebay.dialects.memref_pool import AllocOp, PlacementAttr
from forebay.emulator import Emulator, Fault
from forebay.ir.nested import ops_nested_in

Places = dict[int, int]


class Planned:
    """The planned form of a network, whose workspace may be moved around."""

    def __init__(self, compiled: forebay.Compiled) -> None:
        self.module = compiled.planned
        self.allocs = [op for op in ops_nested_in(self.module) if isinstance(op, AllocOp)]
        self.offsets = [op.placement.offset for op in self.allocs]
        self.sizes = [int(np.prod(op.memref.type.shape)) for op in self.allocs]

        self.right = Emulator(self.module)

    def emulator(self, offsets: list[int]) -> Emulator:
        clone = self.module.clone().operation
        allocs = [op for op in ops_nested_in(clone) if isinstance(op, AllocOp)]
        with self.module.context:
            for op, offset in zip(allocs, offsets, strict=True):
                op.placement = PlacementAttr.get(op.placement.pool, offset)
        return Emulator(clone, like=self.right)


def mutants(planned: Planned, count: int) -> Iterator[list[int]]:
    """Shifts by an alignment or more, swaps, and buffers on top of others."""
    rng = random.Random(0)
    numbers = range(len(planned.offsets))
    for _ in range(count):
        offsets = list(planned.offsets)
        one, other = rng.sample(numbers, 2)
        kind = rng.randrange(3)
        if kind == 0:
            offsets[one] = max(0, offsets[one] + rng.choice([-64, -16, 16, 64]))
        elif kind == 1:
            offsets[one], offsets[other] = offsets[other], offsets[one]
        else:
            offsets[one] = offsets[other]
        yield offsets


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kws_dscnn_int8", "resnet8_int8"])
def test_mutants_that_change_a_result_are_caught(name: str, shared_models: Path) -> None:
    """A mutant without a fault must give the right bits."""
    compiled = forebay.compile(shared_models / f"{name}.tflite")
    planned = Planned(compiled)
    with np.load(shared_models / "golden" / "tflm" / f"{name}.npz") as arrays:
        x, y = arrays["in0_0"], arrays["out0_0"]
    caught = passed = 0
    for offsets in mutants(planned, 60):
        try:
            (actual,) = planned.emulator(offsets).call("main", [x])
        except Fault:
            caught += 1
            continue
        np.testing.assert_array_equal(actual, y)  # not caught, so it must not matter
        passed += 1
    assert caught >= 20, f"{caught} caught, {passed} harmless"


@pytest.mark.slow
def test_other_right_plans_raise_no_alarm(shared_models: Path) -> None:
    model = shared_models / "kws_dscnn_int8.tflite"
    with np.load(shared_models / "golden" / "tflm" / "kws_dscnn_int8.npz") as arrays:
        x, y = arrays["in0_0"], arrays["out0_0"]
    for planner in ("first-fit", "greedy-by-size", "greedy-by-conflicts", "hill-climb"):
        compiled = forebay.compile(model, planner=planner)
        np.testing.assert_array_equal(compiled.run(x, engine="emulator"), y)


def test_a_shortened_plan_of_a_stateful_network_is_caught(shared_models: Path) -> None:
    planned = Planned(forebay.compile(shared_models / "mww_vad_int8.tflite"))
    machine = planned.emulator([0] * len(planned.offsets))
    machine.call("reset")
    with pytest.raises(Fault, match="over live buffer"):
        machine.call("main", [np.zeros((1, 3, 40), np.int8)])
