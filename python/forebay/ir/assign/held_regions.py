"""Regions that preserve the candidate pools of ops from the first lowering to the assignment.

`memref-pool-hold-candidates` marks these regions. It also records in the module how many there are
and where they came from, so that the loss of a region is detected.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import scf

from forebay.ir.locations import ModelLocation, model_location_of
from forebay.ir.memory.access_constraints import CANDIDATES
from forebay.ir.nested import ops_nested_in
from forebay.ir.refused import RefusedError

_HELD = "memref_pool.held"


def mark(module: ir.Operation, regions: Sequence[scf.ExecuteRegionOp]) -> None:
    """Number the regions, and list them in the module."""
    if not regions:
        return
    for number, region in enumerate(regions):
        region.operation.attributes[_HELD] = ir.IntegerAttr.get(ir.IndexType.get(), number)
    module.attributes[_HELD] = ir.ArrayAttr.get([_recorded_location(region) for region in regions])


def is_held(op: ir.OpView) -> bool:
    """Return whether the op is such a region."""
    return isinstance(op, scf.ExecuteRegionOp) and _HELD in op.operation.attributes


def check_held(module: ir.Operation) -> None:
    """Raise `RefusedError` if a lowering has lost a region; remove the list from the module."""
    if _HELD not in module.attributes:
        return
    places = [ir.ArrayAttr(place) for place in ir.ArrayAttr(module.attributes[_HELD])]
    left = {
        ir.IntegerAttr(op.operation.attributes[_HELD]).value
        for op in ops_nested_in(module)
        if is_held(op)
    }
    del module.attributes[_HELD]
    for number, place in enumerate(places):
        if number not in left:
            raise RefusedError(
                _location_of(place),
                f"{CANDIDATES} of '{ir.StringAttr(place[3]).value}' cannot hold: nothing is "
                "computed there after the lowering; say it at the op that makes the bytes",
            )


def _recorded_location(region: scf.ExecuteRegionOp) -> ir.ArrayAttr:
    """Return file, line and column, and the name of the op inside the region."""
    origin = model_location_of(region.location) or ModelLocation("-", 0, 0)
    name = region.region.blocks[0].operations[0].operation.name
    numbers = [ir.IntegerAttr.get(ir.IndexType.get(), n) for n in (origin.line, origin.column)]
    return ir.ArrayAttr.get([ir.StringAttr.get(origin.file), *numbers, ir.StringAttr.get(name)])


def _location_of(place: ir.ArrayAttr) -> ir.Location:
    file, line, column = place[0], place[1], place[2]
    return ir.Location.file(
        ir.StringAttr(file).value, ir.IntegerAttr(line).value, ir.IntegerAttr(column).value
    )
