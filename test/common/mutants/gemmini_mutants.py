"""Mutants of the instructions that the driver issues for a network, and who catches them.

A mutant matters if a machine without checks computes another output: with other contents of the
local memories at the start, with instructions executed as early or as late as hardware may, or if
it does what has no defined result at all. Checks catch it by a fault; the self-test by its outputs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common.drivers.gemmini_process import FENCE, GemminiProcess, Word
from forebay.isa.faults import InstructionFault, NeverWrittenRow, OperandLimit, SimulatorOnly
from forebay.isa.gemmini.faults import (
    ArrayUndefined,
    BlockStrideTooSmall,
    MissingFence,
    PreloadDisturbed,
    PreloadUsedTwice,
    SumTooWide,
)
from forebay.isa.gemmini.geometry import GemminiGeometry

IGNORED = (
    *(NeverWrittenRow, OperandLimit, SimulatorOnly, ArrayUndefined, BlockStrideTooSmall),
    *(MissingFence, PreloadDisturbed, PreloadUsedTwice, SumTooWide),
)
CONFIG, MVIN2, MVIN, MVOUT, COMPUTE, MORE, PRELOAD, FLUSH, MVIN3 = 0, 1, 2, 3, 4, 5, 6, 7, 14
MOVES_IN = (MVIN, MVIN2, MVIN3)
NOWHERE = 0xFFFFFFFF
ACCUMULATE, ACCUMULATOR = 1 << 30, 1 << 31


@dataclass(frozen=True)
class Mutant:
    """Words in place of the one at `at`."""

    kind: str
    at: int
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant."""

    mutant: Mutant
    matters: bool
    caught_by: str | None
    """The class of the fault, `outputs`, or None."""


def _local_operand(funct: int) -> int:
    """The operand (1 or 2) with the local address that `_moved` changes."""
    return 1 if funct in {PRELOAD, COMPUTE, MORE} else 2


def _address(word: Word) -> int:
    return word[_local_operand(word[0])] & 0xFFFFFFFF


def _moved(word: Word, rows: int) -> Word | None:
    """The word with its local address some rows further, or None if it has no such rows."""
    address = _address(word)
    row = (address & 0x3FFFFFF) + rows
    if address == NOWHERE or row < 0:
        return None
    other = word[_local_operand(word[0])] - (address & 0x3FFFFFF) + row
    return (word[0], other, word[2]) if _local_operand(word[0]) == 1 else (*word[:2], other)


