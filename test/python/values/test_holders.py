"""Where a planned program holds the tensors of its model, by locations and shapes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from mlir import ir

import forebay.passes  # noqa: F401  (dialects and passes)
from forebay.ir.locations import ModelLocation
from forebay.values.holders import Holder, holders_of
from forebay.values.tensors import Layout, Tensor, Tensors

T = "memref<2x3xi8, #memref_pool.space<@ws>>"
TURNED = "memref<3x2xi8, #memref_pool.space<@ws>>"
WIDE = "memref<4x3xi8, #memref_pool.space<@ws>>"
HALF = "memref<2x3xi8, strided<[3, 1], offset: 6>, #memref_pool.space<@ws>>"
HEAD = f"""
memref_pool.pool @ws workspace capacity 256
func.func private @fill(%m: {T}) {{
  %c = arith.constant 1 : i8
  linalg.fill ins(%c : i8) outs(%m : {T})
  return
}}
func.func private @both(%m: {T}, %n: {T}) {{
  func.call @fill(%m) : ({T}) -> ()
  func.call @fill(%n) : ({T}) -> ()
  return
}}
"""


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def held(
    *lines: str, layouts: dict[int, Layout] | None = None, end: str = "", dead: str = ""
) -> list[tuple[int, str, int]]:
    """Per tensor of 2x3, one for each operator: its number, what is held, and behind which line.

    A line is `<operator> <op>`; operators are lines of the model, lines those of the program. All
    buffers are used behind them, but for those that are `dead`.
    """
    body = "\n".join(f'  {op} loc("n.tflite":{line[0]}:0)' for line, op in _numbered(lines))
    buffers = [op.split(" = ")[0] for _, op in _numbered(lines) if "memref_pool.alloc" in op]
    types = [op.rsplit(" : ", 1)[1] for _, op in _numbered(lines) if "memref_pool.alloc" in op]
    used = [pair for pair in zip(buffers, types, strict=True) if pair[0] not in dead]
    uses = "\n".join(
        f"  memref.copy {b}, {b} : {type_} to {type_} loc(unknown)" for b, type_ in used
    )
    text = f"func.func @main() {{\n  %c0 = arith.constant 0 : i8\n{body}\n{uses}\n  return\n}}\n"
    text = HEAD + text
    module = ir.Module.parse(text)
    operators = sorted({int(line[0]) for line, _ in _numbered(lines)})
    tensors = tuple(
        Tensor(ModelLocation("n.tflite", n, 0), f"op {n}", (2, 3), "int8") for n in operators
    )
    known = {ModelLocation("n.tflite", n, 0): layout for n, layout in (layouts or {}).items()}
    main = [op for op in module.body.operations if op.operation.name == "func.func"][-1]
    ops = list(main.body.blocks[0].operations)
    ends = {tensor.origin: end for tensor in tensors if end}
    found: list[Holder] = holders_of(module.operation, Tensors(tensors, known, ends))
    return [
        (
            h.tensor.origin.line,
            "x".join(map(str, ir.MemRefType(h.value.type).shape)),
            ops.index(h.after),
        )
        for h in found
    ]


def _numbered(lines: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines]


def fill(value: str, type_: str = T) -> str:
    return f"linalg.fill ins(%c0 : i8) outs({value} : {type_})"


def test_the_last_op_of_an_operator_has_its_result() -> None:
    lines = (
        f"3 %a = memref_pool.alloc at <@ws, 0> : {T}",
        f"3 {fill('%a')}",
        f"3 {fill('%a')}",
        f"4 %b = memref_pool.alloc at <@ws, 16> : {T}",
        f"4 {fill('%b')}",
    )
    assert held(*lines) == [(3, "2x3", 3), (4, "2x3", 5)]  # line 0 is the constant


def test_values_without_uses_hold_nothing() -> None:
    """A callee that takes room for its work beside its result leaves nothing there."""
    lines = (
        f"3 %a = memref_pool.alloc at <@ws, 0> : {T}",
        f"3 %b = memref_pool.alloc at <@ws, 16> : {T}",
        f"3 func.call @both(%a, %b) : ({T}, {T}) -> ()",
    )
    assert held(*lines, dead="%a") == held(*lines, dead="%b") == [(3, "2x3", 3)]
    assert held(*lines, dead="%a %b") == []


def test_a_result_of_another_shape_is_not_compared() -> None:
    lines = (
        f"3 %a = memref_pool.alloc at <@ws, 0> : {T}",
        f"3 {fill('%a')}",
        f"3 %b = memref_pool.alloc at <@ws, 16> : {TURNED}",
        f"3 {fill('%b', TURNED)}",
    )
    assert held(*lines) == []


def test_parts_make_up_the_buffer_behind_the_last_of_them() -> None:
    """Of the part and the buffer the one with the tensor's shape is meant."""
    lines = (
        f"3 %a = memref_pool.alloc at <@ws, 0> : {WIDE}",
        f"3 %v = memref.subview %a[2, 0] [2, 3] [1, 1] : {WIDE} to {HALF}",
        f"3 {fill('%v', HALF)}",
    )
    assert held(*lines) == [(3, "2x3", 3)]
    wide = Layout((4, 3), np.arange(6))
    assert held(*lines, layouts={3: wide}) == [(3, "2x3", 3)]  # one comparison says it all


