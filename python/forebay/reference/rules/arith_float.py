"""Float arithmetic in the precision of the type."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir.dialects import arith

from forebay.reference.registry import Compute, Function, function


def _plain(class_: type[Any], compute: Compute) -> None:
    @function(class_)
    def arithmetic(op: Any) -> Function:
        return compute


_PLAIN: dict[type[Any], Function] = {
    arith.AddFOp: np.add,
    arith.SubFOp: np.subtract,
    arith.MulFOp: np.multiply,
    arith.DivFOp: np.divide,
    arith.RemFOp: np.fmod,
    arith.NegFOp: np.negative,
    arith.MaximumFOp: np.maximum,
    arith.MinimumFOp: np.minimum,
    arith.MaxNumFOp: np.fmax,
    arith.MinNumFOp: np.fmin,
}

for _class, _compute in _PLAIN.items():
    _plain(_class, _compute)
