"""Faults that only Gemmini has."""

from __future__ import annotations

from forebay.isa.faults import InstructionFault


class MissingConfiguration(InstructionFault):
    """An operation before the configuration that it uses."""


class MissingPreload(InstructionFault):
    """A compute before any preload."""


class PreloadUsedTwice(InstructionFault):
    """A second compute on one preload: hardware drops its result."""

    defined = True


class PreloadDisturbed(InstructionFault):
    """A change between a preload and its compute: hardware reads early, the simulator late."""

    defined = True


class ArrayUndefined(InstructionFault):
    """A compute that continues with weights or sums that the array does not hold."""

    defined = True


class BlockStrideTooSmall(InstructionFault):
    """A move-in whose blocks of columns overlap, or that hardware takes for overlapping."""

    defined = True


class MissingFence(InstructionFault):
    """Main memory that two moves, or a move and the processor, access in no defined order."""

    defined = True


class SumTooWide(InstructionFault):
    """A sum that has more bits than the way out of the array."""

    defined = True
