"""Compute the values of a model, operator by operator, by the interpreter, without any plan."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from mlir import ir
from numpy.typing import NDArray

from forebay.options import Options
from forebay.pipelines import run_pipeline, stages
from forebay.reference import Interpreter
from forebay.values.ends import ends_of
from forebay.values.layouts import device_layouts
from forebay.values.observed import observed, tensors_in
from forebay.values.tensors import Tensors, Values


class ModelValues:
    """The values between the operators of a model, computed by the interpreter.

    State persists until a reset. `module` is the model as it was imported, `options` how it was
    compiled. Raises `UnsupportedError` when the interpreter has no rule for an op.
    """

    def __init__(self, module: ir.Operation, options: Options) -> None:
        found = tensors_in(module)
        self._module = module
        self._options = options
        self._origins = [tensor.origin for tensor, _ in found]
        self._interpreter = Interpreter(module, [value for _, value in found])

    @functools.cached_property
    def tensors(self) -> Tensors:
        """Return the tensors and their layouts in the program.

        The passes that run here determine only where to look, not the values. A module with devices
        of its own keeps them, so that its intrinsics do not become tensors.
        """
        options = self._options
        partitioned, lowered = observed(self._module), observed(self._module)
        plain = Options(target=None if options.target is None else "host")
        with self._module.context, self._module.location:
            run_pipeline(partitioned.module, stages.partitioning(options))
            run_pipeline(lowered.module, stages.lowering(plain))
            return Tensors(partitioned.tensors, device_layouts(partitioned), ends_of(lowered))

    def run(self, inputs: Sequence[NDArray[Any]]) -> Values:
        """Return the elements of every tensor and output for these inputs."""
        result = self._interpreter.run(inputs)
        return Values(dict(zip(self._origins, result.observed, strict=True)), result.outputs)

    def reset(self) -> None:
        """Initialise the state."""
        self._interpreter.reset()
