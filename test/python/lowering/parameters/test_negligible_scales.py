"""Channels with tiny scales get factors of 0 where no sum has another result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.conv_layer import Layer
from common.oracles.operands import interpret
from mlir import ir
from mlir.dialects import tosa

import forebay
from forebay.ir import fused
from forebay.ir.nested import ops_of
from forebay.ir.tosa_constants import elements_of
from forebay.lowering.parameters.negligible_scales import replace_negligible_scales

SHIFTS = (39, 62, 40, 54, 53)


def factors(layer: Layer) -> list[tuple[int, int]]:
    """The multipliers and shifts of a layer, after the replacement."""
    with ir.Context():
        module = ir.Module.parse(layer.text())
        (root,) = (
            op
            for kind in (tosa.Conv2DOp, tosa.DepthwiseConv2DOp)
            for op in ops_of(module.operation, kind)
        )
        found = fused.match(root)
        assert isinstance(found, fused.Convolution | fused.Depthwise)
        replace_negligible_scales(found)
        assert module.operation.verify()
        assert found.epilogue.rescale is not None
        op = found.epilogue.rescale.op
        numbers = [elements_of(value) for value in (op.multiplier, op.shift)]
        assert numbers[0] is not None and numbers[1] is not None
        return [(int(m), int(s)) for m, s in zip(*numbers, strict=True)]


def test_shifts_above_53_become_53_where_all_results_are_the_zero_point() -> None:
    """27 products of up to 255 * 255, times less than 2^31, are less than 2^53."""
    found = factors(Layer(shifts=SHIFTS))
    assert [shift for _, shift in found] == [39, 53, 40, 53, 53]
    assert [multiplier == 0 for multiplier, _ in found] == [False, True, False, True, False]


@pytest.mark.parametrize(
    ("depth", "shift", "expected"),
    [(7, 54, (0, 53)), (8, 54, None), (8, 55, (0, 53)), (14, 55, (0, 53)), (16, 55, None)],
)
def test_sums_that_may_be_large_keep_their_scale(
    depth: int, shift: int, expected: tuple[int, int] | None
) -> None:
    """With multipliers of up to 2^31, 9 * 14 products of 255 * 255 have results of 1."""
    layer = Layer(depth=depth, channels=64, shifts=(shift,) * 64)
    found = factors(layer)
    (least, *_), (*_, most) = sorted(found), sorted(found)
    if expected is None:
        assert most[1] == shift
    else:
        assert least == most == expected


def test_other_rescales_stay() -> None:
    for layer in (
        Layer(shifts=(62,), per_channel=False),
        Layer(shifts=SHIFTS, rounding="SINGLE_ROUND"),
    ):
        assert all(multiplier for multiplier, _ in factors(layer))


@pytest.mark.parametrize("cpu", ["generic", "cortex-m55", "cascadelake"])
@pytest.mark.parametrize("depthwise", [False, True])
def test_the_bits_are_those_of_the_model(tmp_path: Path, cpu: str, *, depthwise: bool) -> None:
    layer = Layer(
        depth=5 if depthwise else 3,
        channels=1 if depthwise else 5,
        shifts=SHIFTS,
        depthwise=depthwise,
    )
    (tmp_path / "net.mlir").write_text(layer.text())
    (expected,) = interpret(layer.text(), [layer.source()])
    compiled = forebay.compile(tmp_path / "net.mlir", cpu=cpu)
    assert len(np.unique(expected)) > 20
    for engine in ("c", "llvm", "emulator"):
        found = compiled.run(layer.source(), engine=engine)
        np.testing.assert_array_equal(np.asarray(found).reshape(expected.shape), expected)
