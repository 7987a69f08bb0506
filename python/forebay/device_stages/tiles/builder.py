"""Build the tiles of an operator: loads, calls, sums and stores, in the order of a tiling.

An input is loaded as soon as the loops around have chosen its tile, so that it is there for all
tiles inside. The sums of all parallel tiles inside of the outermost loop over the reduction are
kept until the last part of each is added.

Code is straight unless there are many tiles. Then tiles of equal sizes become iterations of a loop,
between those at the borders (`regular_runs.py`). What is loaded in the loop is not there before it
and after it; outputs, or sums if the loop is over the reduction, are carried by the loop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mlir import ir
from mlir.dialects import arith, scf

from forebay.device_stages.tiles import slices
from forebay.device_stages.tiles.operator import TiledInput, TiledOperator
from forebay.device_stages.tiles.positions import LoopVariable, TileBox, TilePosition
from forebay.device_stages.tiles.regular_runs import regular_runs
from forebay.device_stages.tiles.tile import OperandTile, Tile
from forebay.regions import (
    Box,
    OperandRegion,
    PointSet,
    Span,
    input_regions,
    output_regions,
)
from forebay.tiling import LoopTiling, contiguous_runs


@dataclass(frozen=True, eq=False)
class _LoadedTile:
    """A loaded tile: its tensor, and where the tensor's first element is in the operand."""

    tensor: ir.Value
    origin: tuple[TilePosition, ...]
    key: object