class MutantDraw:
    """Draws mutants of a stream, `each` of every kind."""

    def __init__(self, stream: Sequence[Word], geometry: GemminiGeometry, each: int) -> None:
        self._stream, self._geometry, self._each = stream, geometry, each
        self._random = random.Random(1)

    def mutants(self) -> Iterator[Mutant]:
        yield from self._changed("wrong row", self._rows, (*MOVES_IN, MVOUT, PRELOAD, COMPUTE))
        yield from self._changed("wrong bank", self._bank, (*MOVES_IN, MVOUT, PRELOAD, COMPUTE))
        yield from self._changed("wrong accumulate bit", self._accumulate, (PRELOAD,))
        yield from self._changed("overlapping tiles", self._overlap, (MVOUT, *MOVES_IN))
        yield from self._changed("wrong size", self._size, (*MOVES_IN, MVOUT, PRELOAD, MORE))
        yield from self._changed("weights kept", lambda w: (MORE, *w[1:]), (COMPUTE,))
        for kind, functs in (
            ("missing preload", (PRELOAD,)),
            ("missing compute", (COMPUTE, MORE)),
            ("missing config", (CONFIG,)),
            ("missing move in", MOVES_IN),
            ("missing move out", (MVOUT,)),
            ("missing flush", (FLUSH,)),
            ("missing fence", (FENCE[0],)),
        ):
            for at in self._places(functs):
                yield Mutant(kind, at, ())

    def _places(self, functs: Sequence[int]) -> list[int]:
        places = [at for at, word in enumerate(self._stream) if word[0] in functs]
        return self._random.sample(places, min(self._each, len(places)))

    def _changed(self, kind, change, functs) -> Iterator[Mutant]:
        places = [
            at
            for at, word in enumerate(self._stream)
            if word[0] in functs and change(word) is not None
        ]
        for at in self._random.sample(places, min(self._each, len(places))):
            yield Mutant(kind, at, (change(self._stream[at]),))

    def _rows(self, word: Word) -> Word | None:
        return _moved(word, self._random.choice((-16, -1, 1, 16)))

    def _bank(self, word: Word) -> Word | None:
        g = self._geometry
        in_accumulator = _address(word) & ACCUMULATOR
        rows = g.accumulator_rows if in_accumulator else g.scratchpad_rows
        bank = rows // (g.accumulator_banks if in_accumulator else g.scratchpad_banks)
        row = _address(word) & 0x3FFFFFF
        return _moved(word, bank if row + bank < rows else -bank)

    def _accumulate(self, word: Word) -> Word:
        return (*word[:2], word[2] ^ ACCUMULATE)

    def _overlap(self, word: Word) -> Word | None:
        """Another move's place: in main memory for a move out, else in local memory."""
        others = [w for w in self._stream if w[0] == word[0] and w[1:] != word[1:]]
        if not others:
            return None
        other = self._random.choice(others)
        if word[0] == MVOUT:
            return (word[0], other[1], word[2])
        return (*word[:2], word[2] - (word[2] & NOWHERE) + (other[2] & NOWHERE))

    def _size(self, word: Word) -> Word:
        at = _local_operand(word[0])
        other = word[at] + self._random.choice((1 << 48, -(1 << 48), 1 << 32, -(1 << 32)))
        return (word[0], other, word[2]) if at == 1 else (*word[:2], other)


def stream_of(library: Path, geometry: GemminiGeometry) -> list[Word]:
    """The words of a right run of the self-test."""
    return _run(library, geometry, None, late=False)[0].stream


def judged(library: Path, geometry: GemminiGeometry, mutant: Mutant) -> Verdict:
    """Run a mutant with checks and without."""
    return Verdict(
        mutant, _matters(library, geometry, mutant), _caught_by(library, geometry, mutant)
    )


def _caught_by(library: Path, geometry: GemminiGeometry, mutant: Mutant) -> str | None:
    for late in (False, True):
        _, outcome = _run(library, geometry, mutant, late=late)
        if outcome is not None:
            return outcome
    return None


def _matters(library: Path, geometry: GemminiGeometry, mutant: Mutant) -> bool:
    return any(
        _run(library, geometry, mutant, late=late, poison=poison)[1] is not None
        for late in (False, True)
        for poison in (2, 3)
    )


def _run(
    library: Path,
    geometry: GemminiGeometry,
    mutant: Mutant | None,
    *,
    late: bool,
    poison: int | None = None,
) -> tuple[GemminiProcess, str | None]:
    """Run the self-test; the outcome is a fault's class, `outputs`, or None if all is right."""

    def change(index: int, word: Word) -> list[Word]:
        return list(mutant.words) if mutant is not None and index == mutant.at else [word]

    ignoring = () if poison is None else IGNORED
    gemmini = GemminiProcess(library, geometry, late=late, ignoring=ignoring, change=change)
    if poison is not None:
        rng = np.random.default_rng(poison)
        for memory in (gemmini.state.scratchpad, gemmini.state.accumulator):
            limits = np.iinfo(memory.data.dtype)
            memory.data[:] = rng.integers(limits.min, limits.max, memory.data.shape)
        gemmini.state.array[:] = rng.integers(-128, 128, gemmini.state.array.shape)
    gemmini.call("gemmini_reset")
    try:
        result = gemmini.call("selftest")
    except InstructionFault as fault:
        return gemmini, type(fault).__name__
    except AssertionError:
        return gemmini, None if poison is not None else MissingFence.__name__
    except ValueError as error:  # a word that no instruction has
        return gemmini, type(error).__name__
    return gemmini, None if result == 0 else "outputs"
