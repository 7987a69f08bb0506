"""TFLite Micro as the reference, and the importer with the upstream pipeline beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from mlir import ir

from common.oracles.contexts import kernel_context
from common.oracles.upstream_jit import Jit
from forebay.frontends.tflite import import_model

_ARENA = 16_000_000


def micro(file: bytes, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What TFLite Micro computes."""
    runtime = pytest.importorskip(
        "tflite_micro.python.tflite_micro.runtime", reason="tflite-micro is not installed"
    )
    interpreter = runtime.Interpreter.from_bytes(file, arena_size=_ARENA)
    for index, values in enumerate(inputs):
        interpreter.set_input(values, index)
    interpreter.invoke()
    return [interpreter.get_output(i) for i in range(_outputs(file))]


def ours(file: bytes, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What the import of the file computes, in the element types of the file."""
    with kernel_context():
        module = import_model(file)
        dtypes = result_types(module)
        results = Jit(module)(*inputs)
    return [
        r.view(np.dtype(d)) if d != r.dtype else r for r, d in zip(results, dtypes, strict=True)
    ]


def compiled(file: bytes) -> Jit:
    """The import of the file, compiled once for many inputs."""
    with kernel_context():
        return Jit(import_model(file))


def result_types(module: ir.Module) -> list[str]:
    """The element types that the module's `@main` says it returns."""
    main = next(op for op in module.body.operations if op.operation.name == "func.func")
    return [
        ir.StringAttr(ir.DictAttr(a)["accel.dtype"]).value
        for a in ir.ArrayAttr(main.attributes["res_attrs"])
    ]


def assert_equal_to_micro(file: bytes, *inputs: np.ndarray) -> np.ndarray:
    """Both give the same bits; gives the first output."""
    expected = micro(file, inputs)
    actual = ours(file, inputs)
    for e, a in zip(expected, actual, strict=True):
        np.testing.assert_array_equal(a, e)
    return actual[0]


def random_int8(seed: int, *shape: int) -> np.ndarray:
    """Values over the whole range."""
    return np.random.default_rng(seed).integers(-128, 128, shape, dtype=np.int8)


def random_float(seed: int, *shape: int, spread: float = 3.0) -> np.ndarray:
    """Normally distributed values."""
    return (np.random.default_rng(seed).standard_normal(shape) * spread).astype(np.float32)


def _outputs(file: bytes) -> int:
    import tflite

    return tflite.Model.GetRootAs(file, 0).Subgraphs(0).OutputsLength()
