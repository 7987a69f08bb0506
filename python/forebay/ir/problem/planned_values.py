"""The planned placements of a module's memrefs: of buffers, of arguments, of memrefs of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.dialects.memref_pool import AllocOp, RowOp
from forebay.ir.liveness.liveness import Liveness
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer, functions_in, is_private
from forebay.ir.problem.problem import planned_placement
from forebay.ir.problem.row_placement import RowPlacement, planned_rows
from forebay.ir.problem.unique_names import unique_names
from forebay.ir.refused import RefusedError
from forebay.ir.rows.layout import is_rows
from forebay.planning import Placement
from forebay.pools import Pool

AnyPlacement = Placement | RowPlacement
"""The placement of a buffer, or that of its rows."""


class NamedRows(Struct, frozen=True):
    """The placement of the rows of a buffer, and its name, which is unique in the module."""

    placement: RowPlacement
    name: str


class PlannedValues(Struct, frozen=True):
    """Placements of values, of globals and of memrefs of rows.

    An argument of a private function may be the rows of one of several buffers, a buffer per call.
    """

    values: Mapping[ir.Value, Placement]
    globals: Mapping[str, Placement]
    rows: Mapping[ir.Value, tuple[NamedRows, ...]]


def planned_placement_of(root: UnderlyingBuffer) -> AnyPlacement:
    """Return the placement that the plan gives to a buffer or to its rows."""
    return planned_rows(root) if is_rows(root.type) else planned_placement(root)


def planned_values(
    module: ModuleOp,
    liveness: Liveness,
    placements: Sequence[AnyPlacement],
    pools: Mapping[str, Pool],
) -> PlannedValues:
    """Return the placements of all memrefs that are buffers or constant addresses.

    `placements` are those of the buffers in `liveness`. Raises `RefusedError` for a memref of rows
    of several buffers that is no argument or that is passed on, and for an argument inside of a
    device that is no whole buffer.
    """
    values: dict[ir.Value, Placement] = {}
    globals_: dict[str, Placement] = {}
    for root, placement in zip(liveness.buffers, placements, strict=True):
        if isinstance(placement, RowPlacement):
            continue
        values.update((argument.value, placement) for argument in root.arguments)
        if isinstance(root.op, AllocOp):
            values[root.op.memref] = placement
        elif root.op is not None:
            globals_[root.op.sym_name.value] = placement
    for function in functions_in(module):
        if is_private(function) and not function.is_external:
            values.update(_inside(function, liveness, placements, pools))
    return PlannedValues(values, globals_, _rows(liveness, placements))


def _rows(
    liveness: Liveness, placements: Sequence[AnyPlacement]
) -> dict[ir.Value, tuple[NamedRows, ...]]:
    """Return the buffers that each memref of rows may be, also those of arguments."""
    names = unique_names(root.name for root in liveness.buffers)
    found: dict[ir.Value, tuple[NamedRows, ...]] = {}
    for value, roots in liveness.aliases.items():
        if not is_rows(value.type):
            continue
        if len(roots) != 1 and not _only_shows_rows(value):
            raise RefusedError(
                value.location,
                "a memref of rows may be one of several buffers, which only an argument may be of "
                "which a function shows rows; call a function per buffer, or inline it",
            )
        buffers: list[NamedRows] = []
        for root in sorted(roots):
            placement = placements[root]
            assert isinstance(placement, RowPlacement), "a view of a buffer of rows is one row"
            buffers.append(NamedRows(placement, names[root]))
        found[value] = tuple(buffers)
    return found


def _only_shows_rows(value: ir.Value) -> bool:
    """Return whether a value is an argument of a function that only shows rows of it."""
    owner = value.owner
    is_argument = isinstance(owner, ir.Block) and isinstance(owner.owner.opview, func.FuncOp)
    return is_argument and all(isinstance(use.owner.operation.opview, RowOp) for use in value.uses)


def _inside(
    function: func.FuncOp,
    liveness: Liveness,
    placements: Sequence[AnyPlacement],
    pools: Mapping[str, Pool],
) -> Mapping[ir.Value, Placement]:
    """Return the arguments of a private function that are constant addresses, with placements.

    Inside of a device every buffer must be a constant address. In a pool that the host addresses, a
    buffer without a constant address stays an argument.
    """
    found: dict[ir.Value, Placement] = {}
    for argument in function.arguments:
        roots = sorted(liveness.aliases.get(argument, ()))
        pool = pools[placements[roots[0]].pool] if roots else None
        if pool is None or is_rows(argument.type) or not (pool.local or pool.is_mapped):
            continue
        planned = [
            placement
            for placement in (placements[root] for root in roots)
            if isinstance(placement, Placement)
        ]
        if _is_one_buffer(argument, planned):
            found[argument] = planned[0]
        elif pool.local:
            raise RefusedError(
                function.location,
                f"argument {argument.arg_number} of @{function.sym_name.value} is a part of a "
                f"buffer in pool @{pool.name} or one of several, but an address inside "
                "a device is one number; call a function per buffer, or inline it",
            )
    return found


def _is_one_buffer(argument: ir.BlockArgument, placements: Sequence[Placement]) -> bool:
    """Return whether an argument is a whole buffer, and the same one in every call."""
    type_ = ir.MemRefType(argument.type)
    identity = ir.AffineMapAttr.get(ir.AffineMap.get_identity(type_.rank))
    return len(set(placements)) == 1 and type_.layout == identity
