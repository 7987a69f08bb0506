"""The order of weights with which kernels cost least, by processor."""

from __future__ import annotations

import pytest
from common.conv_layer import Layer
from common.padded_layers import SMALL, kernels_in
from mlir import ir

from forebay.cpus import schedule_of
from forebay.ir.interleaved import Interleaving
from forebay.lowering.schedule.order import cheapest_order
from forebay.options import Options
from forebay.pipelines import run_pipeline, stages

PIXELS = Layer(size=(8, 8), depth=64, channels=32, kernel=(1, 1), pad=(0, 0, 0, 0))
OF_MODEL = Interleaving()


def order(layer: Layer, cpu: str, *, folds_for: str | None = None) -> Interleaving:
    """Return the order for the kernel of a layer; zero points are folded for a processor."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(layer.text())
        run_pipeline(module, stages.lowering(Options(target="host", cpu=folds_for or cpu)))
        run_pipeline(module, stages.bufferization(SMALL))
        (kernel,) = kernels_in(module)
        before = str(module)
        found = cheapest_order(kernel, schedule_of(cpu))
        assert str(module) == before, "the kernel stays as it is"
        return found


@pytest.mark.parametrize(
    ("channels", "expected"),
    [(32, Interleaving(16, 4)), (24, Interleaving(8, 4)), (12, OF_MODEL)],
)
def test_words_of_as_many_channels_as_have_a_vector(channels: int, expected: Interleaving) -> None:
    layer = Layer(size=(8, 8), depth=64, channels=channels, kernel=(1, 1), pad=(0, 0, 0, 0))
    assert order(layer, "cascadelake") == expected


def test_words_need_elements_without_sign() -> None:
    assert order(PIXELS, "cascadelake", folds_for="generic").word == 1


def test_rows_of_a_window_need_whole_words() -> None:
    layer = Layer(size=(8, 8), depth=3, channels=32, pad=(0, 0, 0, 0))
    assert order(layer, "cascadelake").word == 1


@pytest.mark.parametrize("cpu", ["generic", "cortex-m4"])
def test_processors_without_vectors_of_sums_keep_the_order_of_the_model(cpu: str) -> None:
    assert order(PIXELS, cpu) == OF_MODEL


def test_few_points_pay_on_a_processor_without_words() -> None:
    layer = Layer(size=(8, 8), depth=3, channels=8, kernel=(1, 1), pad=(0, 0, 0, 0))
    assert order(layer, "cortex-m55") == Interleaving(8)


def test_a_product_of_single_elements_has_channels_only() -> None:
    layer = Layer(size=(1, 1), depth=1, channels=16, kernel=(1, 1), pad=(0, 0, 0, 0))
    assert order(layer, "cascadelake").word == 1