class TileBuilder:
    """The lowering of one operator with its tiling, at the insertion point."""

    def __init__(self, operator: TiledOperator, tiling: LoopTiling) -> None:
        self._operator = operator
        self._tiling = tiling
        self._values = [output.value for output in operator.outputs]
        self._loaded: dict[int, _LoadedTile] = {}
        self._sums: dict[tuple[Span, ...], ir.Value] = {}
        self._inputs: dict[Box, tuple[OperandRegion, ...]] = {}
        self._outputs: dict[Box, tuple[OperandRegion, ...]] = {}

    def results(self) -> Sequence[ir.Value]:
        """Build all tiles and return the outputs."""
        self._along(0, TileBox(self._operator.nest.domain))
        return self._values

    def tiles_in_code(self) -> int:
        """Return how many tiles `results` will build, those of a loop once."""
        return self._counted(0, TileBox(self._operator.nest.domain))

    def _counted(self, depth: int, tile_box: TileBox) -> int:
        if depth == len(self._tiling.order):
            return 1
        d = self._tiling.order[depth]
        runs = self._runs_along(depth, tile_box, self._spans(depth, tile_box))
        return sum(self._counted(depth + 1, tile_box.at(d, run[0])) for run in runs)

    def _along(self, depth: int, tile_box: TileBox) -> None:
        """Build the tiles of a box, of which the outer `depth` loops have chosen their part."""
        self._load(depth, tile_box)
        order = self._tiling.order
        if depth == len(order):
            self._compute(tile_box)
            return
        d = order[depth]
        for run in self._runs_along(depth, tile_box, self._spans(depth, tile_box)):
            if len(run) == 1:
                self._along(depth + 1, tile_box.at(d, run[0]))
            else:
                self._loop(depth, tile_box, run)

    def _spans(self, depth: int, tile_box: TileBox) -> Sequence[Span]:
        """Return the tiles along the dimension of a loop."""
        d = self._tiling.order[depth]
        multiple, ends = self._operator.limits[d].multiple, self._ends(depth, tile_box)
        return self._tiling.spans(depth, tile_box.box.spans[d], multiple, **ends)

    def _ends(self, depth: int, tile_box: TileBox) -> dict[str, bool]:
        """Return whether all loops outside of a depth are at their first and at their last tile.

        Loops in the code are at neither: only straight-line code has smaller tiles at its ends.
        """
        if self._may_loop:
            return {}
        domain = self._operator.nest.domain.spans
        pairs = [(tile_box.box.spans[d], domain[d]) for d in self._tiling.order[:depth]]
        return {
            "is_first": all(span.start == whole.start for span, whole in pairs),
            "is_last": all(span.stop == whole.stop for span, whole in pairs),
        }

    # ---- Loops -----------------------------------------------------------------------------------

    @cached_property
    def _may_loop(self) -> bool:
        """Return whether straight-line code is longer than loops with tiles at borders apart."""
        extents = self._operator.nest.domain.sizes
        pairs = zip(extents, self._tiling.sizes, strict=True)
        return (
            math.prod(-(-extent // size) for extent, size in pairs) > self._operator.most_straight
        )

    @property
    def _is_in_place(self) -> bool:
        """Return whether an output is computed where it is; bufferization copies it at loops."""
        return any(output.storage.transfer is None for output in self._operator.outputs)

    def _runs_along(
        self, depth: int, tile_box: TileBox, spans: Sequence[Span]
    ) -> Sequence[Sequence[Span]]:
        """Return the tiles along a dimension in runs; a run of several tiles becomes a loop."""
        d, outer = self._tiling.order[depth], len(self._operator.nest.parallel)
        parts_of_sums = [
            at for at, dimension in enumerate(self._tiling.order) if dimension >= outer
        ]
        is_inside = bool(parts_of_sums) and depth > parts_of_sums[0]
        if not self._may_loop or d not in self._operator.loops or (d < outer and is_inside):
            return [[span] for span in spans]
        if self._is_in_place or any(
            self._needs_numbers(number, depth) for number in range(len(self._loaded_at))
        ):
            return [[span] for span in spans]
        # The first and the last part of a sum may be other calls than those between them.
        ends = 1 if d >= outer else 0
        return regular_runs(self._operator.nest, tile_box.box, d, spans, ends)

    def _needs_numbers(self, number: int, depth: int) -> bool:
        """Return whether a tile is a part of a larger tensor, at an offset that must be known."""
        operand, access = self._operator.inputs[number], self._operator.nest.inputs[number]
        if operand.dynamic_offsets:
            return False
        is_larger = operand.storage.transfer is None or self._loaded_at[number] <= depth
        d = self._tiling.order[depth]
        return is_larger and any(d in index.dimensions for index in access.index)

    def _loop(self, depth: int, tile_box: TileBox, run: Sequence[Span]) -> None:
        """Build a loop over tiles of equal sizes."""
        d = self._tiling.order[depth]
        over_sums = d >= len(self._operator.nest.parallel)
        keys = list(self._sums)
        carried = [self._sums[key] for key in keys] if over_sums else self._values
        first, last, step = (
            arith.ConstantOp(ir.IndexType.get(), value).result for value in (0, len(run), 1)
        )
        loop = scf.ForOp(first, last, step, carried)
        before = {n: loaded for n, loaded in self._loaded.items() if self._loaded_at[n] <= depth}
        self._loaded = dict(before)
        with ir.InsertionPoint(loop.body):
            self._carry(keys if over_sums else None, list(loop.inner_iter_args))
            variable = LoopVariable(
                len(tile_box.loops), d, run[1].start - run[0].start, loop.induction_variable
            )
            self._along(depth + 1, tile_box.at(d, run[0], variable))
            made = [self._sums[key] for key in keys] if over_sums else self._values
            scf.YieldOp(made)
        self._loaded = before
        self._carry(keys if over_sums else None, list(loop.results))

    def _carry(self, keys: Sequence[tuple[Span, ...]] | None, values: list[ir.Value]) -> None:
        """Take sums, or outputs if there are no keys, from a loop."""
        if keys is None:
            self._values = values
        else:
            self._sums = dict(zip(keys, values, strict=True))

    # ---- Inputs ----------------------------------------------------------------------------------

    @cached_property
    def _loaded_at(self) -> list[int]:
        """The number of loops that choose the tile of each input."""
        order, depths = self._tiling.order, list[int]()
        for number, access in enumerate(self._operator.nest.inputs):
            used = frozenset[int]().union(*(e.dimensions for e in access.index))
            own = [order.index(d) + 1 for d in order if d in used]
            depths.append(0 if number in self._tiling.staying else max(own, default=0))
        return depths

    def _load(self, depth: int, tile_box: TileBox) -> None:
        """Load the inputs whose tile is chosen by now, unless the tile is there already."""
        chosen = [number for number, at in enumerate(self._loaded_at) if at == depth]
        if not chosen:
            return
        regions = self._input_regions(tile_box.box)
        for number in chosen:
            operand = self._operator.inputs[number]
            region, positions = regions[number], tile_box.positions(regions[number])
            known = self._loaded.get(number)
            key = (region.window, tuple(position.terms for position in positions))
            if known is None or known.key != key:
                self._loaded[number] = _load_tile(operand, region, positions, key)

    def _input_regions(self, box: Box) -> tuple[OperandRegion, ...]:
        """Return the regions of the inputs, which are computed once for each box."""
        if box not in self._inputs:
            self._inputs[box] = input_regions(self._operator.nest, box)
        return self._inputs[box]

    def _parts(self, tile_box: TileBox) -> tuple[OperandTile, ...]:
        """Return the parts of the loaded inputs that a tile reads."""
        parts: list[OperandTile] = []
        for number, region in enumerate(self._input_regions(tile_box.box)):
            loaded = self._loaded[number]
            pairs = zip(tile_box.positions(region), loaded.origin, strict=True)
            parts.append(OperandTile(loaded.tensor, region, tuple(p - o for p, o in pairs)))
        return tuple(parts)

    # ---- Calls -----------------------------------------------------------------------------------

    def _compute(self, tile_box: TileBox) -> None:
        if self._keeps_sums:
            self._accumulate(tile_box)
            return
        for run in self._runs(tile_box):
            parts = self._output_parts(run)
            self._store(parts, self._operator.compute(self._tile(run, parts)))

    @property
    def _keeps_sums(self) -> bool:
        sums, outer = self._operator.sums, len(self._operator.nest.parallel)
        return sums is not None and (sums.always or any(d >= outer for d in self._tiling.order))

    def _accumulate(self, tile_box: TileBox) -> None:
        """Add one part of the reduction to the sums of a tile, and finish them after the last."""
        sums, nest = self._operator.sums, self._operator.nest
        assert sums is not None
        outer = len(nest.parallel)
        spans = tile_box.box.spans[:outer]
        parts = list(zip(tile_box.box.spans, nest.domain.spans, strict=True))[outer:]
        outputs = self._output_parts(tile_box)
        tile = replace(
            self._tile(tile_box, outputs),
            is_first=all(part.start == whole.start for part, whole in parts),
            is_last=all(part.stop == whole.stop for part, whole in parts),
        )
        if tile.is_first:
            self._sums[spans] = self._first_sums(tile)
        made = self._operator.compute(replace(tile, sums=self._sums[spans]))
        if not tile.is_last:
            (self._sums[spans],) = made
        elif sums.finish is None:
            del self._sums[spans]
            self._store(outputs, made)
        else:
            del self._sums[spans]
            self._finish(tile_box, made[0])

    def _first_sums(self, tile: Tile) -> ir.Value:
        sums, outer = self._operator.sums, len(self._operator.nest.parallel)
        assert sums is not None
        if sums.begin is not None:
            return sums.begin(tile)
        return slices.empty_tensor(tile.box.sizes[:outer], ir.IntegerType.get_signless(sums.bits))

    def _finish(self, tile_box: TileBox, total: ir.Value) -> None:
        sums, outer = self._operator.sums, len(self._operator.nest.parallel)
        assert sums is not None
        assert sums.finish is not None
        for run in self._runs(tile_box):
            own = total
            if run.box != tile_box.box:
                pairs = list(zip(run.box.spans, tile_box.box.spans, strict=True))[:outer]
                offsets = [span.start - whole.start for span, whole in pairs]
                own = slices.slice_at(total, offsets, run.box.sizes[:outer])
            outputs = self._output_parts(run)
            self._store(outputs, sums.finish(replace(self._tile(run, outputs), sums=own)))

    def _tile(self, tile_box: TileBox, outputs: Sequence[OperandTile]) -> Tile:
        def result(number: int) -> ir.Value:
            part = outputs[number]
            if self._operator.outputs[number].storage.transfer is None:
                return part.slice()
            return slices.empty_tensor(part.sizes, part.element_type)

        def scratch(number: int) -> ir.Value:
            access = self._operator.scratch[number].access
            points = PointSet(tile_box.box)
            sizes = [points.values(index).size for index in access.index]
            return slices.empty_tensor(sizes, ir.IntegerType.get_signless(access.bits))

        return Tile(tile_box.box, self._parts(tile_box), result, scratch)

    # ---- Outputs ---------------------------------------------------------------------------------

    def _output_parts(self, tile_box: TileBox) -> list[OperandTile]:
        box = tile_box.box
        if box not in self._outputs:
            self._outputs[box] = output_regions(self._operator.nest, box)
        regions = self._outputs[box]
        return [
            OperandTile(value, region, tile_box.positions(region))
            for value, region in zip(self._values, regions, strict=True)
        ]

    def _runs(self, tile_box: TileBox) -> Sequence[TileBox]:
        """Return the parts of a tile that one call each computes."""
        tile_boxes = [tile_box]
        for number, output in enumerate(self._operator.outputs):
            if output.storage.contiguous and output.storage.transfer is None:
                tile_boxes = [run for whole in tile_boxes for run in self._runs_of(number, whole)]
        return tile_boxes

    def _runs_of(self, number: int, tile_box: TileBox) -> Sequence[TileBox]:
        access = self._operator.nest.outputs[number]
        axes = [d for index in access.index for d in index.dimensions]
        tile = Box(tuple(tile_box.box.spans[d] for d in axes))
        runs: list[TileBox] = []
        for run in contiguous_runs(tile, access.shape):
            box = tile_box.box
            for d, span in zip(axes, run.spans, strict=True):
                box = box.with_span(d, span)
            runs.append(replace(tile_box, box=box))
        return runs

    def _store(self, parts: Sequence[OperandTile], made: Sequence[ir.Value]) -> None:
        for number, (value, part) in enumerate(zip(made, parts, strict=True)):
            output = self._operator.outputs[number]
            if output.storage.transfer is None:
                self._values[number] = part.replaced(value)
            elif output.store is None:
                self._values[number] = part.replaced_by_copy(value)
            else:
                self._values[number] = output.store(value, part)


def _load_tile(
    operand: TiledInput, region: OperandRegion, positions: tuple[TilePosition, ...], key: object
) -> _LoadedTile:
    """Bring a tile into its pool, or use the whole operand where it is."""
    if operand.storage.transfer is None:
        return _LoadedTile(operand.value, tuple(TilePosition(0) for _ in positions), key)
    part = OperandTile(operand.value, region, positions)
    if operand.storage.with_padding:
        origin = positions
    else:
        pairs = zip(positions, region.padding, strict=True)
        origin = tuple(position + padding.before for position, padding in pairs)
    tensor = slices.own_copy(part.slice()) if operand.load is None else operand.load(part)
    return _LoadedTile(tensor, origin, key)
