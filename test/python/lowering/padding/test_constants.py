"""Changed constants: in place where nothing else reads them, else copies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir
from mlir.dialects import memref

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.ir.interleaved import model_shape_of, repeats_model
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.lowering.padding.constants import Constants

TEXT = """
memref.global "private" constant @b : memref<3xi32> = dense<[1, 2, 3]>
func.func @main(%x: memref<3xi32>, %y: memref<3xi32>) {{
  %b = memref.get_global @b : memref<3xi32>
  memref.copy %b, %x : memref<3xi32> to memref<3xi32>
  {second}
  return
}}"""
SECOND = "memref.copy %b, %y : memref<3xi32> to memref<3xi32>"


@pytest.mark.parametrize("second", ["", SECOND])
def test_a_constant_with_other_readers_keeps_its_values(second: str) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT.format(second=second))
        constants = Constants(module_of(module.operation))
        first = ops_of(module.operation, memref.CopyOp)[0]
        changed = constants.changed(first, first.source, np.array([4, 5, 6]))
        first.operation.operands[0] = changed
        found = [constants.values(c.source) for c in ops_of(module.operation, memref.CopyOp)]
        assert [values.tolist() for values in found if values is not None] == (
            [[4, 5, 6], [1, 2, 3]] if second else [[4, 5, 6]]
        )
        assert len(ops_of(module.operation, memref.GlobalOp)) == (2 if second else 1)
        assert module.operation.verify()


@pytest.mark.parametrize("second", ["", SECOND])
def test_a_constant_of_another_shape_takes_the_name_of_one_that_nothing_reads(second: str) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT.format(second=second))
        constants = Constants(module_of(module.operation))
        first = ops_of(module.operation, memref.CopyOp)[0]
        old, type_ = first.source, ir.MemRefType.get([4], ir.IntegerType.get_signless(32))
        made = constants.resized(first, old, type_, np.array([1, 2, 3, 0]))
        values = constants.values(made)
        assert values is not None and values.tolist() == [1, 2, 3, 0]
        names = [own.sym_name.value for own in ops_of(module.operation, memref.GlobalOp)]
        assert sorted(names) == (["b", "b_0"] if second else ["b"])


@pytest.mark.parametrize("second", ["", SECOND])
def test_a_constant_that_begins_again_has_a_name_of_its_own(second: str) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(TEXT.format(second=second))
        constants = Constants(module_of(module.operation))
        first = ops_of(module.operation, memref.CopyOp)[0]
        assert constants.can_grow(first.source)
        assert not constants.can_grow(first.target)
        made = constants.repeated(first, first.source, [5])
        values = constants.values(made)
        assert values is not None and values.tolist() == [1, 2, 3, 1, 2]
        own = ops_of(module.operation, memref.GlobalOp)
        assert sorted(op.sym_name.value for op in own) == (["b", "b_0"] if second else ["b"])
        [repeated] = (op for op in own if repeats_model(op))
        assert model_shape_of(repeated) == (3,)


def test_constants_of_other_elements_begin_again_alike() -> None:
    text = TEXT.format(second="").replace("i32", "f32").replace("[1, 2, 3]", "0.5")
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        constants = Constants(module_of(module.operation))
        [copy] = ops_of(module.operation, memref.CopyOp)
        constants.repeated(copy, copy.source, [4])
        [own] = ops_of(module.operation, memref.GlobalOp)
        values: Any = own.initial_value
        assert np.array(values).tolist() == [0.5] * 4


def test_a_constant_without_values_cannot_grow() -> None:
    text = TEXT.format(second="").replace("constant @b", "@b").replace(" = dense<[1, 2, 3]>", "")
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        constants = Constants(module_of(module.operation))
        [copy] = ops_of(module.operation, memref.CopyOp)
        assert not constants.can_grow(copy.source)


@pytest.mark.parametrize(
    ("values", "is_finite"),
    [("[1.0, -0.0, 3.0e38]", True), ("[1.0, 0x7F800000, 2.0]", False), ("0x7FC00000", False)],
)
def test_numbers_are_finite(values: str, *, is_finite: bool) -> None:
    text = TEXT.replace("dense<[1, 2, 3]>", f"dense<{values}>").replace("xi32", "xf32")
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text.format(second=""))
        constants = Constants(module_of(module.operation))
        (copy,) = ops_of(module.operation, memref.CopyOp)
        assert constants.are_finite(copy.source) == is_finite
        assert not constants.are_finite(copy.target), "an argument"
        assert constants.values(copy.source) is None, "no integers"
