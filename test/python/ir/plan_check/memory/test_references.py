"""View ops for which the plan check has no rule: the type of the result decides, or a refusal."""

from __future__ import annotations

import pytest
from mlir import ir
from mlir.dialects import memref

from forebay.ir.plan_check.memory import references
from forebay.pipelines.runner import PipelineError, run_pipeline

HEADER = """
#ws = #memref_pool.space<@ws>
memref_pool.pool @ws workspace certificate <planner = "hand", peak = 32, lower_bound = 16>
func.func @main(%n: index) {
  %x = arith.constant 1 : i8
  %a = memref_pool.alloc at <@ws, 16> : memref<4x4xi8, #ws>
"""
WIDE = """%v = memref.reinterpret_cast %a to offset: [{0}], sizes: [{1}], strides: [1]
  : memref<4x4xi8, #ws> to memref<{1}xi8, strided<[1], offset: {0}>, #ws>"""
DYNAMIC = """%v = memref.reinterpret_cast %a to offset: [%n], sizes: [4], strides: [1]
  : memref<4x4xi8, #ws> to memref<4xi8, strided<[1], offset: ?>, #ws>"""


@pytest.fixture(autouse=True)
def no_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = vars(references)["_RULES"]
    monkeypatch.delitem(rules, memref.ReinterpretCastOp)


def check(text: str) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(f"{HEADER}{text}\nreturn\n}}")
        run_pipeline(module, "builtin.module(memref-pool-verify-plan)")


def test_a_view_inside_its_buffer_is_accepted() -> None:
    check(WIDE.format(8, 8))


def test_a_view_beyond_its_buffer_is_refused() -> None:
    """16 + 8 + 9 = 33 is one byte more than the buffer's end at 32."""
    with pytest.raises(PipelineError, match=r"shows bytes \[24, 33\) of pool @ws"):
        check(WIDE.format(8, 9))


STORE = """memref.store %x, %v[%c0] : memref<4xi8, strided<[1], offset: ?>, #ws>"""
LOAD = """%y = memref.load %v[%c0] : memref<4xi8, strided<[1], offset: ?>, #ws>"""
FILL = "linalg.fill ins(%x : i8) outs({0} : memref<4x4xi8, #ws>)"
INDEX = "%c0 = arith.constant 0 : index"
OTHER = "%b = memref_pool.alloc at <@ws, 16> : memref<4x4xi8, #ws>"


def test_a_view_of_a_dynamic_layout_may_show_any_bytes() -> None:
    check("\n".join([INDEX, FILL.format("%a"), DYNAMIC, LOAD]))
    with pytest.raises(PipelineError, match=r"overwritten"):
        check("\n".join([INDEX, FILL.format("%a"), OTHER, FILL.format("%b"), DYNAMIC, LOAD]))
    with pytest.raises(PipelineError, match=r"overwritten"):
        load = "%z = memref.load %b[%c0, %c0] : memref<4x4xi8, #ws>"
        check("\n".join([INDEX, OTHER, FILL.format("%b"), DYNAMIC, STORE, load]))
