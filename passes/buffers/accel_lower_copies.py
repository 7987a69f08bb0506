"""accel-lower-copies: turn copies between pools into transfers of devices."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects import memref, scf

from forebay.dialects import accel, memref_pool
from forebay.ir.machine.pools import candidates_of, element_bytes, pools_in
from forebay.ir.machine.transfer_limits import CopiedBox, TransferLimits, TransferSplitter
from forebay.ir.machine.transfers import limits_of, transfers_in
from forebay.ir.memory.block_copies import BlockCopy, ElementAccess, block_copies_in
from forebay.ir.memory.fitting import list_pools, transfer_mismatch, units_between
from forebay.ir.memory.regions import access_region_of
from forebay.ir.memory.underlying import UnderlyingObjects
from forebay.ir.module import module_of
from forebay.ir.state.buffers import variable_behind
from forebay.ir.views.layouts import DYNAMIC_OFFSET
from forebay.passes._pass import Pass, PassError
from forebay.pools import Pool


class OrderedLoopError(PassError):
    """A loop between memories of devices whose result depends on the order of its iterations."""


class AccelLowerCopies(Pass):
    """Turn each copy between pools that a transfer can make into an `accel.move`.

    A copy is a `memref.copy`, a `memref_pool.copy`, a `linalg.copy`, a `linalg.generic` whose body
    yields its input unchanged, or a nest of loops around one load and the store of the loaded
    value. The first transfer of the module that supports the two pools and the shape of the block
    makes the copy. If a transfer declares limits, and the block is larger, several moves make the
    copy, each of a box of the block. If there is no such transfer either, the pass keeps a copy
    that the host can make. It refuses a copy into or out of a device, because the host cannot make
    it by a loop.
    """

    name: ClassVar[str] = "accel-lower-copies"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "memref")

    def run(self, op: ir.Operation) -> None:
        """Lower every copy, in order."""
        transfers, pools = transfers_in(op), pools_in(op)
        underlying = UnderlyingObjects(module_of(op))
        for copy in list(block_copies_in(op)):
            if _may_read_what_it_wrote(copy, underlying):
                _leave(copy, pools)
            elif 0 in copy.sizes:
                copy.op.operation.erase()
            else:
                _lower(copy, transfers, pools)


def _may_read_what_it_wrote(copy: BlockCopy, underlying: UnderlyingObjects) -> bool:
    """Return whether the result depends on the order of the elements, which no transfer keeps.

    Source and target of a `memref_pool.copy` may overlap in the memory of a variable.
    """
    source, target = copy.source, copy.target
    if isinstance(copy.op, memref_pool.CopyOp):
        variable = variable_behind(source.memory)
        is_same = variable is not None and variable == variable_behind(target.memory)
        return is_same and access_region_of(source.memory).may_overlap(
            access_region_of(target.memory)
        )
    if not isinstance(copy.op, scf.ForOp):
        return False
    one, other = (underlying.objects_of(side.memory) for side in (source, target))
    if one is not None and other is not None and not one & other:
        return False
    if source.memory == target.memory:
        (low, high), (begin, end) = (side.bounds(copy.sizes) for side in (source, target))
        return low < end and begin < high
    return access_region_of(source.memory).may_overlap(access_region_of(target.memory))


def _leave(copy: BlockCopy, pools: Mapping[str, Pool]) -> None:
    """Leave the copy to the host; raise an error if the host cannot access the memory."""
    if any(_is_inside(side, pools) for side in (copy.source, copy.target)):
        raise OrderedLoopError(
            copy.op.location,
            "this loop may read what it has written before, which no transfer does; "
            "copy between memory that is apart",
        )


def _lower(
    copy: BlockCopy, transfers: Sequence[accel.TransferOp], pools: Mapping[str, Pool]
) -> None:
    sides = (copy.source, copy.target)
    source, target = (_type(side, copy.sizes) for side in sides)
    reasons = [
        "moves blocks that begin at a known element"
        if source is None or target is None
        else transfer_mismatch(transfer, source, target, pools)
        for transfer in transfers
    ]
    found = None
    if source is not None and target is not None:
        found = _whole(transfers, reasons, copy) or _cut(transfers, source, target, pools)
    if source is not None and target is not None and found is not None:
        transfer, boxes = found
        with ir.InsertionPoint(copy.op), copy.op.location:
            views = _view(copy.source, source), _view(copy.target, target)
            for box in boxes:
                parts = (view if box.sizes == copy.sizes else _part(view, box) for view in views)
                accel.MoveOp(transfer.sym_name.value, *parts)
        copy.op.operation.erase()
    elif any(_is_inside(side, pools) for side in sides):
        raise _refusal(copy, transfers, reasons)


def _whole(
    transfers: Sequence[accel.TransferOp], reasons: Sequence[str | None], copy: BlockCopy
) -> tuple[accel.TransferOp, list[CopiedBox]] | None:
    """Return the first transfer that makes the copy in one call."""
    if None not in reasons:
        return None
    box = CopiedBox((0,) * len(copy.sizes), copy.sizes)
    return transfers[reasons.index(None)], [box]


def _cut(
    transfers: Sequence[accel.TransferOp],
    source: ir.MemRefType,
    target: ir.MemRefType,
    pools: Mapping[str, Pool],
) -> tuple[accel.TransferOp, list[CopiedBox]] | None:
    """Return the first transfer with limits that makes the copy in several calls, and its boxes."""
    strides = source.get_strides_and_offset()[0], target.get_strides_and_offset()[0]
    for transfer in transfers:
        if not limits_of(transfer):
            continue
        limits = TransferLimits.of(transfer, units_between(transfer, source, target, pools))
        splitter = TransferSplitter(strides, element_bytes(source.element_type), limits)
        boxes = splitter.boxes(tuple(source.shape)) or []
        types = [(_part_type(source, box), _part_type(target, box)) for box in boxes]
        if boxes and all(transfer_mismatch(transfer, *both, pools) is None for both in types):
            return transfer, boxes
    return None


def _part_type(whole: ir.MemRefType, box: CopiedBox) -> ir.MemRefType:
    strides, offset = whole.get_strides_and_offset()
    if offset != DYNAMIC_OFFSET:
        offset += sum(o * stride for o, stride in zip(box.offsets, strides, strict=True))
    layout = ir.StridedLayoutAttr.get(offset, strides)
    return ir.MemRefType.get(list(box.sizes), whole.element_type, layout, whole.memory_space)


def _part(view: ir.Value, box: CopiedBox) -> ir.Value:
    type_ = _part_type(ir.MemRefType(view.type), box)
    ones = [1] * len(box.sizes)
    return memref.SubViewOp(type_, view, [], [], [], box.offsets, box.sizes, ones).result


def _is_inside(side: ElementAccess, pools: Mapping[str, Pool]) -> bool:
    """Return whether only transfers can access the memory, in each of its candidate pools."""
    names = candidates_of(side.memory.type)
    return bool(names) and all(pools[name].local for name in names)


def _type(side: ElementAccess, sizes: Sequence[int]) -> ir.MemRefType | None:
    """Return the type of the copied elements as a memref of the domain's shape, or None."""
    given = ir.MemRefType(side.memory.type)
    strides, offset = given.get_strides_and_offset()
    if list(given.shape) == list(sizes) and list(strides) == list(side.strides):
        return given if side.offset == 0 else None
    if offset == DYNAMIC_OFFSET:
        return None
    layout = ir.StridedLayoutAttr.get(offset + side.offset, list(side.strides))
    return ir.MemRefType.get(list(sizes), given.element_type, layout, given.memory_space)


def _view(side: ElementAccess, type_: ir.MemRefType) -> ir.Value:
    if type_ == side.memory.type:
        return side.memory
    strides, offset = type_.get_strides_and_offset()
    return memref.ReinterpretCastOp(
        type_, side.memory, [], [], [], [offset], list(type_.shape), list(strides)
    ).result


def _refusal(
    copy: BlockCopy, transfers: Sequence[accel.TransferOp], reasons: Sequence[str | None]
) -> PassError:
    source, target = (candidates_of(side.memory.type) for side in (copy.source, copy.target))
    found = "; ".join(
        f"@{transfer.sym_name.value} {reason}"
        for transfer, reason in zip(transfers, reasons, strict=True)
    )
    return PassError(
        copy.op.location,
        f"no transfer makes this copy from {list_pools(source)} to {list_pools(target)}, and "
        f"nothing else can: {found or 'the module has none'}. Declare one that does, or "
        "give the memrefs the layout of one that is there",
    )
