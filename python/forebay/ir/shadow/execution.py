"""Running a program on shadow memory: ops in order, calls inlined, loops until nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from mlir import ir
from mlir.dialects import arith, func, memref, scf
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.memref_pool import AllocOp, PoolKind
from forebay.ir.pools import HOST, pools_in
from forebay.ir.refused import RefusedError
from forebay.ir.shadow.accesses import KERNELS, accesses_of
from forebay.ir.shadow.layout import neighbours
from forebay.ir.shadow.memory import Shadow
from forebay.ir.shadow.placed import Placed, Placing, Role


class Reference(NamedTuple):
    """A buffer that a value may lead to, and which birth of it; OVER is one of an iteration past."""

    buffer: int
    birth: int


References = frozenset[Reference]

OVER = -1
_NOBODY: References = frozenset()
_NUMBERS = (ir.IntegerType, ir.IndexType, ir.FloatType, ir.VectorType, ir.ComplexType)

_VIEWS = frozenset(
    {
        memref.AssumeAlignmentOp,
        memref.CastOp,
        memref.CollapseShapeOp,
        memref.ExpandShapeOp,
        memref.ExtractStridedMetadataOp,
        memref.MemorySpaceCastOp,
        memref.ReinterpretCastOp,
        memref.ReshapeOp,
        memref.SubViewOp,
        memref.TransposeOp,
        memref.ViewOp,
    }
)


def execute(module: ModuleOp, placing: Placing) -> None:
    """Run every entry function.

    Raises `RefusedError` at the first op that uses bytes which another buffer has taken since.
    """
    execution = _Execution(module, placing)
    for function in execution.functions.values():
        if len(function.body.blocks) and _is_entry(function):
            execution.run_entry(function)


class _Execution:
    def __init__(self, module: ModuleOp, placing: Placing) -> None:
        self.functions = {
            op.sym_name.value: op for op in module.body.operations if isinstance(op, func.FuncOp)
        }
        self._placing = placing
        self._pools = pools_in(module.operation)
        self._overlapping: list[list[int]] = [[] for _ in placing.buffers]
        for one, other in neighbours(placing):
            self._overlapping[one].append(other)
            self._overlapping[other].append(one)
        self._shadow: Shadow[ir.Location] = Shadow(self._overlapping)
        self._values: dict[ir.Value, References] = {}
        self._births = 0
        self._calls: list[str] = []

    def run_entry(self, function: func.FuncOp) -> None:
        """The caller fills what lasts, this function's inputs and other functions' arguments."""
        name = function.sym_name.value
        self._shadow.marks.clear()
        kept: list[int] = []
        for number, buffer in enumerate(self._placing.buffers):
            if buffer.role is Role.TEMPORARY:
                continue
            self._shadow.bear(number)
            mine = buffer.entry == name
            if not mine or buffer.role is Role.INPUT:
                self._shadow.touch(number)
            if not mine or buffer.role is Role.OUTPUT:
                kept.append(number)
        arguments = [self._argument(argument) for argument in function.arguments]
        self._call(function, arguments, function.location)
        for number in kept:
            self._check_intact(number, function.location, f"@{name} ends")

    def _argument(self, argument: ir.BlockArgument) -> References | None:
        if not _is_memref(argument):
            return None
        number = self._placing.arguments.get(argument)
        return _NOBODY if number is None else frozenset({Reference(number, 0)})

    # Control

    def _block(self, block: ir.Block) -> None:
        for op in block.operations:
            self._step(op)

    def _step(self, op: ir.OpView) -> None:
        match op:
            case AllocOp():
                self._bear(op.memref)
            case memref.GetGlobalOp():
                number = self._placing.globals.get(op.name.value)
                found = _NOBODY if number is None else frozenset({Reference(number, 0)})
                self._values[op.result] = found
            case scf.ForOp():
                self._for(op)
            case scf.WhileOp():
                self._while(op)
            case scf.IfOp() | scf.IndexSwitchOp() | scf.ExecuteRegionOp():
                self._branch(op)
            case func.CallOp() if len(self.functions[op.callee.value].body.blocks):
                self._call(
                    self.functions[op.callee.value], self._lookup(op.operands), op.location
                )
            case arith.SelectOp() if _is_memref(op.result):
                first, second = self._lookup([op.true_value, op.false_value])
                self._values[op.result] = (first or _NOBODY) | (second or _NOBODY)
            case scf.YieldOp() | scf.ConditionOp() | func.ReturnOp():
                pass
            case _:
                self._plain(op)

    def _plain(self, op: ir.OpView) -> None:
        if type(op) in _VIEWS:
            self._view(op)
        elif isinstance(op, memref.DistinctObjectsOp):
            self._bind(op.results, self._lookup(op.operands))
        else:
            self._access(op)

    def _bear(self, value: ir.Value) -> None:
        self._births += 1
        number = self._placing.values[value]
        self._shadow.bear(number)
        self._values[value] = frozenset({Reference(number, self._births)})

    def _view(self, op: ir.OpView) -> None:
        """A view of a pool's base is a buffer's birth, or a buffer that lasts."""
        source, result = op.operands[0], op.results[0]
        if source not in self._placing.bases:
            self._values[result] = self._values[source]
        elif self._placing.buffers[number := self._placing.values[result]].role is Role.LASTING:
            self._values[result] = frozenset({Reference(number, 0)})
        else:
            self._bear(result)

    def _call(
        self, callee: func.FuncOp, arguments: Sequence[References | None], where: ir.Location
    ) -> None:
        name = callee.sym_name.value
        if name in self._calls:
            raise RefusedError(where, f"the plan cannot be checked: @{name} calls itself")
        self._calls.append(name)
        self._bind(callee.arguments, arguments)
        self._block(_only_block(callee.body, where))
        self._calls.pop()

    def _branch(self, op: ir.OpView) -> None:
        before = self._shadow.copy_marks()
        after: list[tuple[dict, list[References | None]]] = []
