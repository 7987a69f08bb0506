"""What views show of their sources."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir

from forebay.ir.memory.regions import access_region_of
from forebay.ir.views.queries import (
    is_inside_source,
    is_pure_view,
    layout_rule_of,
    shares_base,
    source_in_buffer,
    view_kind_of,
)
from forebay.ir.views.rules import ViewKind

HEADER = "func.func @f(%a: memref<4x6xi8>, %b: memref<24xi8>, %s: memref<2xindex>, %n: index) {"
KEPT: list[ir.Module] = []


@pytest.fixture(autouse=True)
def context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def op_of(text: str) -> ir.OpView:
    module = ir.Module.parse(f"{HEADER}\n{text}\nreturn }}")
    KEPT.append(module)
    return module.body.operations[0].regions[0].blocks[0].operations[-2]


CAST = "%r = memref.cast %a : memref<4x6xi8> to memref<?x6xi8>"
COLLAPSE = "%r = memref.collapse_shape %a [[0, 1]] : memref<4x6xi8> into memref<24xi8>"
RESHAPE = "%r = memref.reshape %a(%s) : (memref<4x6xi8>, memref<2xindex>) -> memref<3x8xi8>"
TRANSPOSE = """%r = memref.transpose %a (i, j) -> (j, i)
  : memref<4x6xi8> to memref<6x4xi8, strided<[1, 6]>>"""
PART = """%r = memref.subview %a[1, 2] [2, 3] [1, 1]
  : memref<4x6xi8> to memref<2x3xi8, strided<[6, 1], offset: 8>>"""
REINTERPRET = """%r = memref.reinterpret_cast %b to offset: [%n], sizes: [2, 3], strides: [3, 1]
  : memref<24xi8> to memref<2x3xi8, strided<[3, 1], offset: ?>>"""
BYTES = "%r = memref.view %b[%n][] : memref<24xi8> to memref<4xi8>"
METADATA = """%r, %o, %z:2, %t:2 = memref.extract_strided_metadata %a
  : memref<4x6xi8> -> memref<i8>, index, index, index, index, index"""

WITHOUT_A_TYPE = """%d = memref.cast %s : memref<2xindex> to memref<?xindex>
  %r = memref.reshape %a(%d) : (memref<4x6xi8>, memref<?xindex>) -> memref<*xi8>"""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (CAST, ViewKind.SAME),
        (COLLAPSE, ViewKind.RESHAPED),
        (RESHAPE, ViewKind.RESHAPED),
        (TRANSPOSE, ViewKind.PERMUTED),
        (PART, ViewKind.PART),
        (REINTERPRET, ViewKind.ANY),
        (BYTES, ViewKind.ANY),
        (METADATA, ViewKind.ANY),
        ("%r = memref.alloc() : memref<4xi8>", None),
    ],
)
def test_what_a_view_shows(text: str, kind: ViewKind | None) -> None:
    op = op_of(text)
    assert view_kind_of(op) is kind
    assert is_inside_source(op) == (kind not in (None, ViewKind.ANY))


def test_a_view_that_reads_its_shape_is_not_pure() -> None:
    assert not is_pure_view(op_of(RESHAPE))
    assert is_pure_view(op_of(COLLAPSE))


def test_the_offset_of_a_view_of_bytes_counts_from_the_view() -> None:
    of_bytes, part = op_of(BYTES), op_of(PART)
    assert not shares_base(of_bytes)
    assert source_in_buffer(of_bytes.results[0]) is None
    assert source_in_buffer(part.results[0]) == part.operands[0]


@pytest.mark.parametrize("text", [BYTES, METADATA, WITHOUT_A_TYPE])
def test_no_layout_is_better_than_a_wrong_one(text: str) -> None:
    assert layout_rule_of(op_of(text)) is None


def test_the_region_of_a_view_without_a_rule_is_anywhere_in_its_buffer() -> None:
    known, unknown = access_region_of(op_of(PART).results[0]), op_of(REINTERPRET)
    assert known.box == ((1, 2), (2, 3))
    region = access_region_of(unknown.results[0])
    assert region.base == unknown.operands[0]
    assert region.spans is None
