"""Small programs, and the engines that run them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.oracles.contexts import kernel_context
from mlir import ir
from numpy.typing import NDArray

import forebay.dialects  # noqa: F401
from forebay.network.model import ModelInfo, PlannedPool, Port
from forebay.pools import PoolKind

HERE = Path(__file__).parent
INPUTS = HERE / "inputs"


@pytest.fixture
def context() -> Iterator[ir.Context]:
    with kernel_context() as made, ir.Location.unknown():
        yield made


@pytest.fixture
def fully_connected(context: ir.Context) -> tuple[ir.Module, ModelInfo]:
    module = ir.Module.parse((INPUTS / "fully_connected.mlir").read_text())
    model = ModelInfo(
        name="tiny net",
        inputs=(Port("input_1", "int8", (2, 3), 0.5, 3),),
        outputs=(Port("Identity", "int8", (2, 4), 0.25, -1),),
        pools=(
            PlannedPool("workspace", PoolKind.workspace, size=64),
            PlannedPool("weights", PoolKind.constant, size=32),
        ),
        source_hash="ab" * 32,
    )
    return module, model


def fully_connected_reference(x: NDArray[np.int8]) -> NDArray[np.int8]:
    """x times the weights of fully_connected.mlir, scaled by 2^30 / 2^33, rounded twice."""
    weights = np.array([[1, 2, 3], [4, -5, 6], [7, 8, 9], [10, 11, 127]])
    acc = (x.astype(np.int64) - 3) @ weights.T + np.array([100, -200, 300, 4])
    rounded = acc * 2**30 + 2**32 + np.where(acc >= 0, 2**30, -(2**30))
    return np.clip(rounded >> 33, -128, 127).astype(np.int8)


@pytest.fixture
def reference() -> Any:
    return fully_connected_reference


def port_of(name: str, array: NDArray[Any]) -> Port:
    return Port(name, array.dtype.name, array.shape)


@pytest.fixture
def kernel(context: ir.Context) -> Any:
    """`kernel(arguments, body, inputs, outputs)`: @main over caller's buffers, and its model."""

    def make(
        body: str, inputs: Sequence[NDArray[Any]], outputs: Sequence[NDArray[Any]]
    ) -> tuple[ir.Module, ModelInfo]:
        ports = [port_of(f"in{i}", array) for i, array in enumerate(inputs)]
        results = [port_of(f"out{i}", array) for i, array in enumerate(outputs)]
        arguments = ", ".join(f"%{port.name}: {memref(port)}" for port in [*ports, *results])
        text = f"func.func @main({arguments}) {{\n{body}\nreturn\n}}"
        model = ModelInfo("kernel", tuple(ports), tuple(results), (), "00" * 32)
        return ir.Module.parse(text), model

    return make


def memref(port: Port) -> str:
    element = {"float32": "f32", "float64": "f64", "bool": "i1"}.get(port.dtype)
    element = element or port.dtype.replace("uint", "i").replace("int", "i")
    return f"memref<{''.join(f'{size}x' for size in port.shape)}{element}>"
