"""Loops over the tiles of a group's results.

for n                       one position of each axis but the last
  for c by 4                tiles of the last axis
    %f = sum of W x         4 elements
    %g = sum of R h
    %c = update %c by %f, %g
  %f = sum of W x           the elements after the last whole tile
  ...
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, scf, tensor
from msgspec import Struct

from forebay.dialects.accel import ReduceOp
from forebay.lowering.tiles.group import Group, is_new
from forebay.lowering.tiles.kernel import Axes, Kernel, leading

_Start = int | ir.Value
_Tensors = dict[ir.Value, ir.Value]
_DYNAMIC = ir.ShapedType.get_dynamic_stride_or_offset()


def compute_in_tiles(group: Group, length: int) -> None:
    """Replace a group by loops over tiles of `length` elements along the last axis."""
    last, kept = group.kernels[-1].op, group.kept
    with ir.InsertionPoint(last), last.location:
        whole = {home: _first(home, result, last.operation) for result, home in kept.items()}
        computed = _Loops(group, length).emit(_Tile(), whole)
    for result, home in kept.items():
        result.replace_all_uses_with(computed[home])
    for kernel in reversed(group.kernels):
        kernel.op.operation.erase()


def _first(home: ir.Value, result: ir.Value, user: ir.Operation) -> ir.Value:
    """Return the tensor that the tiles of a result are put into, in front of an op.

    A new tensor that becomes a slice of another one is this slice from the beginning.
    """
    users = [use.owner.opview for use in result.uses]
    puts = [op for op in users if isinstance(op, tensor.InsertSliceOp) and op.source == result]
    if not is_new(home) or len(puts) != 1:
        return home
    (put,) = puts
    if not all(_is_known(value, user) for value in list(put.operands)[1:]):
        return home
    return tensor.ExtractSliceOp(
        result.type,
        *(put.dest, put.offsets, put.sizes, put.strides),
        *(put.static_offsets, put.static_sizes, put.static_strides),
    ).result


def _is_known(value: ir.Value, user: ir.Operation) -> bool:
    """Return whether a value is defined in front of an op, or around its block."""
    if isinstance(value.owner, ir.Block):
        return True
    definition = value.owner.operation
    return definition.block != user.block or definition.is_before_in_block(user)


class _Loops(Struct, frozen=True, eq=False):
    """A group, and the elements of a tile along the last axis."""

    group: Group
    length: int

    def emit(self, tile: _Tile, whole: _Tensors) -> _Tensors:
        """Compute the tiles at a position of the leading axes; return the destinations."""
        axis = len(tile.starts)
        if axis == len(self.group.shape):
            return tile.compute(self.group, whole)
        extent = self.group.shape[axis]
        is_last = axis == len(self.group.shape) - 1
        length = min(self.length if is_last else 1, extent)
        if length == extent:
            return self.emit(tile.along(0, extent), whole)
        rest = extent % length
        whole = self._loop(tile, whole, extent - rest, length)
        return self.emit(tile.along(extent - rest, rest), whole) if rest else whole

    def _loop(self, tile: _Tile, whole: _Tensors, end: int, length: int) -> _Tensors:
        index = ir.IndexType.get()
        zero, last, step = (arith.ConstantOp(index, n).result for n in (0, end, length))
        loop = scf.ForOp(zero, last, step, list(whole.values()))
        with ir.InsertionPoint(loop.body):
            carried = dict(zip(whole, loop.inner_iter_args, strict=True))
            computed = self.emit(tile.along(loop.induction_variable, length), carried)
            scf.YieldOp(list(computed.values()))
        return dict(zip(whole, loop.results, strict=True))


class _Tile(Struct, frozen=True, eq=False):
    """The start and the size of a tile along each axis of the results."""

    starts: tuple[_Start, ...] = ()
    sizes: tuple[int, ...] = ()

    def along(self, start: _Start, size: int) -> _Tile:
        """Return the tile with a start and a size along one more axis."""
        return _Tile((*self.starts, start), (*self.sizes, size))

    def compute(self, group: Group, whole: _Tensors) -> _Tensors:
        """Clone the kernels; `whole` has the destinations so far, by those of the group."""
        parts = {
            home: self._part(whole[home], group.axes_of(result))
            for result, home in group.kept.items()
        }
        for kernel in group.kernels:
            operands = (*kernel.inputs, *kernel.outputs)
            used = [
                parts[o.value]
                if o.value in parts
                else self._part(o.value, leading(o.axes, len(group.shape)))
                for o in operands
            ]
            clone = kernel.op.operation.clone()
            for operand, part in zip(operands, used, strict=True):
                clone.operands[operand.number] = part
            self._shrink(clone, kernel)
            parts |= zip(kernel.results, clone.results, strict=True)
        return {
            home: self._put(parts[result], whole[home], group.axes_of(result))
            for result, home in group.kept.items()
        }

    def _part(self, value: ir.Value, axes: Axes) -> ir.Value:
        """Return what the tile uses of an operand; a tensor without elements is a new one."""
        if all(axis is None for axis in axes):
            return value
        type_ = ir.RankedTensorType(value.type)
        place = self._place(type_, axes)
        if is_new(value):
            with value.owner.location:
                return tensor.EmptyOp(place.sizes, type_.element_type).result
        part = ir.RankedTensorType.get(place.sizes, type_.element_type)
        return tensor.ExtractSliceOp(part, value, *place.arguments).result

    def _put(self, part: ir.Value, whole: ir.Value, axes: Axes) -> ir.Value:
        place = self._place(ir.RankedTensorType(whole.type), axes)
        return tensor.InsertSliceOp(part, whole, *place.arguments).result

    def _place(self, type_: ir.RankedTensorType, axes: Axes) -> _Place:
        starts = [0 if axis is None else self.starts[axis] for axis in axes]
        pairs = zip(type_.shape, axes, strict=True)
        return _Place(starts, [n if axis is None else self.sizes[axis] for n, axis in pairs])

    def _shrink(self, clone: ir.Operation, kernel: Kernel) -> None:
        """Make the results of a clone, and its domain, those of the tile."""
        for operand, result in zip(kernel.outputs, clone.results, strict=True):
            result.set_type(clone.operands[operand.number].type)
        op = clone.opview
        if isinstance(op, ReduceOp):
            parallel = list(op.parallel)
            for size, dimension in zip(self.sizes, kernel.dimensions, strict=False):
                if dimension is not None:
                    parallel[dimension] = size
            op.attributes["parallel"] = ir.DenseI64ArrayAttr.get(parallel)


class _Place(Struct, frozen=True, eq=False):
    """The offsets and sizes of a slice of a tensor."""

    offsets: list[_Start]
    sizes: list[int]

    @property
    def arguments(self) -> tuple[Sequence[ir.Value] | Sequence[int], ...]:
        """The operands and attributes of `tensor.extract_slice` behind the tensor."""
        dynamic = [start for start in self.offsets if isinstance(start, ir.Value)]
        static = [start if isinstance(start, int) else _DYNAMIC for start in self.offsets]
        return dynamic, [], [], static, self.sizes, [1] * len(self.sizes)
