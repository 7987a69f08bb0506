"""What a model computes, operator by operator: its tensors, on the host, away from every plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mlir import ir
from numpy.typing import NDArray

from forebay.built import Clock, build
from forebay.codegen.llvm_engine import LlvmEngine
from forebay.codegen.model import ModelInfo
from forebay.pipelines import run, stages
from forebay.pipelines.settings import OWN_TARGET, Settings
from forebay.values.holders import ends_in
from forebay.values.layouts import device_layouts
from forebay.values.observed import Observed, observed
from forebay.values.tensors import Tensors, Values


class ModelValues:
    """Runs a model for what is between its operators; state is kept until a reset."""

    def __init__(self, tensors: Tensors, model: Observed, engine: LlvmEngine) -> None:
        self.tensors = tensors
        self._outputs = model.outputs
        self._results = model.results
        self._engine = engine

    def run(self, inputs: Sequence[NDArray[Any]]) -> Values:
        """The elements of every tensor and output for these inputs."""
        outputs = self._engine.run(inputs)
        pairs = zip(self.tensors.all, self._results, strict=True)
        tensors = {tensor.origin: outputs[number] for tensor, number in pairs}
        return Values(tensors, outputs[: self._outputs])

    def reset(self) -> None:
        """Initialise the state."""
        self._engine.reset()


def values_of(source: ir.Operation, settings: Settings, info: ModelInfo) -> ModelValues:
    """Build an imported model for the host, with all of its tensors as results.

    A module with devices of its own keeps them: there, intrinsics are what their references say.
    """
    model, partitioned = observed(source), observed(source)
    own = settings.target == OWN_TARGET
    plain = Settings(target=OWN_TARGET if own else "host", planner="greedy-by-size")
    with source.context, source.location:
        run(partitioned.module, stages.partitioning(replace(settings, offload_report="")))
        built = build(model.module, plain, info.name, info.source_hash, Clock())
        engine = LlvmEngine(built.final, built.info)
        ends = ends_in(built.planned, model.tensors)
    tensors = Tensors(model.tensors, device_layouts(partitioned), ends)
    return ModelValues(tensors, model, engine)
