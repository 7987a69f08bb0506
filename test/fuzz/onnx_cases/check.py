"""One case: the results of a network of ONNX's tests beside the expected ones."""

from __future__ import annotations

import functools
import tempfile
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from onnx.backend.test.loader import load_model_tests

import forebay
from forebay.frontends.errors import UnsupportedModel
from fuzz.cases import Wrong
from fuzz.onnx_cases.known import KNOWN

_Arrays = list[NDArray[Any]]
_CLOSE = 1e-5


def check(seed: int) -> Mapping[str, int]:
    """Judge a case: an even number with all of its inputs, an odd one with the first alone."""
    found = cases()
    case = found[seed // 2 % len(found)]
    inputs, expected = (_arrays(values) for values in case.data_sets[0])
    if inputs is None or expected is None or case.name in KNOWN:
        return {"cases of other types, or known": 1}
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    if seed % 2 and len(inputs) > 1:
        inputs = _with_constants(model, inputs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        onnx.save(model, path)
        try:
            compiled = forebay.compile(path, shapes=_shapes(model, inputs))
        except UnsupportedModel:
            return {"refused": 1}
        results = compiled.run(*inputs, engine="c")
    given = results if isinstance(results, tuple) else (results,)
    for number, (one, other) in enumerate(zip(given, expected, strict=True)):
        _compare(f"{case.name}: result {number}", one, other)
    return Counter({"equal": 1, f"equal: {case.model.graph.node[0].op_type}": 1})


@functools.cache
def cases() -> list[Any]:
    """Return ONNX's cases of single operators."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(load_model_tests(kind="node"))


def _arrays(values: Sequence[Any]) -> _Arrays | None:
    """Return tensors of types that NumPy has, None for sequences, texts and others."""
    if not all(isinstance(v, np.ndarray | np.generic | float | int) for v in values):
        return None
    arrays = [np.asarray(value) for value in values]
    return arrays if all(a.dtype.kind in "biuf" for a in arrays) else None


def _with_constants(model: Any, inputs: _Arrays) -> _Arrays:
    """Make all inputs but the first constants, and return the first."""
    for value, array in zip(list(model.graph.input)[1:], inputs[1:], strict=True):
        constant = numpy_helper.from_array(np.ascontiguousarray(array), value.name)
        model.graph.initializer.append(constant)
    del model.graph.input[1:]
    model.ir_version = max(model.ir_version, 4)  # older ones list constants as inputs, too
    return inputs[:1]


def _shapes(model: Any, inputs: _Arrays) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the inputs that the file does not give."""
    shapes: dict[str, tuple[int, ...]] = {}
    for value, array in zip(model.graph.input, inputs, strict=True):
        type_ = value.type.tensor_type
        dims = type_.shape.dim
        if not type_.HasField("shape") or not all(d.HasField("dim_value") for d in dims):
            shapes[value.name] = array.shape
    return shapes


def _compare(where: str, one: NDArray[Any], other: NDArray[Any]) -> None:
    if one.shape != other.shape or one.dtype != other.dtype:
        raise Wrong(f"{where}: {one.dtype}{one.shape} instead of {other.dtype}{other.shape}")
    if other.dtype.kind != "f":
        if not np.array_equal(one, other):
            raise Wrong(f"{where} differs in {int((one != other).sum())} of {other.size}")
        return
    finite = np.isfinite(other)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        raise Wrong(f"{where}: infinities and NaNs differ")
    largest = np.abs(other[finite]).max(initial=0)
    difference = np.abs(one[finite] - other[finite]).max(initial=0)
    if not difference <= _CLOSE * largest:
        raise Wrong(f"{where} differs by {difference:g}, the largest element is {largest:g}")
