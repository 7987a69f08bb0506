"""Run the entry function of a module."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import func
from msgspec import Struct

from forebay.reference.errors import UnsupportedError
from forebay.reference.program import Program
from forebay.reference.types import (
    Array,
    dtype_of,
    shape_of,
    zeros,
)

_RESULT = "bufferize.result"
"""The attribute of an argument that is memory for a result."""


class Result(Struct, frozen=True, eq=False):
    """The outputs of a run, and the observed values in the order in which they were given."""

    outputs: tuple[Array, ...]
    observed: tuple[Array, ...]


class Interpreter:
    """An interpreter for `@main` of a module as it was imported.

    The interpreter does not change the module, and the caller must not change it either. `observed`
    are values of `@main`'s block whose arrays a run also returns. Variables keep their values from
    run to run until `reset`.

    Raises `UnsupportedError` for an op, or a use of one, without a rule; `run` raises it where only
    the data show the problem.
    """

    def __init__(self, module: ir.Operation, observed: Sequence[ir.Value] = ()) -> None:
        self._module = module  # keeps values and ops alive
        self._context = module.context
        with self._context, module.location:
            self._program = Program(module)
            self._main = self._program.symbols["main"]
            self._function = self._program.function("main", self._main, observed)

    def reset(self) -> None:
        """Make variables take their initial values at the next run."""
        self._program.variables.clear()

    def run(self, inputs: Sequence[Array]) -> Result:
        """Run one inference; integers are passed and returned as signed ones of the same bits.

        Buffers that `@main` takes for its results are allocated here, and are the first outputs.
        """
        self._program.begin()
        with self._context, np.errstate(all="ignore"):
            arguments, written = self._arguments(inputs)
            returned, observed = self._function.observe(arguments)
        return Result(
            tuple(map(np.asarray, [*written, *returned])), tuple(map(np.asarray, observed))
        )

    def _arguments(self, inputs: Sequence[Array]) -> tuple[list[Array], list[Array]]:
        """Return the arguments of `@main`, and those of them that are outputs."""
        main = self._main
        assert isinstance(main, func.FuncOp)
        types = list(main.type.inputs)
        is_output = [_is_output(main, number) for number in range(len(types))]
        if len(inputs) != is_output.count(False):
            raise UnsupportedError(main, f"takes other arguments than {len(inputs)} inputs")
        given = iter(inputs)
        arguments = [
            zeros(type_, main) if out else _argument(next(given), type_, main)
            for type_, out in zip(types, is_output, strict=True)
        ]
        return arguments, [a for a, out in zip(arguments, is_output, strict=True) if out]


def _argument(value: Array, type_: ir.Type, main: func.FuncOp) -> Array:
    """Return the elements of an input; copies those of a buffer, which may be written."""
    held = np.ascontiguousarray(value).view(dtype_of(type_, main)).reshape(shape_of(type_))
    return held.copy() if isinstance(type_, ir.MemRefType) else held


def _is_output(main: func.FuncOp, number: int) -> bool:
    """Return whether an argument is memory for a result."""
    if "arg_attrs" not in main.attributes:
        return False
    return _RESULT in ir.DictAttr(main.arg_attrs[number])
