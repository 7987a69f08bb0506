"""Intrinsics as the machine executes them: operand constraints and the computation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.dialects.accel import IntrinsicOp, OperandAttr
from forebay.emulator.commands import instrumented, reference
from forebay.emulator.kernels.jit import CompiledKernel, Kernels
from forebay.emulator.memory.faults import NotEmulatedError
from forebay.emulator.memory.types import dtype_of


@dataclass(frozen=True)
class OperandRequirement:
    """The constraints of one operand.

    `pools` are names of memories; None means that the access rights of the device decide.
    """

    name: str
    access: str
    pools: tuple[str, ...] | None
    alignment: int

    @property
    def reads(self) -> bool:
        """Return whether the intrinsic reads the operand, which then means all of its bytes."""
        return self.access != "out"

    @property
    def writes(self) -> bool:
        """Return whether the intrinsic writes the operand: completely, unless it reads it too."""
        return self.access != "in"


@dataclass(frozen=True)
class WrongAccess:
    """A wrong access by the reference to an element of an operand."""

    operand: int
    element: int
    kind: int


Marks = dict[int, NDArray[np.uint8]]
"""For the number of an operand, an array with a 1 for each element that is accessed."""


class EmulatedIntrinsic:
    """One intrinsic of one device.

    With `marks_all` its runs report the accessed elements of every operand, not of outputs only.
    """

    def __init__(self, op: IntrinsicOp, kernels: Kernels, *, marks_all: bool = False) -> None:
        self.name = f"@{op.sym_name.value}"
        self.device = op.device.value
        self.requirements = tuple(map(_demand, op.signature))
        self.scalars = tuple(ir.StringAttr(name).value for name in op.scalars)
        self.widths = tuple(dtype.itemsize for dtype in _element_types(op))
        self._marked = [
            n for n, d in enumerate(self.requirements) if marks_all or d.access == "out"
        ]
        self._kernel: CompiledKernel = reference.instrumented_reference(
            _with_reference(op), kernels, marks_all=marks_all
        )

    def run(
        self, pointers: Sequence[int], sizes: Sequence[int], scalars: Sequence[int]
    ) -> tuple[WrongAccess | None, int]:
        """Compute on memory of this process; return the first wrong access, if any, and the MACs.

        `sizes` count elements. The intrinsic must write all elements of an operand that it only
        writes.
        """
        mistake, macs, marks = self.run_within(pointers, sizes, scalars)
        outs = {
            n: marks[n]
            for n, requirement in enumerate(self.requirements)
            if requirement.access == "out"
        }
        return mistake or next(_unwritten(outs), None), macs

    def run_within(
        self, pointers: Sequence[int], sizes: Sequence[int], scalars: Sequence[int]
    ) -> tuple[WrongAccess | None, int, Marks]:
        """Compute like `run` where `sizes` are upper bounds, and return the accessed elements, too.

        Elements of an output that stay unwritten are therefore no mistake.
        """
        record = instrumented.new_record()
        marks = {number: np.zeros(sizes[number], np.uint8) for number in self._marked}
        places = [used.ctypes.data for used in marks.values()]
        self._kernel(*pointers, *places, *sizes, *scalars, record.ctypes.data)
        kind, operand, element, macs = (int(number) for number in record)
        return (WrongAccess(operand, element, kind) if kind else None), macs, marks


UNWRITTEN = 4
"""The kind of mistake without an access: an element that should have been written."""


def _unwritten(maps: Marks) -> Iterator[WrongAccess]:
    for number, written in maps.items():
        if not written.all():
            yield WrongAccess(number, int(written.argmin()), UNWRITTEN)


def describe_wrong_access(mistake: WrongAccess, requirement: OperandRequirement, size: int) -> str:
    """Return a description of the mistake for messages."""
    where = f"element {mistake.element} of operand '{requirement.name}'"
    return {
        instrumented.OUTSIDE: f"uses {where}, which has {size} there",
        instrumented.STALE: f"reads {where} before it writes it, but only writes that operand",
        instrumented.READ_ONLY: f"writes {where}, which it only reads",
        UNWRITTEN: f"leaves {where} unwritten",
    }[mistake.kind]


def _demand(attribute: ir.Attribute) -> OperandRequirement:
    operand = OperandAttr(attribute)
    return OperandRequirement(
        operand.name,
        operand.access,
        tuple(f"@{pool}" for pool in operand.pools) or None,
        operand.align,
    )


def _element_types(op: IntrinsicOp) -> list[np.dtype[Any]]:
    """Return the element types of the operands as the reference declares them."""
    arguments = list(_with_reference(op).reference.blocks[0].arguments)[: len(op.signature)]
    return [dtype_of(ir.MemRefType(argument.type).element_type, op) for argument in arguments]


def _with_reference(op: IntrinsicOp) -> IntrinsicOp:
    """Return the intrinsic op that holds the reference of the same C symbol."""
    module = op.operation.parent
    assert module is not None
    for other in module.operation.regions[0].blocks[0].operations:
        if not isinstance(other, IntrinsicOp) or other.symbol.value != op.symbol.value:
            continue
        if len(other.reference.blocks):
            return other
    raise NotEmulatedError(op, "has no reference; say in upstream ops what it computes")
