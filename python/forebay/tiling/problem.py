"""The tiler's input: a loop nest, what a device's calls can take, and where tiles lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from forebay.regions import Affine, LoopNest, OperandAccess, even_sizes

MOST_STRAIGHT = 32
"""The most tiles of an operator that are built without loops, unless the device says otherwise."""


@dataclass(frozen=True)
class TileLimit:
    """The sizes that a tile may have in one dimension of the domain.

    They are multiples of `multiple`, but for the remainder, and at most `most`. A dimension with
    `is_whole` is not cut.
    """

    multiple: int = 1
    most: int | None = None
    is_whole: bool = False

    def sizes(self, extent: int) -> tuple[int, ...]:
        """Return the sizes to try, the largest first: the least one for each number of tiles."""
        sizes = (extent,) if self.is_whole else even_sizes(extent, self.multiple)
        return tuple(size for size in sizes if self.most is None or size <= self.most)


@dataclass(frozen=True)
class TransferCost:
    """The cycles of a transfer in its queue: `latency` for each, and its bytes by the bandwidth.

    Along the innermost dimension of the operand, the bytes of a tile count as a multiple of
    `run_bytes`: a machine that requests each run of at most so many bytes alone.
    """

    queue: str
    latency: int = 0
    bytes_per_cycle: int = 1
    run_bytes: int = 1


@dataclass(frozen=True)
class TileStorage:
    """The memory and the layout of the tiles of one operand.

    Sizes are rounded up to `granules`, one per dimension of the operand, and the bytes of a tile to
    `alignment`. There are `slots` tiles at a time; 0 for outputs whose tiles are the accumulators.
    With `with_padding` a tile has the positions of its window that are outside of the operand, too.
    Without a `transfer` the operand is in the pool as a whole before and after, and takes no bytes
    of those that are free. An output without a transfer that is `contiguous` is written by one call
    for each contiguous run of its tile.
    """

    pool: str
    transfer: TransferCost | None = None
    granules: tuple[int, ...] = ()
    alignment: int = 1
    slots: int = 1
    with_padding: bool = False
    may_stay: bool = False
    """Whether all of an input may be loaded once, and stay in one slot while tiles are computed."""
    contiguous: bool = False
    is_constant: bool = False
    """Whether an input is there before the operator before ends, so that it is loaded beside it."""

    def bytes(self, sizes: tuple[int, ...], bits: int) -> int:
        """Return the bytes of one tile."""
        elements = 1
        for d, size in enumerate(sizes):
            granule = self.granules[d] if d < len(self.granules) else 1
            elements *= -(-size // granule) * granule
        return -(-elements * bits // (8 * self.alignment)) * self.alignment


@dataclass(frozen=True)
class ScratchStorage:
    """Bytes that each tile needs beside its operands.

    `access` says which elements of an array over all tiles a tile has: its `shape` is that of the
    array, and its index depends on parallel dimensions only.
    """

    access: OperandAccess
    storage: TileStorage


@dataclass(frozen=True)
class CallCost:
    """The cycles of a call on a tile, by the sizes of the tile in the domain.

    Problems are equal only if their functions are: `cycles` that is a frozen dataclass with
    `__call__`, or a function of a module, lets equal layers share one search.
    """

    cycles: Callable[[tuple[int, ...]], int]
    queue: str = "compute"


def _no_cycles(_: tuple[int, ...]) -> int:
    return 0


@dataclass(frozen=True)
class TilingProblem:
    """A box to cut, and the limits of its tiles.

    `limits` are per dimension of the domain, `inputs` and `outputs` in the order of the nest's.
    `pools` are names with the free bytes. Reduction dimensions are cut only with `accumulators`, of
    `accumulator_bits` per point of the parallel domain: they stay in their pool until the last part
    of a sum is added. With `always_accumulates` every tile has accumulators, also if its reduction
    is whole. With `overlaps`, queues work in parallel, so that the busiest queue counts, and what
    the others do alone at both ends; else the cycles of all queues are added. More tiles than
    `most_straight` become loops. Of fewer tiles, more are only made if they save `least_gain`
    percent of the cycles.
    """

    nest: LoopNest
    limits: tuple[TileLimit, ...]
    inputs: tuple[TileStorage, ...]
    outputs: tuple[TileStorage, ...]
    pools: tuple[tuple[str, int], ...]
    accumulators: TileStorage | None = None
    accumulator_bits: int = 32
    calls: CallCost = field(default_factory=lambda: CallCost(_no_cycles))
    overlaps: bool = False
    scratch: tuple[ScratchStorage, ...] = ()
    always_accumulates: bool = False
    most_straight: int = MOST_STRAIGHT
    least_gain: int = 0

    def __post_init__(self) -> None:
        """Check that everything has a partner; raises `ValueError`."""
        domain = len(self.nest.domain.spans)
        for name, given, expected in (
            ("limits", len(self.limits), domain),
            ("inputs", len(self.inputs), len(self.nest.inputs)),
            ("outputs", len(self.outputs), len(self.nest.outputs)),
        ):
            if given != expected:
                raise ValueError(f"{given} {name} are given, but the loop nest has {expected}")
        if any(storage.may_stay for storage in self.storages[len(self.inputs) :]):
            raise ValueError("an output or accumulator has may_stay, but only an input can stay")
        self._check_contiguous()
        known = dict(self.pools)
        for storage in self.storages:
            if storage.pool not in known:
                raise ValueError(
                    f"tiles lie in the pool '{storage.pool}', but the pools are {sorted(known)}"
                )

        for d in range(domain):
            if not self.sizes_of(d):
                extent, limit = self.nest.domain.spans[d].size, self.limits[d]
                raise ValueError(
                    f"dimension {d} of extent {extent} has no tile size that is a multiple of "
                    f"{limit.multiple} and at most {limit.most}"
                    + ("" if self._may_cut(d) else "; it is not cut, as there are no accumulators")
                )

    def _check_contiguous(self) -> None:
        for storage, access in zip(self.outputs, self.nest.outputs, strict=True):
            plain = [e == Affine.dimension(d) for e in access.index for d in e.dimensions]
            if storage.contiguous and not (len(plain) == len(access.index) and all(plain)):
                raise ValueError(
                    "a contiguous output must be indexed by one dimension of the domain in each of "
                    "its own dimensions"
                )

    @property
    def storages(self) -> tuple[TileStorage, ...]:
        """All storages: those of inputs, outputs, accumulators and scratch."""
        kept = () if self.accumulators is None else (self.accumulators,)
        scratch = (scratch.storage for scratch in self.scratch)
        return (*self.inputs, *self.outputs, *kept, *scratch)

    def sizes_of(self, dimension: int) -> tuple[int, ...]:
        """Return the tile sizes to try in a dimension, the largest first."""
        extent = self.nest.domain.spans[dimension].size
        limit = self.limits[dimension]
        if not self._may_cut(dimension):
            limit = TileLimit(limit.multiple, limit.most, is_whole=True)
        return limit.sizes(extent)

    def _may_cut(self, dimension: int) -> bool:
        return dimension < len(self.nest.parallel) or self.accumulators is not None
