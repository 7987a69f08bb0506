"""memref-pool-assign: every tensor gets the ordered set of pools that it may live in."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, bufferization, func, tensor

from forebay._libs import _forebay
from forebay.dialects import memref_pool
from forebay.ir.nested import ops_in
from forebay.ir.pools import HOST, pools_in
from forebay.ir.roots import is_private, named_attributes
from forebay.ir.storage import (
    StorageClasses,
    is_tensor,
    last_op,
    ties_of,
)
from forebay.passes._pass import Pass, PassError, option


class Origin(Enum):
    """Where the bytes of a tensor come from, when no operation of the program writes them."""

    CONSTANT = "constant"
    CALLER = "caller"
    HELD = "held"


@dataclass(frozen=True)
class MemrefPoolAssign(Pass):
    """Write the candidate pools of every tensor into its type.

    The last pass on tensors. Tensors that will share a buffer form one class; a class of constants
    gets the constant pools that the host may read, every other one the workspace pools that it may
    read and write, in the order in which the module declares them. Where a class would need two
    memories at once (a constant that a destination-style operation overwrites, an input that a loop
    carries), a `memref_pool.copy` parts it. Arguments and results of public functions stay in the
    caller's memory, or get a place in the workspace with `io=pool`; results leave by a
    `memref_pool.copy`.
    """

    name: ClassVar[str] = "memref-pool-assign"
    dialects: ClassVar[tuple[str, ...]] = ("memref_pool", "tensor", "bufferization")

    io: str = option("caller", "where inputs and outputs live: caller | pool")

    def run(self, op: ir.Operation) -> None:
        """Insert the copies, then set the encodings."""
        if self.io not in ("caller", "pool"):
            raise PassError(op.location, f"io is 'caller' or 'pool', not '{self.io}'")
        functions = [f for f in op.regions[0].blocks[0].operations if isinstance(f, func.FuncOp)]
        defined = [f for f in functions if not f.is_external]
        for function in defined:
            if not is_private(function):
                _copy_results_out(function)
        while _part_one_class(defined):
            pass
        _Encoder(op, defined, pooled=self.io == "pool").run()


def operations_of(functions: Iterable[func.FuncOp]) -> list[ir.OpView]:
    """All operations in the functions, outer ones first."""
    return [op for function in functions for op in ops_in(function)]


def _origin(value: ir.Value) -> Origin | None:
    owner = value.owner
    if isinstance(owner, ir.Block):
        function = owner.owner
        is_caller = isinstance(function, func.FuncOp) and not is_private(function)
        return Origin.CALLER if is_caller else None
    if isinstance(owner.opview, arith.ConstantOp):
        return Origin.CONSTANT
    return Origin.HELD if isinstance(owner.opview, bufferization.ToTensorOp) else None


def _space_of_buffer(value: ir.Value) -> ir.Attribute | None:
    """The memory space of the memref that `bufferization.to_tensor` shows as this tensor."""
    assert not isinstance(value.owner, ir.Block)
    return ir.MemRefType(value.owner.operands[0].type).memory_space


def _is_writable(value: ir.Value) -> bool:
    """Whether the tensor is a buffer that was opened for writing."""
    return not isinstance(value.owner, ir.Block) and "writable" in value.owner.attributes


# ---- Copies --------------------------------------------------------------------------------------


def _copied(value: ir.Value, user: ir.OpView) -> ir.Value:
    """A copy of the tensor in storage of its own, made just before `user`."""
    with ir.InsertionPoint(user), user.location:
        type_ = ir.RankedTensorType(value.type)
        target = tensor.EmptyOp(type_.shape, type_.element_type)
        return memref_pool.CopyOp(value.type, value, target.result).results[0]


def _copy_results_out(function: func.FuncOp) -> None:
    terminator = last_op(function.entry_block)
    for index, value in enumerate(list(terminator.operands)):
        if is_tensor(value):
            terminator.operands[index] = _copied(value, terminator)


def _part_one_class(functions: list[func.FuncOp]) -> bool:
    """Insert the copies that one look at the classes shows to be needed; False when there are none.

    A class is parted at the operands by which storage that the program does not own (a constant, a
    caller's tensor, a state variable) would come to be written or mixed with other storage.
    Constants that only flow through calls into callees that read them stay as they are.
    """
    operations = operations_of(functions)
    ties = [tie for op in operations for tie in ties_of(op) if is_tensor(tie.value)]
    views = StorageClasses([tie for tie in ties if tie.view])
    whole = StorageClasses(ties)
    owned: set[ir.Value] = set()
    mixed: set[ir.Value] = set()
    for value in _tensors(operations):
        source = views.of(value)
        if _origin(source) is not None and not _is_writable(source):
            owned.add(source)
        if _origin(source) is not Origin.CONSTANT and not _is_parameter(source):
            mixed.add(whole.of(value))
    parted = False
    for tie in ties:
        operand = tie.op.operands[tie.operand]
        if tie.view or views.of(operand) not in owned:
            continue
        if isinstance(tie.op, func.CallOp) and whole.of(operand) not in mixed:
            continue
        tie.op.operands[tie.operand] = _copied(operand, tie.op)
        parted = True
    return parted


def _is_parameter(value: ir.Value) -> bool:
    """Whether the value is an argument of a private function."""
    owner = value.owner
    return (
        isinstance(owner, ir.Block)
        and isinstance(owner.owner, func.FuncOp)
        and is_private(owner.owner)
    )


def _tensors(operations: Iterable[ir.OpView]) -> Iterable[ir.Value]:
    """Every tensor that the operations or their regions' blocks define."""
    for op in operations:
        yield from (result for result in op.results if is_tensor(result))
        for region in op.regions:
            for block in region:
                yield from (argument for argument in block.arguments if is_tensor(argument))


# ---- Encodings -----------------------------------------------------------------------------------


class _Encoder:
    """Sets the encoding of every tensor of the functions."""

    def __init__(self, module: ir.Operation, functions: list[func.FuncOp], *, pooled: bool) -> None:
        self._module = module
        self._functions = functions
        self._pooled = pooled
        self._operations = operations_of(functions)
        ties = [tie for op in self._operations for tie in ties_of(op) if is_tensor(tie.value)]
        self._classes = StorageClasses(ties)

    def run(self) -> None:
        """Encode values first, then what repeats their types: constants and signatures."""
        encodings = self._encodings()
        for value in list(_tensors(self._operations)):
            encoding = encodings.get(self._classes.of(value))
            if encoding is not None:
                type_ = ir.RankedTensorType(value.type)
                value.set_type(ir.RankedTensorType.get(type_.shape, type_.element_type, encoding))
        for op in self._operations:
            if isinstance(op, arith.ConstantOp) and is_tensor(op.results[0]):
                op.attributes["value"] = _retyped(op)
        for function in self._functions:
            _sync_signature(function)

    def _encodings(self) -> dict[ir.Value, ir.Attribute | None]:
        """The encoding of each class, by what stands for it; None for the caller's memory."""
        found: dict[ir.Value, ir.Attribute | None] = {}
        outputs = self._output_classes()
        for value in _tensors(self._operations):
            representative, origin = self._classes.of(value), _origin(value)
            if origin is Origin.HELD:
                found[representative] = _space_of_buffer(value)
            elif origin is Origin.CONSTANT:
                found[representative] = self._space_for(memref_pool.PoolKind.constant, value)
            elif not self._pooled and (origin is Origin.CALLER or representative in outputs):
                found[representative] = None
        for value in _tensors(self._operations):
            representative = self._classes.of(value)
            if representative not in found:
                found[representative] = self._space_for(memref_pool.PoolKind.workspace, value)
        return found

    def _output_classes(self) -> set[ir.Value]:
        """Classes of what public functions return."""
        return {
            self._classes.of(value)
            for function in self._functions
            if not is_private(function)
            for value in last_op(function.entry_block).operands
            if is_tensor(value)
        }

    def _space_for(self, kind: memref_pool.PoolKind, value: ir.Value) -> ir.Attribute:
        writes = kind is not memref_pool.PoolKind.constant
        pools = [pool for pool in pools_in(self._module).values() if pool.kind is kind]
        names = [
            pool.name
            for pool in pools
            if pool.lets_read(HOST) and (not writes or pool.lets_write(HOST))
        ]
        if not names:
            there = ", ".join(f"@{pool.name}" for pool in pools) or "none"
            right = "read and write" if writes else "read"
            raise PassError(
                value.location,
                f"no {kind.name} pool that @{HOST} may {right} for {value.type}; "
                f"{kind.name} pools in the module: {there}. Attach a target first, or give @{HOST} "
                "the right",
            )
        return memref_pool.SpaceAttr.get(names)


def _retyped(constant: arith.ConstantOp) -> ir.Attribute:
    elements = constant.attributes["value"]
    if not isinstance(elements, ir.DenseElementsAttr):
        raise PassError(
            constant.location,
            "a constant tensor needs dense elements to be placed in a pool; write it as dense<...>",
        )
    return _forebay.retype(elements, constant.results[0].type)


def _sync_signature(function: func.FuncOp) -> None:
    """Let the function's type say what its block and its return say; protect callers' inputs."""
    block = function.entry_block
    inputs = [argument.type for argument in block.arguments]
    results = [value.type for value in last_op(block).operands]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))
    if is_private(function):
        return
    given = list(function.arg_attrs) if "arg_attrs" in function.attributes else [{}] * len(inputs)
    read_only = {"bufferization.writable": ir.BoolAttr.get(False)}
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(
        [
            ir.DictAttr.get(
                (named_attributes(attributes) if isinstance(attributes, ir.Attribute) else {})
                | (read_only if is_tensor(argument) else {})
            )
            for attributes, argument in zip(given, block.arguments, strict=True)
        ]
    )
