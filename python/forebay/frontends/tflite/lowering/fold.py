"""Operators on constants alone are computed during the import, by the reference interpreter.

Converters leave such operators in the file: weights of int8 after DEQUANTIZE, shapes put together
by SHAPE, STRIDED_SLICE and PACK. Their results are constants of the module, and operators that need
a constant operand accept them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import func
from numpy.typing import NDArray

from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import Lower
from forebay.reference import Interpreter


def fold_operator(node: Node, lower: Lower) -> Sequence[NDArray[np.generic]]:
    """Return the results of the operator, whose operands are all constant."""
    module = ir.Module.create(ir.Location.current)
    with ir.InsertionPoint(module.body):
        main = func.FuncOp("main", ([], []))
        with ir.InsertionPoint(main.add_entry_block()):
            results = lower(node)
            values = [r for r in results if isinstance(r, ir.Value)]
            func.ReturnOp(values)
        signature = ir.FunctionType.get([], [v.type for v in values])
        main.attributes["function_type"] = ir.TypeAttr.get(signature)
    computed = iter(Interpreter(module.operation).run([]).outputs if values else ())
    return [
        _as_stored(next(computed), tensor.type.value) if isinstance(result, ir.Value) else result
        for result, tensor in zip(results, node.outputs, strict=True)
    ]


def _as_stored(values: NDArray[np.generic], dtype: str) -> NDArray[np.generic]:
    return values.view(dtype) if values.dtype.itemsize == np.dtype(dtype).itemsize else values
