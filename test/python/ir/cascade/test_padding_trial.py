"""A budget counts what strips of padded sources save: all plans that are made are accepted."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from common.conv_layer import Layer
from common.padded_layers import peak_of, text_of
from mlir.dialects import func

import forebay
from forebay.ir.nested import ops_of

SMALLEST = r"the smallest budget that works is ([\d,]+), set by"
IN_STRIPS = (Layer(size=(6, 16), depth=8, channels=8),) * 3
"""The second kernel can write its result into the buffer of its source."""
BOTH_WAYS = (
    Layer(size=(5, 8), depth=8, channels=2, kernel=(2, 2), pad=(0, 0, 0, 0)),
    Layer(size=(4, 7), depth=2, channels=8, kernel=(3, 1), pad=(1, 1, 0, 0)),
    Layer(size=(4, 7), depth=8, channels=8, kernel=(3, 1), pad=(0, 0, 0, 0)),
)
"""Padded rows have the live bytes of rows without padding, and a smaller plan."""


@pytest.mark.parametrize(
    ("layers", "cpu", "io"), [(IN_STRIPS, "generic", "pool"), (BOTH_WAYS, "cortex-m55", "caller")]
)
def test_the_peaks_that_compilations_report_are_budgets_that_work(
    layers: tuple[Layer, ...], cpu: str, io: Literal["pool", "caller"], tmp_path: Path
) -> None:
    model = tmp_path / "net.mlir"
    model.write_text(text_of(*layers))
    smallest = peak_of(forebay.compile(model, cpu=cpu, io=io, budget="min"))
    for budget in (smallest, peak_of(forebay.compile(model, cpu=cpu, io=io))):
        assert peak_of(forebay.compile(model, cpu=cpu, io=io, budget=budget)) <= budget
    with pytest.raises(forebay.Error, match=SMALLEST) as refused:
        forebay.compile(model, cpu=cpu, io=io, budget=smallest - 1)
    assert f"works is {smallest:,}," in str(refused.value)


def test_tensors_stay_whole_within_the_bytes_of_the_plan_without_a_budget(tmp_path: Path) -> None:
    model = tmp_path / "net.mlir"
    model.write_text(text_of(*IN_STRIPS))
    plain = forebay.compile(model)
    peak = peak_of(plain)
    assert peak < peak_of(forebay.compile(model, optimize="size"))
    pool = f"devices=cpu/workspace=workspace;access=cpu:rw;size={peak}"
    source = IN_STRIPS[0].source()
    for same in (forebay.compile(model, budget=peak), forebay.compile(model, target=pool)):
        assert not same.plan.steps
        np.testing.assert_array_equal(same.run(source), plain.run(source))
        assert _bodies(same) == _bodies(plain)


def _bodies(compiled: forebay.Compiled) -> list[list[str]]:
    """Return the operations of each function, as text."""
    functions = ops_of(compiled.planned, func.FuncOp)
    return [[str(op) for op in function.entry_block.operations] for function in functions]
