"""The stages from an imported module to a planned program, in order."""

from __future__ import annotations

import io
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress

from mlir import ir
from mlir.dialects import func
from msgspec import Struct, field

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.cascade.steps import with_peaks
from forebay.device_stages.grants import granted
from forebay.frontends.tensors import ModelTensors
from forebay.ir.module import module_of
from forebay.ir.problem.problem import extract_problem, plan_of
from forebay.ir.refused import PoolShortageError
from forebay.network.model import ModelInfo
from forebay.options import Options
from forebay.options.options import Progress
from forebay.pipelines import PipelineError, RunPasses, run_together, stages
from forebay.pipelines.describe import NO_MODEL_TENSORS, describe, with_interleaved
from forebay.pipelines.printing import printing
from forebay.planning import PlanInfeasibleError, certify
from forebay.reports.budget_attribute import take_steps
from forebay.reports.copies import pool_copies_in
from forebay.reports.loops import unoverlapped_in, unpipelined_in
from forebay.reports.offload import OffloadReport
from forebay.reports.offload_attribute import take_offload
from forebay.reports.plan_report import PlanReport
from forebay.reports.state_rings import state_rings_in


class StageTimer(Struct):
    """Measures the time of each stage, and reports each stage's name when it begins."""

    progress: Progress | None = None
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    """The time of each stage, all of its runs together."""

    @contextmanager
    def __call__(self, stage: str) -> Generator[None]:
        """Measure the stage inside the `with` block."""
        if self.progress is not None:
            self.progress(stage)
        begin = time.perf_counter()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0) + time.perf_counter() - begin


class BuiltProgram(Struct, frozen=True, eq=False):
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
) -> BuiltProgram:
    """Run all stages on an imported module, which changes; it or another one becomes `final`.

    `tensors` are those of the model's file, with the quantisation of buffers. `run_passes` runs all
    passes up to the plan.
    """
    run_passes = printing(options, run_passes)
    with clock("lower"):
        run_passes(module, stages.lowering_passes(options))
        offload = take_offload(module.operation)
    module = _planned(module, options, clock, run_passes)
    with clock("plan"):
        root = module_of(module)
        extraction = extract_problem(root)
        plan = plan_of(root, extraction=extraction)
        certificates = certify(plan)
        report = PlanReport(
            plan,
            certificates,
            pool_copies_in(root, extraction.liveness),
            unpipelined_in(root),
            unoverlapped_in(root),
            with_peaks(take_steps(module.operation), {c.pool: c.peak for c in certificates}),
            state_rings_in(root),
        )
        info = describe(
            module,
            name,
            source_hash,
            report,
            tensors=tensors,
            offload=offload,
            extraction=extraction,
        )
        planned = module.operation.clone().operation
    with clock("materialize"):
        printing(options)(module, stages.materialization_passes(options))
        info = with_interleaved(info, module)
    return BuiltProgram(planned, module, info, report, offload)


_SMALLER = (90, 75, 50)
"""Percent of the free bytes that stages get, one after the other, if no plan exists with all."""


def _planned(
    module: ir.Module, options: Options, clock: StageTimer, run_passes: RunPasses
) -> ir.Module:
    """Return the module with buffers and a plan.

    The stages of devices get the free bytes of a trial plan. In the final plan these may be in
    ranges that are too small for the tiles, as buffers of other operators lie between. Then all
    stages run again, with less. Raises the first error if that does not help.
    """
    lowered = module.operation.clone().operation
    try:
        _plan(module, options, clock, run_passes, stages.ALL)
    except PipelineError as error:
        is_shortage = isinstance(error.origin, (PlanInfeasibleError, PoolShortageError))
        if not (is_shortage and _has_granted(module)):
            raise
        for share in _SMALLER:
            again = _copy_of(lowered)
            with suppress(PipelineError):
                _plan(again, options, clock, run_passes, share)
                return again
        raise
    return module


def _plan(
    module: ir.Module, options: Options, clock: StageTimer, run_passes: RunPasses, share: int
) -> None:
    with clock("bufferize"):
        run_passes(module, stages.bufferization_passes(options, share))
    with clock("plan"):
        run_passes(module, stages.planning_passes(options))


def _has_granted(module: ir.Module) -> bool:
    """Return whether a stage has lowered a call."""
    functions = (op for op in module.body.operations if isinstance(op, func.FuncOp))
    return any(granted(function) is not None for function in functions)


def _copy_of(op: ir.Operation) -> ir.Module:
    bytecode = io.BytesIO()
    op.write_bytecode(bytecode)
    return ir.Module.parse(bytecode.getvalue())
