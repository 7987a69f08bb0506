"""Faults that only VTA has."""

from __future__ import annotations

from forebay.isa.faults import InstructionFault


class UnorderedAccess(InstructionFault):
    """A race: two cores access an element, one writes it, and no token orders them."""

    defined = True


class TokenDeadlock(InstructionFault):
    """A core waits for a token that no instruction gives."""


class TokensLeft(InstructionFault):
    """Tokens that no instruction takes: they stay for the next run."""

    defined = True


class TokenOverflow(InstructionFault):
    """More tokens outstanding than the queues of every build hold."""

    defined = True


class MissingNeighbour(InstructionFault):
    """A dependency bit towards a neighbour that the core does not have."""


class FinishNotLast(InstructionFault):
    """A program whose last instruction is not its only FINISH."""


class UnfinishedWork(InstructionFault):
    """An instruction that may still run when FINISH ends the program."""

    defined = True


class OutputNotComputed(InstructionFault):
    """A STORE of elements that LOAD or reset wrote last: hardware stores what GEMM or ALU made."""

    defined = True
