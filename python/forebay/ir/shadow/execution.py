"""Running a program on shadow memory: ops in order, calls inlined, loops until nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mlir import ir
from mlir.dialects import arith, func, memref, scf
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.accel import LaunchOp, StartOp, WaitOp
from forebay.dialects.memref_pool import AddressOp, AllocOp
from forebay.ir.refused import RefusedError
from forebay.ir.shadow.memory import Mark
from forebay.ir.shadow.placed import Placing, Role
from forebay.ir.shadow.uses import OVER, Reference, References, Uses

Held = References | None
"""What a value leads to; None for a value that is no memref."""

_NOBODY: References = frozenset()

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
        if len(function.body.blocks) and not _is_private(function):
            execution.run_entry(function)


class _Execution:
    def __init__(self, module: ModuleOp, placing: Placing) -> None:
        self.functions = {
            op.sym_name.value: op for op in module.body.operations if isinstance(op, func.FuncOp)
        }
        self._placing = placing
        self._uses = Uses(module, placing)
        self._shadow = self._uses.shadow
        self._values = self._uses.values
        self._births = 0
        self._calls: list[str] = []
        self._addresses: list[dict[tuple[str, int, int], References]] = []
        """By call: the instances of buffers inside devices that it has made."""

    def run_entry(self, function: func.FuncOp) -> None:
        """Run with its inputs written, and what lasts and other functions' arguments in use."""
        name = function.sym_name.value
        self._shadow.marks.clear()
        kept: list[int] = []
        for number, buffer in enumerate(self._placing.buffers):
            if buffer.role is Role.TEMPORARY:
                continue
            self._shadow.bear(number)
            if buffer.entry != name:
                self._shadow.touch(number)
            if buffer.entry != name or buffer.role is Role.OUTPUT:
                kept.append(number)
        for number, buffer in enumerate(self._placing.buffers):
            if buffer.entry == name and buffer.role is Role.INPUT:
                self._shadow.write(number, function.location)
        self._call(function, [self._argument(a) for a in function.arguments], function.location)
        for number in kept:
            self._uses.check_kept(number, function)

    def _argument(self, argument: ir.BlockArgument) -> Held:
        number = self._placing.arguments.get(argument)
        if number is None:
            return _NOBODY if _is_memref(argument) else None
        return frozenset({Reference(number, 0)})

    def _block(self, block: ir.Block) -> None:
        for op in block.operations:
            self._step(op)

    def _step(self, op: ir.OpView) -> None:
        match op:
            case AllocOp() | AddressOp() | memref.GetGlobalOp():
                self._buffer(op)
            case StartOp() | LaunchOp():
                self._uses.start(op)
            case WaitOp():
                self._uses.wait(op)
            case scf.ForOp():
                self._for(op)
            case scf.WhileOp():
                self._while(op)
            case scf.IfOp() | scf.IndexSwitchOp() | scf.ExecuteRegionOp():
                self._branch(op)
            case func.CallOp() if len(self.functions[op.callee.value].body.blocks):
                callee = self.functions[op.callee.value]
                self._call(callee, self._held(op.operands), op.location)
            case scf.YieldOp() | scf.ConditionOp() | func.ReturnOp():
                pass
            case arith.SelectOp():
                self._bind([op.result], _union(*map(self._hold, (op.true_value, op.false_value))))
            case memref.DistinctObjectsOp():
                self._bind(op.results, self._held(op.operands))
            case _:
                self._view_or_use(op)

    def _view_or_use(self, op: ir.OpView) -> None:
        if type(op) in _VIEWS:
            self._view(op)
        else:
            self._uses.check(op)

    def _buffer(self, op: AllocOp | AddressOp | memref.GetGlobalOp) -> None:
        if isinstance(op, AllocOp):
            self._bear(op.memref)
        elif isinstance(op, AddressOp):
            if op.memref not in self._placing.bases:
                self._at_address(op.memref)
        else:
            number = self._placing.globals.get(op.name.value)
            held = _NOBODY if number is None else frozenset({Reference(number, 0)})
            self._values[op.result] = held

    def _bear(self, value: ir.Value) -> None:
        """A new instance of a buffer."""
        self._births += 1
        number = self._placing.values[value]
        self._shadow.bear(number)
        self._values[value] = frozenset({Reference(number, self._births)})

    def _at_address(self, value: ir.Value) -> None:
        """A buffer at a number: a function that is called uses the instance of its caller."""
        place = self._placing.buffers[self._placing.values[value]].place
        for made in reversed(self._addresses[:-1]):
            if place in made:
                self._values[value] = made[place]
                return
        self._bear(value)
        self._addresses[-1][place] = self._values[value]

    def _view(self, op: ir.OpView) -> None:
        """A view of a pool's base stands for the alloc of a buffer, or for one that lasts."""
        source, result = op.operands[0], op.results[0]
        number = self._placing.values.get(result)
        if number is None:
            self._values[result] = self._values[source]
        elif self._placing.buffers[number].role is Role.LASTING:
            self._values[result] = frozenset({Reference(number, 0)})
        elif isinstance(source, ir.BlockArgument):
            self._bear(result)
        else:
            self._at_address(result)

    def _call(self, callee: func.FuncOp, arguments: Sequence[Held], where: ir.Location) -> None:
        name = callee.sym_name.value
        if name in self._calls:
            raise RefusedError(where, f"the plan cannot be checked, since @{name} calls itself")
        self._calls.append(name)
        self._addresses.append({})
        self._bind(callee.arguments, arguments)
        self._block(_only_block(callee.body, where))
        self._addresses.pop()
        self._calls.pop()

    def _branch(self, op: ir.OpView) -> None:
        """Run every region from the same state; afterwards the worst of all their ends holds."""
        before = self._shadow.copy_marks()
        ends: list[dict[int, Mark[ir.Location]]] = []
        results: list[Held] = []
        for region in op.regions:
            self._shadow.marks = dict(before)
            if len(region.blocks):
                block = _only_block(region, op.location)
                self._block(block)
                handed = self._held(_last(block).operands)
                results = _union(results, handed) if results else handed
            ends.append(self._shadow.marks)
        self._shadow.marks = {}
        for marks in ends:
            self._shadow.join(marks)
        self._bind(op.results, results)

    def _for(self, op: scf.ForOp) -> None:
        body = _only_block(op.region, op.location)
        carried = list(body.arguments)[1:]

        def once() -> list[Held]:
            self._block(body)
            return self._held(_last(body).operands)

        self._repeat(carried, self._held(op.initArgs), once)
        self._bind(op.results, self._held(carried))

    def _while(self, op: scf.WhileOp) -> None:
        """The loop is left from its first region, so that runs once more at the end."""
        before = _only_block(op.before, op.location)
        after = _only_block(op.after, op.location)
        forwarded = list(_last(before).operands)[1:]

        def once() -> list[Held]:
            self._block(before)
            self._bind(after.arguments, self._held(forwarded))
            self._block(after)
            return self._held(_last(after).operands)

        self._repeat(list(before.arguments), self._held(op.inits), once)
        self._block(before)
        self._bind(op.results, self._held(forwarded))

    def _repeat(
        self, carried: Sequence[ir.Value], initial: list[Held], once: Callable[[], list[Held]]
    ) -> None:
        """Run iterations until neither the memory nor what is carried gets worse."""
        current = initial
        while True:
            entry, births = self._shadow.copy_marks(), self._births
            self._bind(carried, current)
            following = _union(current, [_over(held, births) for held in once()])
            self._shadow.join(entry)
            settled = {number: mark.state for number, mark in entry.items()}
            if following == current and self._shadow.states() == settled:
                return
            current = following

    def _hold(self, value: ir.Value) -> list[Held]:
        return [self._values.get(value)]

    def _held(self, values: Iterable[ir.Value]) -> list[Held]:
        return [self._values.get(value) for value in values]

    def _bind(self, values: Iterable[ir.Value], held: Iterable[Held]) -> None:
        for value, references in zip(values, held, strict=True):
            if references is not None:
                self._values[value] = references


def _over(held: Held, births: int) -> Held:
    """What an iteration hands to the next, in which the buffers born in this one are over."""
    if held is None:
        return None
    return frozenset(r if r.birth <= births else Reference(r.buffer, OVER) for r in held)


def _union(first: Sequence[Held], second: Sequence[Held]) -> list[Held]:
    return [None if a is None or b is None else a | b for a, b in zip(first, second, strict=True)]


def _only_block(region: ir.Region, where: ir.Location) -> ir.Block:
    if len(region.blocks) != 1:
        raise RefusedError(where, "the plan cannot be checked across jumps between blocks")
    return region.blocks[0]


def _last(block: ir.Block) -> ir.OpView:
    return block.operations[len(block.operations) - 1]


def _is_memref(value: ir.Value) -> bool:
    return isinstance(value.type, ir.MemRefType | ir.UnrankedMemRefType)


def _is_private(function: func.FuncOp) -> bool:
    visibility = function.sym_visibility
    return visibility is not None and visibility.value == "private"
