"""Loops over elements of ACC, INP and WGT as two loops of an instruction around micro-ops.

An instruction has an outer and an inner loop, which add factors to the indices of its micro-ops.
The two longest dimensions whose factors fit become its loops; micro-ops enumerate the others.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from forebay.isa.vta.instructions import MicroOp

_MOST_ITERATIONS = (1 << 14) - 1
_MOST_FACTORS = (2047, 2047, 1023)


@dataclass(frozen=True)
class IndexLoop:
    """`count` iterations, each of which adds a factor to the indices of ACC, INP and WGT."""

    count: int
    dst: int = 0
    src: int = 0
    wgt: int = 0

    @property
    def fits_instruction(self) -> bool:
        """Return whether count and factors fit the fields of an instruction."""
        factors = zip((self.dst, self.src, self.wgt), _MOST_FACTORS, strict=True)
        return self.count <= _MOST_ITERATIONS and all(factor <= most for factor, most in factors)


@dataclass(frozen=True)
class LoopedMicroOps:
    """Micro-ops in two loops."""

    outer: IndexLoop
    inner: IndexLoop
    micro_ops: tuple[MicroOp, ...]


ONE_ITERATION = IndexLoop(1)


def looped_micro_ops(loops: Iterable[IndexLoop], base: MicroOp, most: int) -> list[LoopedMicroOps]:
    """Return the iterations of all loops from `base`, with at most `most` micro-ops at a time.

    The first loop is the outermost one. The order of the iterations is not kept.
    """
    merged = _merged([loop for loop in loops if loop.count != 1])
    outer, inner = _chosen(merged)
    rest = [loop for loop in merged if loop is not outer and loop is not inner]
    # Neighbours in the sequence add to different sums where they can: an addition takes longer than
    # a cycle.
    rest.sort(key=lambda loop: loop.dst != 0)
    micro_ops = [
        MicroOp(
            base.dst + sum(i * loop.dst for i, loop in zip(at, rest, strict=True)),
            base.src + sum(i * loop.src for i, loop in zip(at, rest, strict=True)),
            base.wgt + sum(i * loop.wgt for i, loop in zip(at, rest, strict=True)),
        )
        for at in itertools.product(*(range(loop.count) for loop in rest))
    ]
    return [
        LoopedMicroOps(outer, inner, tuple(micro_ops[at : at + most]))
        for at in range(0, len(micro_ops), most)
    ]


def _merged(loops: Sequence[IndexLoop]) -> list[IndexLoop]:
    """Join loops that together step evenly through all three memories."""
    for a, b in itertools.permutations(range(len(loops)), 2):
        joined = _joined(loops[a], loops[b])
        if joined is not None:
            kept = [loop for at, loop in enumerate(loops) if at not in {a, b}]
            return _merged([*kept, joined])
    return list(loops)


def _joined(outer: IndexLoop, inner: IndexLoop) -> IndexLoop | None:
    steps = ((outer.dst, inner.dst), (outer.src, inner.src), (outer.wgt, inner.wgt))
    if any(of_outer != of_inner * inner.count for of_outer, of_inner in steps):
        return None
    joined = replace(inner, count=outer.count * inner.count)
    return joined if joined.fits_instruction else None


def _chosen(loops: Sequence[IndexLoop]) -> tuple[IndexLoop, IndexLoop]:
    fitting = sorted(
        (loop for loop in loops if loop.fits_instruction), key=lambda loop: -loop.count
    )
    outer, inner = (*fitting, ONE_ITERATION, ONE_ITERATION)[:2]
    return outer, inner
