"""Plans with padded copies are taken where copies save instructions, or bytes that are needed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from common.programs.row_programs import TEXT
from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay.cascade.search import CascadePlan
from forebay.ir.cascade.budgets import apply_budget
from forebay.ir.cascade.pool_budgets import PoolBudget
from forebay.ir.cascade.pool_cascade import PoolCascade
from forebay.ir.identity import identity_of
from forebay.ir.machine.pools import pools_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.refused import RefusedError
from forebay.reports.budget_attribute import take_steps

COPIES = "test.copies"
"""The number of padded copies of a clone."""


@pytest.fixture(autouse=True)
def context():
    with ir.Context():
        yield


def _module() -> ModuleOp:
    return module_of(ir.Module.parse(TEXT))


def _smallest() -> int:
    """Return the smallest peak without copies."""
    module = _module()
    apply_budget(module, PoolBudget("ws", None), "auto")
    return pools_in(module.operation)["ws"].capacity or 0


class Choices:
    """Padded copies that change nothing but the number of instructions."""

    def __init__(self, *gains: float) -> None:
        self.gains = dict(enumerate(gains))
        self.tried: list[list[int]] = []
        self.kernels: list[ir.OpView] = []
        self.applied: list[int] = []

    def row_bytes(self, number: int) -> int:
        return (7 * number) % 5

    def pad(self, clone: ModuleOp, numbers: Sequence[int]) -> list[ir.OpView]:
        self.tried.append([*numbers])
        width = ir.IntegerType.get_signless(64)
        clone.operation.attributes[COPIES] = ir.IntegerAttr.get(width, len(numbers))
        ops = ops_nested_in(clone)
        self.kernels = [ops[number] for number in numbers]
        return self.kernels

    def apply(self, numbers: Sequence[int]) -> None:
        self.applied.extend(numbers)

    def pad_within_plan(self, module: ModuleOp, planner: str) -> None:
        """Pad nothing: no copy has fewer bytes than the plan."""


@pytest.mark.parametrize(("gain", "applied"), [(-1.0, []), (0.0, []), (1.0, [0])])
def test_padded_copies_must_save_instructions(gain: float, applied: list[int]):
    padding, budget = Choices(gain), _smallest() + 64
    apply_budget(_module(), PoolBudget("ws", budget), "auto", padding)
    assert padding.applied == applied and padding.tried == [[0]]


def test_copies_of_the_smallest_rows_are_tried_last(monkeypatch):
    budget, within = _smallest() + 64, PoolCascade.within
    padding = Choices(*[1.0] * 9)

    def without_copies(cascade: PoolCascade, limit: int) -> CascadePlan | None:
        return None if padding.tried else within(cascade, limit)

    monkeypatch.setattr(PoolCascade, "within", without_copies)
    apply_budget(_module(), PoolBudget("ws", budget), "auto", padding)
    assert padding.applied == []
    assert padding.tried == [[0, 5, 3, 8, 1, 6, 4, 2, 7], [0, 5, 3, 8], [0, 5], [0]]


def test_copies_in_loops_above_the_budget_are_left_out_first(monkeypatch):
    budget, padding = _smallest() + 64, Choices(*[1.0] * 4)

    def above(_: PoolCascade, __: int) -> set[int]:
        return {identity_of(padding.kernels[1])} if len(padding.tried) == 1 else set()

    monkeypatch.setattr(PoolCascade, "above", above)
    apply_budget(_module(), PoolBudget("ws", budget), "auto", padding)
    assert padding.tried == [[0, 3, 1, 2], [0, 1, 2]] and padding.applied == [0, 1, 2]


@pytest.fixture
def smaller_with_copies(monkeypatch):
    """With copies for two kernels the plans have 24 bytes less, with a copy for one 40 less."""
    trial = PoolCascade.trial

    def smaller(cascade: PoolCascade, choice: CascadePlan) -> int:
        copies = cascade.module.operation.attributes.get(COPIES)
        saved = 0 if copies is None else {1: 40, 2: 24}[ir.IntegerAttr(copies).value]
        return trial(cascade, choice) - saved

    monkeypatch.setattr(PoolCascade, "trial", smaller)
    monkeypatch.setattr(PoolCascade, "above", lambda _, __: set[int]())


@pytest.mark.usefixtures("smaller_with_copies")
@pytest.mark.parametrize(
    ("below", "peak", "applied"),
    [(1, 24, [0, 1]), (24, 24, [0, 1]), (25, 40, [0]), (40, 40, [0])],
)
def test_a_budget_that_only_copies_meet_is_met(below: int, peak: int, applied: list[int]):
    smallest, padding, module = _smallest(), Choices(0.0, 0.0), _module()
    apply_budget(module, PoolBudget("ws", smallest - below), "auto", padding)
    assert padding.applied == applied
    assert take_steps(module.operation)[-1].bytes == smallest - peak
    assert pools_in(module.operation)["ws"].capacity == smallest - below


@pytest.mark.usefixtures("smaller_with_copies")
def test_all_budgets_agree_on_the_smallest_peak_with_copies():
    smallest, padding, module = _smallest(), Choices(0.0, 0.0), _module()
    apply_budget(module, PoolBudget("ws", None), "auto", padding)
    assert padding.applied == [0] and padding.tried == [[0, 1], [0]]
    assert pools_in(module.operation)["ws"].capacity == smallest - 40
    words = f"the smallest budget that works is {smallest - 40:,}, set by"
    with pytest.raises(RefusedError, match=words):
        apply_budget(_module(), PoolBudget("ws", smallest - 41), "auto", Choices(0.0, 0.0))
