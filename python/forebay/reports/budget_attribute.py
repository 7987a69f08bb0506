"""The steps to budgets as an attribute of the module, from the cascade to the driver.

::

    memref_pool.budget_steps = [{added = 0 : i64, bytes = 49152 : i64, pool = "sram",
                                 step = "whole tensors"}]
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from forebay.cascade.steps import BudgetStep

BUDGET_STEPS = "memref_pool.budget_steps"


def add_steps(module: ir.Operation, steps: Sequence[BudgetStep]) -> None:
    """Append the steps of a pool to the attribute of the module."""
    known = (
        list(ir.ArrayAttr(module.attributes[BUDGET_STEPS]))
        if BUDGET_STEPS in module.attributes
        else []
    )
    module.attributes[BUDGET_STEPS] = ir.ArrayAttr.get([*known, *map(_entry, steps)])


def take_steps(module: ir.Operation) -> tuple[BudgetStep, ...]:
    """Remove the attribute from the module and return its steps."""
    if BUDGET_STEPS not in module.attributes:
        return ()
    entries = [ir.DictAttr(entry) for entry in ir.ArrayAttr(module.attributes[BUDGET_STEPS])]
    del module.attributes[BUDGET_STEPS]
    return tuple(
        BudgetStep(
            ir.StringAttr(entry["pool"]).value,
            ir.StringAttr(entry["step"]).value,
            ir.IntegerAttr(entry["bytes"]).value,
            ir.IntegerAttr(entry["added"]).value,
        )
        for entry in entries
    )


def _entry(step: BudgetStep) -> ir.DictAttr:
    wide = ir.IntegerType.get_signless(64)
    return ir.DictAttr.get(
        {
            "pool": ir.StringAttr.get(step.pool),
            "step": ir.StringAttr.get(step.step),
            "bytes": ir.IntegerAttr.get(wide, step.bytes),
            "added": ir.IntegerAttr.get(wide, step.added),
        }
    )
