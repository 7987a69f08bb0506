"""Compare tensors in memory with the model's values, as soon as the program has computed them.

Shadow memory knows the owner of a byte, not its right value. Some mistakes leave no byte unwritten:
a wrong row of a padded image, the weights of another layer, a missing operator. The comparison
finds them at the first operator with a wrong result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.emulator.interpreter.registry import Action, Frame
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.faults import Deviation, Where, WrongValue
from forebay.emulator.memory.program_point import ProgramPoint
from forebay.emulator.memory.view import MemoryView
from forebay.values.holders import Holder
from forebay.values.tensors import NO_VALUES, Elements, Values, differing_elements

if TYPE_CHECKING:
    from forebay.emulator.interpreter.scope import FrameLayout


class ValueCheck:
    """The holders of a program, and their expected values in the current run."""

    def __init__(self, holders: Sequence[Holder], machine: Machine) -> None:
        self.holders = tuple(holders)
        self._machine = machine
        self._expected = NO_VALUES
        self._after: dict[ir.OpView, list[Holder]] = {}
        for holder in holders:
            self._after.setdefault(holder.after, []).append(holder)

    def expect(self, values: Values) -> None:
        """Set the expected values of the next run; `NO_VALUES` disables the comparison."""
        self._expected = values

    def behind(self, op: ir.OpView, action: Action, scope: FrameLayout) -> Action:
        """Return an action that also compares the tensors that the op completes."""
        holders = [(holder, scope.slot(holder.value)) for holder in self._after.get(op, ())]
        if not holders:
            return action
        point = scope.point(op)

        def checked(frame: Frame) -> None:
            action(frame)
            for holder, slot in holders:
                expected = self._expected.tensors.get(holder.tensor.origin)
                if expected is not None:
                    name, elements = holder.tensor.name, holder.layout.elements
                    self._compare(frame[slot], point, name, expected, elements)

        return checked

    def outputs(self, views: Sequence[tuple[str, MemoryView]], point: ProgramPoint) -> None:
        """Compare the outputs of a run, whichever op wrote them last."""
        if self._expected is NO_VALUES:
            return
        for (name, view), expected in zip(views, self._expected.outputs, strict=True):
            elements = np.arange(expected.size)
            self._compare(view, point, f"output '{name}'", expected, elements)

    def _compare(
        self,
        view: MemoryView,
        point: ProgramPoint,
        name: str,
        expected: NDArray[Any],
        elements: Elements,
    ) -> None:
        found = self._machine.data_of(view, point).reshape(-1)[elements]
        wanted = np.ascontiguousarray(expected).reshape(-1).view(found.dtype)
        wrong = np.flatnonzero(differing_elements(found, wanted))
        if wrong.size:
            first = int(wrong[0])
            element = tuple(int(i) for i in np.unravel_index(first, expected.shape))
            pair = wanted[first].item(), found[first].item()
            deviation = Deviation(name, element, *pair, wrong.size, wanted.size)
            self._machine.refuse(self._fault(deviation, view, int(elements[first]), point))

    def _fault(
        self, deviation: Deviation, view: MemoryView, element: int, point: ProgramPoint
    ) -> WrongValue:
        memory, buffer = self._machine.memories[view.buffer.memory], view.buffer
        index = np.unravel_index(element, view.shape)
        byte = view.at + sum(int(i) * step for i, step in zip(index, view.strides, strict=True))
        where = Where(
            point.what, point.location, memory.name, memory.rules.address(byte), buffer.name
        )
        place = f"{memory.place(byte)} in buffer '{buffer.name}' {buffer.span}"
        return WrongValue(where, f"{deviation}: {place}", deviation)
