"""The part of an import that the lowering of one operator needs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import NoReturn, Protocol

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.frontends.tflite.file.schema import Subgraph, TfliteOperator, TfliteTensor
from forebay.frontends.tflite.lowering.variables import Variable


class NamingOperator(Protocol):
    """The operator that names a subgraph, which is reported if the subgraph cannot be lowered."""

    @property
    def operator(self) -> TfliteOperator:
        """Return the operator in the file."""
        ...

    def refuse(self, what: str, way_out: str) -> NoReturn:
        """Raise the error for a well-formed operator that is not supported."""
        ...

    def malformed(self, what: str) -> NoReturn:
        """Raise the error for an operator that violates the format."""
        ...


class ImportScope(Protocol):
    """The values, variables and locations of a subgraph."""

    file_name: str
    is_reshaped: bool
    """Whether the user gave shapes of inputs, which operators may not fit."""

    def value(self, tensor: TfliteTensor) -> ir.Value:
        """Return the value of a tensor; a constant is created on first use."""
        ...

    def elements(self, tensor: TfliteTensor) -> NDArray[np.generic]:
        """Return the elements of a constant tensor."""
        ...

    def variable(self, tensor: TfliteTensor) -> Variable | None:
        """Return the variable of a handle, None for another tensor."""
        ...

    def state(self, tensor: TfliteTensor) -> str | None:
        """Return the name of the variable that holds an operator's state, None for no state."""
        ...

    def new_state(self, name: str, initial: NDArray[np.generic]) -> str:
        """Declare a variable that is not in the file, and return its name."""
        ...

    def graph(self, node: NamingOperator, index: int) -> Subgraph:
        """Return a subgraph on its own tensors."""
        ...

    def subgraph(
        self,
        node: NamingOperator,
        index: int,
        operands: Sequence[TfliteTensor],
        results: Sequence[int] | None = None,
    ) -> list[TfliteTensor]:
        """Lower the operators of a subgraph on these tensors, and return its results.

        `results` are the positions of the results that are wanted, None for all.
        """
        ...

    def of_value(self, like: TfliteTensor, value: ir.Value) -> TfliteTensor:
        """Return a new tensor of that value, else like another one."""
        ...

    def constants_before(self, op: ir.Operation) -> AbstractContextManager[None]:
        """Create constants in front of an op with regions, not where they are used first."""
        ...

    def location(self, tensor_name: str, operator: TfliteOperator) -> ir.Location:
        """Return the location of the operator's ops for the tensor of that name."""
        ...
