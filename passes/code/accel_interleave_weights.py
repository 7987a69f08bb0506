"""accel-interleave-weights: order weights in memory for the loops that read them."""

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from mlir import ir
from mlir.dialects import func, memref
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.cpus import schedule_of
from forebay.dialects.accel import ReduceOp
from forebay.ir.interleaved import Interleaving, interleave, set_interleaving
from forebay.ir.machine.devices import ON
from forebay.ir.memory.call_sites import CallSites
from forebay.ir.memory.underlying_buffers import functions_in, is_private
from forebay.ir.module import module_of
from forebay.ir.nested import defining_op, ops_of
from forebay.lowering.schedule.interleave import channels_of, interleave_channels
from forebay.lowering.schedule.order import cheapest_order
from forebay.passes._pass import Pass, option
from forebay.support.records import record

_WEIGHTS = 1
_Use = tuple[ir.Operation, int]
"""An op and the number of its operand."""


@record
class AccelInterleaveWeights(Pass):
    """Interleave the channels of weights where the kernels that read them become cheaper.

    A processor whose sums may be vectors of 8 neighbouring channels gets the weights of 8 channels
    as neighbours. The elements of the constant are reordered, which has the attribute
    `accel.interleaved = 8`; its type, its place and its size stay. The kernel's `accel.reduce`
    reads it through a view and has two dimensions for the channels. One whose instructions add the
    products of 4 elements to each sum gets words of 4 elements of each channel, and
    `accel.interleaved_word = 4`. Which order is the cheapest is what the costs of the schedules say
    that `accel-schedule-kernels` will choose.

    A constant is reordered only if all that read it are calls of one function that reads it in one
    `accel.reduce`, or one such op.
    """

    name: ClassVar[str] = "accel-interleave-weights"
    dialects: ClassVar[tuple[str, ...]] = ("memref",)

    cpu: str = option("generic", "the processor that runs the kernels")

    def run(self, op: ir.Operation) -> None:
        """Reorder constants of a module, and rewrite the kernels that read them."""
        cpu = schedule_of(self.cpu)
        if cpu.lanes is None:
            return
        for weights in _weights_in(module_of(op)):
            order = cheapest_order(weights.kernel, cpu)
            if order and interleave_channels(weights.kernel, order) is not None:
                for constant in weights.constants:
                    _reorder(constant, order)


class _Weights(Struct, frozen=True, eq=False):
    """The constants that a kernel reads as weights, and which nothing else reads."""

    kernel: ReduceOp
    constants: tuple[memref.GlobalOp, ...]


def _weights_in(module: ModuleOp) -> Iterator[_Weights]:
    constants = _Constants(module)
    for function in functions_in(module):
        if function.is_external or ON in function.attributes:
            continue
        for kernel in ops_of(function, ReduceOp):
            dim = channels_of(kernel) if len(kernel.inputs) == _WEIGHTS + 1 else None
            read_here = constants.read_only_by(function, kernel) if dim is not None else ()
            if dim is not None and read_here:
                yield _Weights(kernel, read_here)


class _Constants:
    """The constants of a module with known values, and the ops that use them."""

    def __init__(self, module: ModuleOp) -> None:
        self._sites = CallSites(functions_in(module))
        self._uses: dict[str, set[_Use]] = {}
        for op in ops_of(module, memref.GetGlobalOp):
            uses = {(use.owner.operation, use.operand_number) for use in op.result.uses}
            self._uses.setdefault(op.name.value, set()).update(uses)
        self._globals: dict[str, memref.GlobalOp] = {
            str(op.sym_name.value): op
            for op in module.body.operations
            if isinstance(op, memref.GlobalOp) and _is_known(op)
        }

    def read_only_by(self, function: func.FuncOp, kernel: ReduceOp) -> tuple[memref.GlobalOp, ...]:
        """Return the constants that are weights of a kernel, if nothing else uses them."""
        value = kernel.inputs[_WEIGHTS]
        read = self._read_by(function, kernel, value)
        found = {_name_of(user.operands[number]) for user, number in read}
        names = [name for name in self._globals if name in found]
        is_alone = all(self._uses[name] <= read for name in names)
        return (
            tuple(self._globals[n] for n in names) if is_alone and len(names) == len(found) else ()
        )

    def _read_by(self, function: func.FuncOp, kernel: ReduceOp, value: ir.Value) -> set[_Use]:
        """Return the uses of constants that are the weights of a kernel: its own, or of calls."""
        if not isinstance(value.owner, ir.Block):
            return {(kernel.operation, _WEIGHTS)}
        name, number = function.sym_name.value, ir.BlockArgument(value).arg_number
        is_alone = len(list(value.uses)) == 1 and not self._sites.may_be_indirect(name)
        if value.owner != function.entry_block or not is_private(function) or not is_alone:
            return set()
        calls = [call for calls in self._sites.of(name).values() for call in calls]
        return {(call.operation, number) for call in calls}


def _is_known(op: memref.GlobalOp) -> bool:
    return op.constant and isinstance(op.initial_value, ir.DenseElementsAttr)


def _name_of(value: ir.Value) -> str | None:
    """Return the name of the constant that a value is, or None."""
    owner = defining_op(value)
    return owner.name.value if isinstance(owner, memref.GetGlobalOp) else None


def _reorder(op: memref.GlobalOp, order: Interleaving) -> None:
    value: Any = op.initial_value
    values: Any = interleave(np.array(value), order)
    op.attributes["initial_value"] = ir.DenseElementsAttr.get(values, type=value.type)
    set_interleaving(op, order)
