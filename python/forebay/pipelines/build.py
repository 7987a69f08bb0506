"""The stages from an imported module to a planned program, in order."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from mlir import ir
from msgspec import Struct

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.frontends.tensors import ModelTensors
from forebay.ir.module import module_of
from forebay.ir.problem.problem import plan_of
from forebay.network.model import ModelInfo
from forebay.options import Options
from forebay.options.options import Progress
from forebay.pipelines import RunPasses, run_pipeline, run_together, stages
from forebay.pipelines.describe import NO_MODEL_TENSORS, describe
from forebay.planning import certify
from forebay.reports.copies import pool_copies_in
from forebay.reports.loops import unoverlapped_in, unpipelined_in
from forebay.reports.offload import OffloadReport
from forebay.reports.offload_attribute import take_offload
from forebay.reports.plan_report import PlanReport


@dataclass
class StageTimer:
    """Measures the time of each stage, and reports each stage's name when it begins."""

    progress: Progress | None = None
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def __call__(self, stage: str) -> Generator[None]:
        """Measure the stage inside the `with` block."""
        if self.progress is not None:
            self.progress(stage)
        begin = time.perf_counter()
        yield
        self.seconds[stage] = time.perf_counter() - begin


class Built(Struct, frozen=True, eq=False):
    """A program in its two forms, `planned` and `final`, and the facts about it."""

    planned: ir.Operation
    final: ir.Module
    info: ModelInfo
    plan: PlanReport
    offload: OffloadReport | None


def build(
    module: ir.Module,
    options: Options,
    name: str,
    source_hash: str,
    clock: StageTimer,
    *,
    tensors: ModelTensors = NO_MODEL_TENSORS,
    run_passes: RunPasses = run_together,
) -> Built:
    """Run all stages on an imported module, which becomes `final`.

    `tensors` are those of the model's file, with the quantisation of buffers. `run_passes` runs all
    passes up to the plan.
    """
    with clock("lower"):
        run_passes(module, stages.lowering_passes(options))
        offload = take_offload(module.operation)
    with clock("bufferize"):
        run_passes(module, stages.bufferization_passes(options))
    with clock("plan"):
        run_passes(module, stages.planning_passes(options))
        plan = plan_of(module_of(module))
        report = PlanReport(
            plan,
            certify(plan),
            pool_copies_in(module_of(module)),
            unpipelined_in(module_of(module)),
            unoverlapped_in(module_of(module)),
        )
        info = describe(module, name, source_hash, report, tensors)
        planned = module.operation.clone().operation
    with clock("materialize"):
        run_pipeline(module, stages.materialization())
    return Built(planned, module, info, report, offload)
