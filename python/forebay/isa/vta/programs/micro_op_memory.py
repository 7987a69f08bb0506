"""Micro-ops of a program: their words in main memory, and the sequences that are in UOP."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from forebay.isa.vta.codec import encode_micro_op
from forebay.isa.vta.instructions import MicroOp, VtaLoad, VtaMemory
from forebay.isa.vta.programs.step import AccessedMemory, AccessRange, ProgramStep

MICRO_OP_BYTES = 4
DEPTH = 2048
"""Micro-ops that every build of the machine holds."""


@dataclass
class MicroOpMemory:
    """Sequences of micro-ops, each once in main memory from `address`, and UOP as a cache of them.

    UOP is filled from its start; a sequence that does not fit after the others replaces them all.
    """

    address: int
    depth: int = DEPTH
    _words: list[int] = field(default_factory=list[int])
    _stored: dict[tuple[MicroOp, ...], int] = field(default_factory=dict[tuple[MicroOp, ...], int])
    _loaded: dict[tuple[MicroOp, ...], int] = field(default_factory=dict[tuple[MicroOp, ...], int])
    _used: int = 0

    def words(self) -> NDArray[np.uint32]:
        """Return all micro-ops, as they must be in main memory."""
        return np.array(self._words, np.uint32)

    def loaded(self, micro_ops: tuple[MicroOp, ...]) -> tuple[list[ProgramStep], int]:
        """Return the steps that load a sequence unless it is in UOP, and its first index."""
        if micro_ops in self._loaded:
            return [], self._loaded[micro_ops]
        if self._used + len(micro_ops) > self.depth:
            self._loaded.clear()
            self._used = 0
        at = self._loaded[micro_ops] = self._used
        self._used += len(micro_ops)
        return [self._load(self._position(micro_ops), at, len(micro_ops))], at

    def _position(self, micro_ops: tuple[MicroOp, ...]) -> int:
        if micro_ops not in self._stored:
            self._stored[micro_ops] = len(self._words)
            self._words.extend(encode_micro_op(micro_op) for micro_op in micro_ops)
        return self._stored[micro_ops]

    def _load(self, position: int, at: int, count: int) -> ProgramStep:
        begin = self.address + position * MICRO_OP_BYTES
        dram = begin // MICRO_OP_BYTES
        load = VtaLoad(VtaMemory.UOP, at, dram, rows=1, columns=count, stride=count)
        source = AccessRange(AccessedMemory.DRAM, begin, begin + count * MICRO_OP_BYTES)
        return ProgramStep(load, reads=(source,))
