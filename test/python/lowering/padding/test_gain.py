"""A padded copy pays where borders are a large part, and not where its bytes are."""

from __future__ import annotations

import pytest
from common.conv_layer import Layer
from common.padded_layers import kernels_in, on_buffers
from mlir import ir
from msgspec import structs

from forebay.cpus import schedule_of
from forebay.ir.module import module_of
from forebay.lowering.padding.constants import Constants
from forebay.lowering.padding.folded import folding_of
from forebay.lowering.padding.gain import PaddingChange, cost_of_copy, gains_of
from forebay.lowering.padding.padding import SourcePadding, source_padding_of


def gain(layer: Layer, cpu: str, *, folds: bool = True, **costs: float) -> float:
    with ir.Context(), ir.Location.unknown():
        module = on_buffers(layer.text())
        (kernel,) = kernels_in(module)
        padding, before = source_padding_of(kernel), str(module)
        assert padding is not None
        own = structs.replace(schedule_of(cpu), **costs)
        folding = folding_of(kernel, Constants(module_of(module.operation)), own.offset)
        folding = folding if folds else None
        gains = gains_of(kernel, [PaddingChange(padding, folding)], own)
        assert str(module) == before, "the kernel stays as it is"
        (saved,) = gains.saved
        assert gains.executed > saved
        return saved


@pytest.mark.parametrize("cpu", ["generic", "cortex-m4", "cortex-m55", "rv32imc"])
def test_small_images_have_many_borders(cpu: str) -> None:
    assert gain(Layer(size=(8, 8), depth=16, channels=16), cpu) > 0


def test_a_copy_has_its_price() -> None:
    layer = Layer(size=(8, 8), depth=16, channels=16)
    free, dear = (gain(layer, "generic", copy=copy) for copy in (0, 10))
    assert free - dear == pytest.approx(10 * 10 * 10 * 16)


def test_one_row_of_padding_at_a_large_image_does_not_pay() -> None:
    layer = Layer(size=(64, 64), depth=16, channels=1, kernel=(2, 1), pad=(1, 0, 0, 0))
    assert gain(layer, "cortex-m55") < 0


def test_code_has_its_price() -> None:
    """A deep layer leaves out a sixth of its products at borders, by loops of their own."""
    layer = Layer(size=(8, 8), depth=64, channels=64)
    assert gain(layer, "generic") > gain(layer, "generic", code=0)


def test_loops_that_add_no_zero_point_cost_less() -> None:
    layer = Layer(size=(8, 8), depth=16, channels=16, depthwise=True)
    assert gain(layer, "generic") > gain(layer, "generic", folds=False)


def test_each_run_of_a_copy_has_its_price() -> None:
    """The rows of four images of three rows are a run each, as columns are padded."""
    columns = SourcePadding((4, 3, 5, 2), (0, 0, 1, 0), (0, 0, 0, 0), 0)
    rows = SourcePadding((4, 3, 5, 2), (0, 1, 0, 0), (0, 0, 0, 0), 0)
    assert (columns.runs, rows.runs) == (12, 4)
    cpu = schedule_of("generic")
    one, twelve = (cost_of_copy(120, runs, cpu) for runs in (1, columns.runs))
    assert twelve - one == 11 * (one - cost_of_copy(120, 0, cpu)) > 0
