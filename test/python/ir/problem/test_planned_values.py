"""Where the memrefs of a planned module lie."""

from __future__ import annotations

import pytest
from mlir import ir

from forebay.ir.liveness.liveness import liveness_of
from forebay.ir.machine.pools import pools_in
from forebay.ir.module import module_of
from forebay.ir.problem.planned_values import planned_placement_of, planned_values
from forebay.ir.refused import RefusedError
from forebay.planning import Placement

TEXT = """
#part = strided<[1], offset: 2>
accel.device @cpu kind "cpu" host
memref_pool.pool @ram workspace
memref_pool.pool @rom constant
memref.global "private" constant @w : memref<4xi8, #memref_pool.space<@rom>> = dense<1>
  {memref_pool.placement = #memref_pool.placement<@rom, 32>}
func.func @main() {
  %w = memref.get_global @w : memref<4xi8, #memref_pool.space<@rom>>
  %a = memref_pool.alloc at <@ram, 16> : memref<8xi8, #memref_pool.space<@ram>>
  %part = memref.subview %a[2] [4] [1]
    : memref<8xi8, #memref_pool.space<@ram>> to memref<4xi8, #part, #memref_pool.space<@ram>>
  func.call @inside(%a) : (memref<8xi8, #memref_pool.space<@ram>>) -> ()
  return
}
func.func private @inside(%x: memref<8xi8, #memref_pool.space<@ram>>) {
  return
}
"""


def planned(text: str) -> tuple[list[Placement], dict[str, Placement]]:
    """Return the placements of values, in the order of the module, and of globals."""
    module = ir.Module.parse(text)
    op = module_of(module)
    liveness = liveness_of(op)
    placements = [planned_placement_of(buffer) for buffer in liveness.buffers]
    found = planned_values(op, liveness, placements, pools_in(op.operation))
    assert not found.rows
    return list(found.values.values()), dict(found.globals)


def test_buffers_have_places_and_arguments_on_the_host_stay_arguments():
    with ir.Context():
        assert planned(TEXT) == ([Placement("ram", 16)], {"w": Placement("rom", 32)})


def test_an_argument_inside_of_a_device_is_one_address():
    inside = TEXT.replace("@ram workspace", "@ram workspace local")
    part = inside.replace("@inside(%a) : (memref<8xi8,", "@inside(%part) : (memref<4xi8, #part,")
    part = part.replace("(%x: memref<8xi8,", "(%x: memref<4xi8, #part,")
    with ir.Context():
        assert planned(inside)[0] == [Placement("ram", 16)] * 2
        with pytest.raises(RefusedError, match="argument 0 of @inside is a part of a buffer in"):
            planned(part)


ROWS = """
!rows = memref<2x4xi8, #memref_pool.rows<1>, #memref_pool.space<@ram>>
accel.device @cpu kind "cpu" host
memref_pool.pool @ram workspace
func.func @main(%n: index) {
  %a = memref_pool.alloc at_rows <@ram, [0, 4]> : !rows loc("a")
  %b = memref_pool.alloc at_rows <@ram, [12, 8]> : !rows loc("b")
  func.call @inside(%a, %n) : (!rows, index) -> ()
  func.call @inside(%b, %n) : (!rows, index) -> ()
  return
}
func.func private @inside(%x: !rows, %n: index) {
  %0 = memref_pool.row %x[%n] : !rows to memref<4xi8, #memref_pool.space<@ram>>
  memref.copy %0, %0
    : memref<4xi8, #memref_pool.space<@ram>> to memref<4xi8, #memref_pool.space<@ram>>
  return
}
"""


def test_an_argument_may_be_rows_of_several_buffers():
    with ir.Context():
        op = module_of(ir.Module.parse(ROWS))
        liveness = liveness_of(op)
        placements = [planned_placement_of(buffer) for buffer in liveness.buffers]
        rows = planned_values(op, liveness, placements, pools_in(op.operation)).rows
        named = [[(it.name, it.placement.offsets) for it in buffers] for buffers in rows.values()]
    a, b = ("a", (0, 4)), ("b", (12, 8))
    assert sorted(named) == [[a], [a, b], [b]]
