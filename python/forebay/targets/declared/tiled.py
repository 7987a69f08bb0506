"""A call of a whole operator as tiles: one call of a declared intrinsic for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from mlir import ir
from mlir.dialects import tensor

from forebay.computations.nest import ComputedNest
from forebay.device_stages.tiles import (
    PartialSums,
    Tile,
    TiledInput,
    TiledOperator,
    TiledOutput,
)
from forebay.dialects.accel import CallOp
from forebay.ir.refused import RefusedError
from forebay.targets.declared.group import IntrinsicGroup, ReductionPart
from forebay.targets.declared.operator_call import pools_of_operand
from forebay.targets.declared.storage import OperandStorages
from forebay.targets.description.intrinsic import Intrinsic
from forebay.targets.description.reference import IntrinsicRegion
from forebay.targets.description.symbol_names import symbol_of
from forebay.tiling import CallCost, TileLimit, TileStorage


@dataclass(frozen=True, eq=False)
class DeclaredOperator:
    """A call of the intrinsic `whole` of a whole operator."""

    group: IntrinsicGroup
    whole: Intrinsic
    call: CallOp
    storages: OperandStorages

    def alternatives(self) -> list[TiledOperator]:
        """Return what the shared stage needs to cut it, with each of the limits of its tiles."""
        return [self._tiled(limits) for limits in self._limits()]

    def _tiled(self, limits: tuple[TileLimit, ...]) -> TiledOperator:
        nest = self._nest.nest
        names = (*self._nest.reads, *self._nest.writes)
        stored = [
            self.storages.storage(name, number, nest, limits) for number, name in enumerate(names)
        ]
        inputs = zip(self.call.inputs, stored[: len(nest.inputs)], strict=True)
        outputs = zip(self.call.outputs, stored[len(nest.inputs) :], strict=True)
        main, storages = self.group.main, self.storages
        cycles = _Cycles(main, tuple(sorted(self._nest.scalars.items())), self._nest)
        return TiledOperator(
            nest,
            limits,
            tuple(TiledInput(value, storage) for value, storage in inputs),
            tuple(TiledOutput(value, storage) for value, storage in outputs),
            self._compute,
            sums=self._sums(),
            calls=CallCost(cycles, main.queue or f"{main.name} itself"),
            overlaps=storages.overlaps,
            loops=frozenset(range(len(limits))),
            smallest=f"the smallest tile of this {self.group.computation.title}",
        )

    @cached_property
    def _nest(self) -> ComputedNest:
        operands = self.whole.operands
        return ComputedNest(
            self.group.computation,
            self.group.layouts,
            scalars_of_call(self.call),
            [operand.name for operand in operands if not operand.is_written],
            [operand.name for operand in operands if operand.is_written],
        )

    def _limits(self) -> Sequence[tuple[TileLimit, ...]]:
        """Return the limits of the intrinsic, in blocks, and those of its operands' slices."""
        limits: list[TileLimit] = []
        for dimension in self._nest.dimensions:
            limit, block = self.group.limit_of(dimension.name), dimension.block
            is_reduced = dimension.name in self.group.computation.reduction
            if (
                dimension.is_inside
                or limit.is_whole
                or (is_reduced and not self.group.cuts_reduction)
            ):
                limits.append(TileLimit(is_whole=True))
            else:
                most = None if limit.most is None else limit.most // block
                limits.append(TileLimit(max(limit.multiple // block, 1), most))
        nest = self._nest.nest
        names = (*self._nest.reads, *self._nest.writes)
        accesses = dict(zip(names, (*nest.inputs, *nest.outputs), strict=True))
        found = self.storages.alternatives(accesses, tuple(limits), nest)
        if not found:
            raise RefusedError(self.call.location, self._refusal(limits))
        for each in found:
            self._check_reduction(each)
        return found

    def _refusal(self, limits: Sequence[TileLimit]) -> str:
        """Return why no tile is left."""
        extents = zip(self._nest.dimensions, limits, self._nest.nest.domain.sizes, strict=True)
        needs = [
            f"at most {limit.most:,} of the {extent:,} in '{dimension.name}'"
            for dimension, limit, extent in extents
            if limit.most is not None and limit.most < extent
        ]
        return (
            f"a call of '{self.group.main.name}' takes {' and '.join(needs)}, but no transfer "
            "moves such a part of each operand; declare transfers of a higher rank or a smaller "
            "granule, or leave the operator to the host (--place)"
        )

    def _check_reduction(self, limits: Sequence[TileLimit]) -> None:
        """Raise `RefusedError` if calls must take parts of a reduction, but no intrinsic does."""
        if self.group.cuts_reduction:
            return
        nest, main = self._nest.nest, self.group.main
        first = len(nest.parallel)
        pairs = zip(self._nest.dimensions[first:], nest.reduction, limits[first:], strict=True)
        for dimension, extent, limit in pairs:
            if limit.most is not None and limit.most < extent:
                raise RefusedError(
                    self.call.location,
                    f"a call of '{main.name}' takes at most {limit.most:,} of the {extent:,} in "
                    f"'{dimension.name}', and no intrinsic computes a part of a reduction; declare "
                    "such intrinsics, or give the register more bytes",
                )

    def _sums(self) -> PartialSums | None:
        """Return how partial sums are kept, where the device has calls for them."""
        if not self.group.cuts_reduction:
            return None
        name = self.group.computation.sums
        (sums,) = (o for o in self.group.parts[ReductionPart.middle].operands if o.name == name)
        (pool, *_) = pools_of_operand(sums, self.group, self.storages.pools)
        if ReductionPart.end not in self.group.parts:
            return PartialSums(TileStorage(pool, alignment=sums.alignment))
        slots = 2 if self.storages.overlaps else 1
        storage = TileStorage(pool, alignment=sums.alignment, slots=slots)
        return PartialSums(storage, finish=self._finish, always=True)

    def _compute(self, tile: Tile) -> Sequence[ir.Value]:
        """Build the call for a tile, or for a part of the reduction of a tile."""
        if ReductionPart.end in self.group.parts:
            part = ReductionPart.first if tile.is_first else ReductionPart.middle
            return self._call_on(tile, self.group.parts[part], tile.sums)
        out = tile.result(0) if tile.sums is None or tile.is_last else tile.sums
        return self._call_on(tile, self.group.parts[_part_of(tile)], out)

    def _finish(self, tile: Tile) -> Sequence[ir.Value]:
        """Build the call that makes results of finished sums."""
        return self._call_on(tile, self.group.parts[ReductionPart.end], tile.result(0))

    def _call_on(
        self, tile: Tile, intrinsic: Intrinsic, out: ir.Value | None
    ) -> Sequence[ir.Value]:
        assert out is not None
        parts = dict(zip(self._nest.reads, tile.inputs, strict=True))
        given = {name: part.slice() for name, part in parts.items() if name in _names(intrinsic)}
        sums = self.group.computation.sums
        if tile.sums is not None and sums is not None and tile.sums != out:
            given[sums] = tile.sums
        regions = {name: part.region for name, part in parts.items()}
        scalars = self._nest.tile_scalars(tile.box.sizes, regions)
        (written,) = (operand for operand in intrinsic.operands if operand.is_written)
        for operand in intrinsic.operands:
            setter = self.group.setter_of(operand)
            if setter is not None:
                register = tensor.EmptyOp(*_shape_and_element(given[operand.name])).result
                (given[operand.name],) = self._call(
                    setter, [given[operand.name]], register, scalars, None
                )
        inputs = [given[operand.name] for operand in intrinsic.operands if not operand.is_written]
        accumulate = [0] if written.access == "inout" else None
        return self._call(intrinsic, inputs, out, scalars, accumulate)

    def _call(
        self,
        intrinsic: Intrinsic,
        inputs: Sequence[ir.Value],
        out: ir.Value,
        scalars: Mapping[str, int],
        accumulate: list[int] | None,
    ) -> list[ir.Value]:
        word = ir.IntegerType.get_signless(64)
        call = CallOp(
            [out.type],
            symbol_of(self.group.device.name, intrinsic.name),
            inputs,
            [out],
            accumulate=accumulate,
            config={name: ir.IntegerAttr.get(word, scalars[name]) for name in intrinsic.scalars}
            or None,
        )
        return list(call.result_tensors)


def _shape_and_element(value: ir.Value) -> tuple[list[int], ir.Type]:
    type_ = ir.RankedTensorType(value.type)
    return list(type_.shape), type_.element_type


def _part_of(tile: Tile) -> ReductionPart:
    if tile.sums is None:
        return ReductionPart.whole
    if tile.is_first:
        return ReductionPart.first
    return ReductionPart.last if tile.is_last else ReductionPart.middle


def _names(intrinsic: Intrinsic) -> set[str]:
    return {operand.name for operand in intrinsic.operands}


def scalars_of_call(call: CallOp) -> Mapping[str, int]:
    """Return the scalars of a call by name."""
    if call.config is None:
        return {}
    entries = ir.DictAttr(call.config)
    return {entries[i].name: ir.IntegerAttr(entries[i].attr).value for i in range(len(entries))}


@dataclass(frozen=True)
class _Cycles:
    """The cycles of a call by the sizes of its tile; equal for equal layers."""

    intrinsic: Intrinsic
    key: tuple[tuple[str, int], ...]
    nest: ComputedNest

    def __call__(self, sizes: tuple[int, ...]) -> int:
        """Return the cycles, 0 if the intrinsic says none that can be evaluated here."""
        return _cycles(self, sizes)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Cycles)
            and self.intrinsic is other.intrinsic
            and self.key == other.key
        )

    def __hash__(self) -> int:
        return hash((id(self.intrinsic), self.key))


@lru_cache(maxsize=1 << 14)
def _cycles(model: _Cycles, sizes: tuple[int, ...]) -> int:
    if IntrinsicRegion.cycles not in model.intrinsic.traces:
        return 0
    scalars = model.nest.tile_scalars(sizes)
    return model.intrinsic.cycles_of(**{name: scalars[name] for name in model.intrinsic.scalars})
