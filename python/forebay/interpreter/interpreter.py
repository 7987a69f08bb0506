"""Runs the entry function of a module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from mlir import ir
from mlir.dialects import func

from forebay.interpreter.program import Program
from forebay.interpreter.types import Array, dtype_of, shape_of


@dataclass(frozen=True, eq=False)
class Result:
    """What a run computes: the outputs, and the observed values in the order they were given."""

    outputs: tuple[Array, ...]
    observed: tuple[Array, ...]


class Interpreter:
    """Runs `@main` of a module as it was imported; the module is not changed and must stay.

    `observed` are values of `@main`'s block whose arrays a run also gives. Variables keep their
    values from run to run until `reset`.

    Raises `UnsupportedError` for an op that it has no rule for, or a use of one; what only the data
    decide is refused by `run`.
    """

    def __init__(self, module: ir.Operation, observed: Sequence[ir.Value] = ()) -> None:
        self._module = module  # values and ops are alive as long as it is
        self._context = module.context
        with self._context, module.location:
            self._program = Program(module)
            self._main = self._program.symbols["main"]
            self._function = self._program.function("main", self._main, observed)

    def reset(self) -> None:
        """Give variables their initial values at the next run."""
        self._program.variables.clear()

    def run(self, inputs: Sequence[Array]) -> Result:
        """Run one inference; integers are taken and given as signed ones of the same bits."""
        assert isinstance(self._main, func.FuncOp)
        self._program.begin()
        with self._context, np.errstate(all="ignore"):
            types = self._main.type.inputs
            arguments = [
                np.ascontiguousarray(value)
                .view(dtype_of(type_, self._main))
                .reshape(shape_of(type_))
                for value, type_ in zip(inputs, types, strict=True)
            ]
            outputs, observed = self._function.observe(arguments)
        return Result(tuple(map(np.asarray, outputs)), tuple(map(np.asarray, observed)))
