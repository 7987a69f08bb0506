from collections.abc import Iterator

import pytest
from mlir import ir

import forebay.dialects  # noqa: F401  (registers)
from forebay.codegen.c.syntax.types import integer_width, refusal, scalar_type


@pytest.fixture(autouse=True)
def here() -> Iterator[None]:
    with ir.Context():
        yield


@pytest.mark.parametrize(
    ("text", "ctype", "width"),
    [
        ("i1", "bool", 1),
        ("i8", "int8_t", 8),
        ("i64", "int64_t", 64),
        ("index", "int32_t", 32),
        ("f32", "float", None),
        ("f64", "double", None),
    ],
)
def test_scalars(text: str, ctype: str, width: int | None) -> None:
    type_ = ir.Type.parse(text)
    assert (scalar_type(type_), integer_width(type_), refusal(type_)) == (ctype, width, None)


@pytest.mark.parametrize(
    "text",
    ["memref<4x8xi8>", "memref<?x8xf32>", "memref<4x8xi8, strided<[16, 1], offset: ?>>"],
)
def test_memrefs_with_known_strides(text: str) -> None:
    assert refusal(ir.Type.parse(text)) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("i7", "no C form"),
        ("si8", "no C form"),
        ("f16", "no C form"),
        ("tensor<4xi8>", "no C form"),
        ("memref<4xi7>", "no C form"),
        ("memref<4xindex>", "no size that C and MLIR agree on"),
        ("memref<65536x32768xi8>", "2,147,483,648 elements"),
        ("memref<4x8xi8, strided<[?, 1]>>", "a stride that is known at run time only"),
        ("memref<4x8xi8, affine_map<(i, j) -> (i mod 2, j)>>", "is not strided"),
    ],
)
def test_all_others_are_refused_with_the_reason(text: str, reason: str) -> None:
    found = refusal(ir.Type.parse(text))
    assert found is not None
    assert reason in found
