"""A planned network that calls two devices, and what it computes."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
from mlir import ir
from numpy.typing import NDArray

import forebay.passes  # noqa: F401  (registers)
from forebay.ir.module import module_of
from forebay.ir.problem.problem import plan_of
from forebay.network.model import GoldenStep, ModelInfo
from forebay.options import Options
from forebay.pipelines import run_pipeline, stages
from forebay.pipelines.describe import describe
from forebay.planning import certify
from forebay.reports.plan_report import PlanReport

Network = tuple[ir.Module, ModelInfo]
INPUTS = Path(__file__).parents[2] / "python" / "codegen" / "inputs"
TEXT = (INPUTS / "two_devices.mlir").read_text()
X = np.array([0, 1, 2, 3, -4, 5, -6, 60], np.int8)


def reference(x: NDArray[np.int8]) -> NDArray[np.int32]:
    """What the module computes: the weights times x + 1, no less than zero."""
    weights = np.array([range(1, 9), [-1] * 4 + [1] * 4, range(-8, 0)])
    return np.maximum(weights @ (x.astype(np.int32) + 1), 0).astype(np.int32)


def planned(text: str = TEXT) -> Network:
    module = ir.Module.parse(text)
    run_pipeline(
        module, "builtin.module(memref-pool-plan{planner=first-fit},memref-pool-verify-plan)"
    )
    plan = plan_of(module_of(module))
    info = describe(module, "net", "cd" * 32, PlanReport(plan, certify(plan)))
    run_pipeline(module, stages.materialization(Options()))
    return module, dataclasses.replace(info, golden=(GoldenStep((X,), (reference(X),)),))
