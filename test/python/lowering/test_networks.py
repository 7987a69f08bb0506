"""Whole networks: the memory that the host lowering asks for, and TFLite Micro's results."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from common.host_jit import BUFFERS, lower, run_host
from common.sweep import sweep
from mlir import ir

from forebay.frontends.tflite import import_model
from forebay.ir.locations import operator_of
from forebay.pipelines.host import HOST_LOWERING

ROOT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("FOREBAY_SHARED", ROOT.parent / "shared")) / "models"
DIGITS = ROOT / "examples" / "digits" / "digits_int8.tflite"
NETWORKS = (
    "kws_dscnn_int8",
    "ad01_int8",
    "micro_speech_int8",
    "hello_world_int8",
    "resnet8_float",
    "resnet8_int8",
    "mww_vad_int8",
    "person_detect_int8",
    "mobilenetv2_tf2_int8",
    "mcunet_vww_int8",
)
"""The large ones are slow."""
LARGE = 3
TINY = 16
"""Bytes: what a softmax keeps per row."""


def path_of(name: str) -> Path:
    path = DIGITS if name == "digits" else SHARED / f"{name}.tflite"
    if not path.exists():
        pytest.skip(f"{path.name} is not there; set FOREBAY_SHARED to the folder with the models")
    return path


def operations(module: ir.Module) -> list[ir.OpView]:
    found: list[ir.OpView] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(op.opview)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def buffers_of(path: Path) -> ir.Module:
    module = import_model(path)
    state = ("accel-attach-target{target=host}", "memref-pool-carry-state")
    lower(module, state, HOST_LOWERING, BUFFERS)
    return module


def size_of(value: ir.Value) -> int:
    kind = ir.MemRefType(value.type)
    width = (
        32 if isinstance(kind.element_type, ir.F32Type) else ir.IntegerType(kind.element_type).width
    )
    return int(np.prod(kind.shape)) * width // 8


@pytest.fixture(scope="module", params=sweep(["digits", *NETWORKS], 1 + len(NETWORKS) - LARGE))
def buffers(request: pytest.FixtureRequest) -> Iterator[ir.Module]:
    """Each network with memrefs; its context is entered."""
    with ir.Context(), ir.Location.unknown():
        yield buffers_of(path_of(request.param))


def test_one_buffer_per_operator(buffers: ir.Module) -> None:
    allocations = [op for op in operations(buffers) if op.operation.name == "memref.alloc"]
    large = [op for op in allocations if size_of(op.operation.results[0]) > TINY]
    operators = Counter(str(operator_of(op.operation.location)) for op in large)
    assert "None" not in operators
    assert {operator: n for operator, n in operators.items() if n > 1} == {}


def test_copies_are_those_of_concatenations_and_state(buffers: ir.Module) -> None:
    copies = [op for op in operations(buffers) if op.operation.name == "memref.copy"]
    kinds = {operator_of(op.operation.location) for op in copies}
    assert {kind.kind for kind in kinds if kind} <= {"CONCATENATION", "ASSIGN_VARIABLE"}


def test_no_accumulator_is_stored(buffers: ir.Module) -> None:
    stored = [
        ir.MemRefType(op.operation.results[0].type)
        for op in operations(buffers)
        if op.operation.name == "memref.alloc"
    ]
    i32 = ir.IntegerType.get_signless(32, buffers.context)
    wide = [kind for kind in stored if kind.element_type == i32]
    assert all(kind.rank == 1 for kind in wide)  # the rows of softmax


STATELESS = [name for name in NETWORKS if name != "mww_vad_int8"]


@pytest.mark.parametrize("name", sweep(STATELESS, len(STATELESS) - LARGE))
def test_outputs_equal_those_of_tflite_micro(name: str) -> None:
    golden = np.load(path_of(name).parent / "golden" / "tflm" / f"{name}.npz")
    with ir.Context():
        source = import_model(path_of(name)).operation.get_asm()
    actual = run_host(source, golden["in0_0"])[0]
    expected = golden["out0_0"]
    if expected.dtype == np.float32:
        np.testing.assert_allclose(actual, expected, atol=1e-6)
    else:
        np.testing.assert_array_equal(actual.view(expected.dtype), expected)
