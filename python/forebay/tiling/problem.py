"""The tiler's input: a loop nest, what a device's calls can take, and where tiles lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from forebay.regions import LoopNest, even_sizes


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
    """The cycles of a transfer in its queue: `latency` for each, and its bytes by the bandwidth."""

    queue: str
    latency: int = 0
    bytes_per_cycle: int = 1


@dataclass(frozen=True)
class TileStorage:
    """Where and how the tiles of one operand lie.

    Sizes are rounded up to `granules`, one per dimension of the operand, and the bytes of a tile to
    `alignment`; `slots` tiles are there at a time. With `with_padding` a tile has the positions of
    its window that are outside of the operand, too. Without a `transfer` the operand is in the pool
    as a whole before and after, and takes no bytes of those that are free.
    """

    pool: str
    transfer: TransferCost | None = None
    granules: tuple[int, ...] = ()
    alignment: int = 1
    slots: int = 1
    with_padding: bool = False
    may_stay: bool = False
    """Whether all of an input may be loaded once, and stay in one slot while tiles are computed."""

    def bytes(self, sizes: tuple[int, ...], bits: int) -> int:
        """Return the bytes of one tile."""
        elements = 1
        for d, size in enumerate(sizes):
            granule = self.granules[d] if d < len(self.granules) else 1
            elements *= -(-size // granule) * granule
        return -(-elements * bits // (8 * self.alignment)) * self.alignment


@dataclass(frozen=True)
class CallCost:
    """The cycles of a call on a tile, by the sizes of the tile in the domain."""

    cycles: Callable[[tuple[int, ...]], int]
    queue: str = "compute"


def _no_cycles(_: tuple[int, ...]) -> int:
    return 0


@dataclass(frozen=True)
class TilingProblem:
    """What to cut, and into what.

    `limits` are per dimension of the domain, `inputs` and `outputs` in the order of the nest's.
    `pools` are names with the free bytes. Reduction dimensions are cut only with `accumulators`, of
    `accumulator_bits` per point of the parallel domain: they stay in their pool until the last part
    of a sum is added. With `overlaps`, queues work in parallel, so that the busiest queue counts;
    else the cycles of all queues are added.
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

    @property
    def storages(self) -> tuple[TileStorage, ...]:
        """All storages: those of inputs, outputs and accumulators."""
        kept = () if self.accumulators is None else (self.accumulators,)
        return (*self.inputs, *self.outputs, *kept)

    def sizes_of(self, dimension: int) -> tuple[int, ...]:
        """Return the tile sizes to try in a dimension, the largest first."""
        extent = self.nest.domain.spans[dimension].size
        limit = self.limits[dimension]
        if not self._may_cut(dimension):
            limit = TileLimit(limit.multiple, limit.most, is_whole=True)
        return limit.sizes(extent)

    def _may_cut(self, dimension: int) -> bool:
        return dimension < len(self.nest.parallel) or self.accumulators is not None
