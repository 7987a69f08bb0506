"""A view op of an upstream dialect that no file of Forebay names, with and without a rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from common.emulated import run
from mlir import ir
from mlir.dialects import amdgpu

from forebay.emulator.memory.faults import NotEmulatedError
from forebay.engines.c import CEngine
from forebay.ir.views import rules
from forebay.network.model import ModelInfo, Port
from forebay.pipelines import PipelineError, run_pipeline

RAW = "#amdgpu.address_space<fat_raw_buffer>"
STATIC = "strided<[1], offset: 3>"
DYNAMIC = "strided<[1], offset: ?>"
X = np.arange(16, dtype=np.int8)


def program(layout: str) -> str:
    """Copy four bytes from number 3 on, through the view, in another order."""
    offset = "%c3" if layout == DYNAMIC else "3"
    part = f"memref<4xi8, {layout}>"
    seen = f"memref<4xi8, {layout}, {RAW}>"
    return f"""
      func.func @main(%in: memref<16xi8> {{accel.name = "in"}},
                      %out: memref<4xi8> {{accel.name = "out", bufferize.result}}) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %c4 = arith.constant 4 : index
        %part = memref.subview %in[{offset}] [4] [1] : memref<16xi8> to {part}
        %seen = amdgpu.fat_raw_buffer_cast %part : {part} to {seen}
        scf.for %i = %c0 to %c4 step %c1 {{
          %x = memref.load %seen[%i] : {seen}
          %j = arith.subi %c3, %i : index
          memref.store %x, %out[%j] : memref<4xi8>
        }}
        return
      }}"""


def by_c(text: str) -> Any:
    ports = Port("in", "int8", (16,)), Port("out", "int8", (4,))
    model = ModelInfo("kernel", ports[:1], ports[1:], (), "00" * 32)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        run_pipeline(module, "builtin.module(memref-pool-verify-plan,memref-pool-check-printable)")
        return CEngine(module, model).run([X])[0]


def test_a_static_layout_needs_no_rule() -> None:
    np.testing.assert_array_equal(run(program(STATIC), X)[0], X[6:2:-1])
    np.testing.assert_array_equal(by_c(program(STATIC)), X[6:2:-1])


def test_a_dynamic_layout_needs_one_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    text = program(DYNAMIC)
    with pytest.raises(NotEmulatedError, match="makes a view whose layout is in no rule"):
        run(text, X)
    with pytest.raises(PipelineError, match=r"the layout of 'amdgpu.\w+' is known at"):
        by_c(text)
    rule = rules.ViewRule(rules.ViewKind.SAME, rules.same)
    monkeypatch.setitem(rules.VIEW_RULES, amdgpu.FatRawBufferCastOp, rule)
    np.testing.assert_array_equal(run(text, X)[0], X[6:2:-1])
    np.testing.assert_array_equal(by_c(text), X[6:2:-1])
