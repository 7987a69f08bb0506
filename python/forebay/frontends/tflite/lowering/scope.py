"""What the lowering of one operator needs of the import that it is part of."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.frontends.tflite.file.schema import TfliteOperator, TfliteTensor
from forebay.frontends.tflite.lowering.variables import Variable


class ImportScope(Protocol):
    """Values, variables and locations of a subgraph."""

    file_name: str
    is_reshaped: bool
    """Whether the caller gave shapes of inputs, with which operators may come to disagree."""

    def value(self, tensor: TfliteTensor) -> ir.Value:
        """The value of a tensor, created here if it is a constant."""
        ...

    def elements(self, tensor: TfliteTensor) -> NDArray[np.generic]:
        """The elements of a constant tensor."""
        ...

    def variable(self, tensor: TfliteTensor) -> Variable | None:
        """The variable that a handle stands for."""
        ...

    def location(self, tensor_name: str, operator: TfliteOperator) -> ir.Location:
        """The location of ops of the operator that belong to the tensor of that name."""
        ...