def test_a_device_s_layout_is_behind_the_last_write_of_its_shape() -> None:
    turned = Layout((3, 2), np.arange(6).reshape(3, 2).T.reshape(-1))
    lines = (
        f"3 %a = memref_pool.alloc at <@ws, 0> : {TURNED}",
        f"3 {fill('%a', TURNED)}",
        f"3 %b = memref_pool.alloc at <@ws, 16> : {T}",
        f"3 {fill('%b')}",
    )
    assert held(*lines, layouts={3: turned}) == [(3, "2x3", 4), (3, "3x2", 2)]
    assert held(*lines[:2], layouts={3: turned}) == [(3, "3x2", 2)]


def test_another_type_of_elements_is_another_tensor() -> None:
    wide = T.replace("i8", "i32")
    lines = (
        f"3 %a = memref_pool.alloc at <@ws, 0> : {wide}",
        "3 %z = arith.constant 0 : i32",
        f"3 linalg.fill ins(%z : i32) outs(%a : {wide})",
    )
    assert held(*lines) == []


def test_what_is_left_of_a_kernel_whose_end_went_elsewhere_is_no_tensor() -> None:
    same = "affine_map<(i, j) -> (i, j)>"
    lines = (
        f"3 %a = memref_pool.alloc at <@ws, 0> : {T}",
        f"3 {fill('%a')}",
        f"3 %b = memref_pool.alloc at <@ws, 16> : {T}",
        f"3 linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = ["
        f'"parallel", "parallel"]}} ins(%a : {T}) outs(%b : {T}) {{ ^bb0(%p: i8, %o: i8): '
        "%s = arith.addi %p, %p : i8 linalg.yield %s : i8 }",
    )
    assert held(*lines, end="arith.addi") == [(3, "2x3", 4)]
    assert held(*lines, end="arith.muli") == []
    assert held(*lines[:2], end="arith.muli") == [(3, "2x3", 2)]  # no kernel: a copy of it


def test_loops_and_calls_are_over_when_their_op_is() -> None:
    loop = (
        "scf.for %i = %z to %n step %o { linalg.fill ins(%c0 : i8) "
        f'outs(%a : {T}) loc("n.tflite":3:0) scf.yield }}'
    )
    lines = (
        f"3 %a = memref_pool.alloc at <@ws, 0> : {T}",
        "3 %z = arith.constant 0 : index",
        "3 %o = arith.constant 1 : index",
        "3 %n = arith.constant 2 : index",
        f"3 {loop}",
        f"4 %b = memref_pool.alloc at <@ws, 16> : {T}",
        f"4 func.call @fill(%b) : ({T}) -> ()",
    )
    assert held(*lines) == [(3, "2x3", 5), (4, "2x3", 7)]
