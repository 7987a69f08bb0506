"""Planned modules, right or changed behind the planner's back, as compiled code in the machine."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (dialects and passes)
from forebay.ir.module import module_of
from forebay.ir.problem.problem import plan_of
from forebay.network.model import ModelInfo
from forebay.options import Options
from forebay.pipelines import run_pipeline, stages
from forebay.pipelines.describe import describe
from forebay.planning import certify
from forebay.reports.plan_report import PlanReport

BOTH = ("c", "llvm")
Network = tuple[ir.Module, ModelInfo]


def network(
    planned: ir.Module,
    *changes: tuple[str, str],
    edit: Callable[[ir.Operation], None] = lambda _: None,
) -> Network:
    """Materialised; what is changed, in the text or by `edit`, is not verified again."""
    plan = plan_of(module_of(planned))
    info = describe(planned, "net", "ab" * 32, PlanReport(plan, certify(plan)))
    text = str(planned.operation.get_asm(enable_debug_info=True))
    for before, after in changes:
        assert before in text, before
        text = text.replace(before, after)
    changed = ir.Module.parse(text)
    edit(changed.operation)
    run_pipeline(changed, stages.materialization(Options()).replace("memref-pool-verify-plan,", ""))
    return changed, info
