"""The regions of boxes of an `accel.reduce`: tiles that are apart have no conflict."""

from __future__ import annotations

import pytest
from common.programs.boxed_reduce import Window, accumulators
from mlir import ir

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.dialects import accel
from forebay.ir.liveness.memory_effects import MemoryEffects, conflict
from forebay.ir.memory.reduce_regions import OperandBox, operand_boxes_of
from forebay.ir.nested import ops_nested_in

# Rows y of the result read rows y - 1 to y + 1 of 16.
WINDOW = Window(16, 4, 3, 2, height=16, before=1)
X, W, B, OUT = WINDOW.types("memref")
FIRST = "at [0, 0 | 0, 0] sizes [4, 4 | 3, 2]"
SECOND = "at [4, 0 | 0, 0] sizes [4, 4 | 3, 2]"
NEIGHBOURS = "at [4, 2 | 0, 0] sizes [4, 2 | 3, 2]"
ANY = "at [%i, 0 | 0, 0] sizes [4, 4 | 3, 2]"


def two(one: str, other: str, source: str = "%x") -> str:
    """Two ops on `%o`; the source of the second one may be the result of the first one."""
    second = WINDOW.op(other, "%o", "", "", "memref").replace("ins(%x,", f"ins({source},")
    return f"""{WINDOW.aliases}
    func.func @main(%x: {X}, %w: {W}, %b: {B}, %o: {OUT}, %i: index) {{
      {WINDOW.op(one, "%o", "", "", "memref")}
      {second}
      return
    }}"""


def reduces(module: ir.Module) -> list[accel.ReduceOp]:
    return [op for op in ops_nested_in(module.operation) if isinstance(op, accel.ReduceOp)]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (FIRST, SECOND, False),
        (SECOND, NEIGHBOURS, True),
        (FIRST, NEIGHBOURS, False),
        (FIRST, ANY, True),
        (ANY, ANY, True),
        ("", SECOND, True),
    ],
)
def test_boxes_conflict_where_their_results_overlap(one: str, other: str, expected: bool) -> None:
    with ir.Context():
        module = ir.Module.parse(two(one, other))
        effects = MemoryEffects(module.operation.opview)
        first, second = (effects.effects_of(op) for op in reduces(module))
        first, second = ([e for e in own if e.writes] for own in (first, second))
        assert conflict(first, second) == expected


def spans(boxes: dict[int, OperandBox], operand: int) -> list[tuple[int, int]]:
    return [(span.begin.constant, span.extent) for span in boxes[operand]]


def test_constant_starts_give_what_is_read_inside() -> None:
    with ir.Context():
        module = ir.Module.parse(two(FIRST, NEIGHBOURS))
        first, second = map(operand_boxes_of, reduces(module))
    assert spans(first, 0) == [(0, 5), (0, 2)]
    assert spans(second, 0) == [(3, 6), (0, 2)]
    assert spans(second, 1) == [(2, 2), (0, 3), (0, 2)]
    assert spans(second, 2) == [(2, 2)]
    assert spans(second, 3) == [(4, 4), (2, 2)]


def test_starts_that_vary_move_a_window() -> None:
    with ir.Context():
        module = ir.Module.parse(two(ANY, ""))
        any_box, whole = reduces(module)
        found = operand_boxes_of(any_box)
        (start,) = any_box.starts
        # Operand 3 is the start, 4 the result.
        assert sorted(found) == [0, 1, 2, 4]
        assert spans(found, 0) == [(-1, 6), (0, 2)]
        assert dict(found[0][0].begin.terms) == {start: 1}
        assert dict(found[4][0].begin.terms) == {start: 1}
        assert operand_boxes_of(whole) == {}


def test_accumulators_are_accessed_as_a_whole() -> None:
    kind = accumulators((4, 4), "memref")
    box = "at [0, 0 | 0, 0] sizes [4, 4 | 1, 2]"
    op = WINDOW.op(box, "%o", f"accumulators(%a, %n : {kind}, {kind})", "", "memref")
    text = f"""{WINDOW.aliases}
    func.func @main(%x: {X}, %w: {W}, %b: {B}, %o: {OUT}, %a: {kind}, %n: {kind}) {{
      {op}
      return
    }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        effects = MemoryEffects(module.operation.opview)
        found = effects.effects_of(reduces(module)[0])
        # The first of several boxes: the inputs are read, the accumulators are only written.
        assert [(e.reads, e.writes) for e in found] == [(True, False)] * 3 + [(False, True)] * 2
        assert [e.region.box for e in found[3:] if e.region] == [((0, 4), (0, 4))] * 2
