"""An operator as the fuzzer `operators` draws it, inside of a network of int8.

    int8 value -> RESHAPE, SLICE -> QUANTIZE -> operator of any integer type -> QUANTIZE -> int8

Elements come from a value of the network, as often as the operand needs them. A result that no
QUANTIZE takes is an output of the network.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from common.model_file import Op, T

from fuzz.graphs.drawing import Drawing, Value
from fuzz.operators.check import MICRO, draw
from fuzz.operators.draw.drawing import QUANTISED
from fuzz.operators.draw.drawing import Drawing as OperatorDrawing

MOST_COPIES = 8
"""TFLite Micro concatenates at most ten tensors."""
CHOSEN = frozenset(
    {
        "DYNAMIC_UPDATE_SLICE",
        "GATHER",
        "GATHER_ND",
        "EMBEDDING_LOOKUP",
        "DIV",
        "FLOOR_DIV",
        "FLOOR_MOD",
    }
)
"""Operators whose integers must be of a range: only constants are."""


def any_operator(d: Drawing) -> None:
    """One that TFLite Micro runs, without floats, whose bits may differ."""
    single = draw(d.rng.getrandbits(40))
    (op,) = single.ops
    operands = [i for i in dict.fromkeys(op.inputs) if i >= 0]
    used = [single.tensors[i].dtype for i in (*operands, *op.outputs)]
    given = [i for i in operands if i in single.values and single.tensors[i].data is None]
    if "float32" in used or not any(single.tensors[i].dtype in QUANTISED for i in given):
        return
    if not d.values or MICRO.run(*single.file()) is None:
        return
    indices = {-1: -1}
    for i in operands:
        indices[i] = _operand(d, single, i, is_given=i in given, is_free=op.name not in CHOSEN)
    results = [_result(d, single.tensors[i]) for i in op.outputs]
    inputs = [indices[i] for i in op.inputs]
    d.operators.append(
        Op(op.name, inputs, results, op.options, op.fields, op.version, op.custom, op.codes)
    )
    for index in results:
        _read(d, index)


def _operand(d: Drawing, single: OperatorDrawing, i: int, *, is_given: bool, is_free: bool) -> int:
    tensor = single.tensors[i]
    if not is_given:
        return d.tensor(tensor)
    if tensor.dtype in QUANTISED and is_free:
        return converted(d, elements(d, tensor.shape), tensor)
    values = single.values[i]
    return d.tensor(T(tensor.shape, tensor.dtype, tensor.scale, tensor.zero_point, values))


def elements(d: Drawing, shape: Sequence[int]) -> Value:
    """An int8 value of that shape, out of the elements of another."""
    wanted = math.prod(shape)
    large = [v for v in d.values if math.prod(v.shape) * MOST_COPIES >= wanted]
    x = d.rng.choice(large) if large else d.constant((wanted,), d.scale(), d.zero_point())
    count = math.prod(x.shape)
    flat = d.value((count,), *x.quantization)
    d.emit("RESHAPE", [x.index, d.integers([count])], [flat], "ReshapeOptions", NewShape=[count])
    copies = -(-wanted // count)
    if copies > 1:
        joined = d.value((count * copies,), *x.quantization)
        d.emit("CONCATENATION", [flat.index] * copies, [joined], "ConcatenationOptions", Axis=0)
        flat = joined
    cut = d.value((wanted,), *x.quantization)
    d.emit("SLICE", [flat.index, d.integers([0]), d.integers([wanted])], [cut], "SliceOptions")
    out = d.value(shape, *x.quantization)
    sizes = d.integers(list(shape))
    d.emit("RESHAPE", [cut.index, sizes], [out], "ReshapeOptions", NewShape=list(shape))
    return out


def converted(d: Drawing, x: Value, to: T) -> int:
    """A QUANTIZE of the value to another type."""
    index = d.tensor(T(to.shape, to.dtype, to.scale, to.zero_point))
    d.operators.append(Op("QUANTIZE", [x.index], [index]))
    return index


def _result(d: Drawing, tensor: T) -> int:
    return d.tensor(T(tensor.shape, tensor.dtype, tensor.scale, tensor.zero_point))


def _read(d: Drawing, index: int) -> None:
    """Let others read the result, as int8."""
    tensor = d.tensors[index]
    if not tensor.shape:
        d.ends.append(index)
    elif tensor.dtype == "int8" and tensor.scale is not None:
        zero_point = tensor.zero_point
        d.values.append(Value(index, tuple(tensor.shape), float(tensor.scale), zero_point))  # type: ignore[arg-type]
    elif tensor.dtype in QUANTISED and tensor.scale is not None:
        out = d.value(tensor.shape, d.scale(), d.zero_point())
        d.emit("QUANTIZE", [index], [out])
    else:
        d.ends.append(index)
