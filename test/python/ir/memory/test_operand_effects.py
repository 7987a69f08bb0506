"""What ops say of the bytes of their operands, before and after bufferization."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir

import forebay.passes  # noqa: F401  (dialects)
from forebay.ir.memory.operand_effects import operand_effects_of
from forebay.ir.nested import ops_nested_in

Effects = list[tuple[int | None, str]]


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        yield


def effects(body: str, name: str, arguments: str = "%m: memref<4xi8>, %i: index") -> Effects:
    """Return operand and effect of the op with this name."""
    module = ir.Module.parse(f"func.func @f({arguments}) {{ {body} return }}")
    (op,) = [op for op in ops_nested_in(module.operation) if op.operation.name == name]
    return [(e.operand, "r" * e.reads + "w" * e.writes) for e in operand_effects_of(op)]


def test_a_load_reads_and_a_store_writes_the_memref_alone() -> None:
    assert effects("%x = memref.load %m[%i] : memref<4xi8>", "memref.load") == [(0, "r")]
    body = "%c = arith.constant 1 : i8 memref.store %c, %m[%i] : memref<4xi8>"
    assert effects(body, "memref.store") == [(1, "w")]


def test_a_copy_reads_its_source_and_writes_its_target() -> None:
    body = "memref.copy %m, %n : memref<4xi8> to memref<4xi8>"
    arguments = "%m: memref<4xi8>, %n: memref<4xi8>"
    assert effects(body, "memref.copy", arguments) == [(0, "r"), (1, "w")]


def test_views_and_control_flow_have_no_effect_of_their_own() -> None:
    view = (
        "%v = memref.subview %m[1] [2] [1] : memref<4xi8> to memref<2xi8, strided<[1], offset: 1>>"
    )
    assert effects(view, "memref.subview") == []
    loop = "scf.for %k = %i to %i step %i { %x = memref.load %m[%k] : memref<4xi8> }"
    assert effects(loop, "scf.for") == []


def test_an_unknown_op_may_read_and_write_all_its_memory() -> None:
    body = '"my.op"(%m, %i) : (memref<4xi8>, index) -> ()'
    assert effects(body, "my.op") == [(0, "rw"), (1, "rw")]


def test_a_kernel_on_tensors_reads_its_inputs_and_writes_its_destination() -> None:
    body = (
        "%r = linalg.add ins(%a, %b : tensor<4xi32>, tensor<4xi32>) outs(%d : tensor<4xi32>) "
        "-> tensor<4xi32>"
    )
    arguments = "%a: tensor<4xi32>, %b: tensor<4xi32>, %d: tensor<4xi32>"
    assert effects(body, "linalg.add", arguments) == [(0, "r"), (1, "r"), (2, "w")]


def test_an_insertion_keeps_the_rest_of_its_destination_where_it_is() -> None:
    body = "%r = tensor.insert_slice %p into %d[0] [2] [1] : tensor<2xi8> into tensor<4xi8>"
    arguments = "%p: tensor<2xi8>, %d: tensor<4xi8>"
    assert effects(body, "tensor.insert_slice", arguments) == [(0, "r"), (1, "w")]


def test_a_slice_of_a_tensor_only_shows_its_bytes() -> None:
    body = "%r = tensor.extract_slice %d[0] [2] [1] : tensor<4xi8> to tensor<2xi8>"
    assert effects(body, "tensor.extract_slice", "%d: tensor<4xi8>") == []
