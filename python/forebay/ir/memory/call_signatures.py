"""Memories of the operands and results of calls.

A private function has one type, so it has one memory space for each argument and result. Calls
whose operands come from different memories (the caller's, a pool of constants, the pools that an
intrinsic names) need separate functions, or copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mlir import ir
from mlir.dialects import arith, bufferization, func
from msgspec import Struct

from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.interfaces import source_of_tensor_view
from forebay.ir.memory.access_constraints import CANDIDATES, access_constraints_of
from forebay.ir.memory.storage import is_tensor, last_op
from forebay.ir.memory.underlying_buffers import is_private
from forebay.ir.nested import ops_of

CallMemory = tuple[str, ...]
"""A kind of memory: `INPUT`, `OUTPUT`, `CONSTANT`, `STATE`, or pool names; () stands for any."""

INPUT: CallMemory = ("input of the program",)
OUTPUT: CallMemory = ("output of the program",)
CONSTANT: CallMemory = ("constant",)
STATE: CallMemory = ("state",)


class Instance(Struct, frozen=True):
    """A function for calls of one kind: a home for each argument and each result."""

    function: str
    arguments: tuple[CallMemory, ...]
    results: tuple[CallMemory, ...]


def entry_instance(function: func.FuncOp) -> Instance:
    """Return the instance of a public function: its arguments are inputs, its results outputs."""
    type_ = function.type
    return Instance(
        function.sym_name.value, (INPUT,) * len(type_.inputs), (OUTPUT,) * len(type_.results)
    )


def callees_of(
    instance: Instance, functions: Mapping[str, func.FuncOp]
) -> Iterator[Instance | None]:
    """Yield the instance for each call in the body, in order.

    The item is None if the callee is public or has no body.
    """
    function = functions[instance.function]
    for op in ops_of(function, func.CallOp):
        callee = functions.get(op.callee.value)
        if callee is None or callee.is_external or not is_private(callee):
            yield None
            continue
        arguments = tuple(_source(value, function, instance) for value in op.operands)
        results = tuple(_target(value, function, instance) for value in op.results)
        yield Instance(op.callee.value, arguments, results)


def _source(value: ir.Value, function: func.FuncOp, instance: Instance) -> CallMemory:
    """Return the home of a tensor that is passed to a call."""
    while (source := source_of_tensor_view(value)) is not None:
        value = source
    if not is_tensor(value):
        return ()
    owner = value.owner
    if isinstance(owner, ir.Block):
        is_argument = owner == function.entry_block
        return instance.arguments[list(owner.arguments).index(value)] if is_argument else ()
    op = owner.opview
    if isinstance(op, arith.ConstantOp):
        return CONSTANT
    if isinstance(op, bufferization.ToTensorOp):
        return STATE
    listed = op.operation.attributes.get(CANDIDATES, None)
    if isinstance(listed, SpaceAttr):
        return tuple(listed.pools)
    written = [d.pools for d in access_constraints_of(op) if d.writes and d.pools is not None]
    return written[0] if len(written) == 1 else ()


def _target(value: ir.Value, function: func.FuncOp, instance: Instance) -> CallMemory:
    """Return the home that the users of a result need: returned, or read by an intrinsic."""
    if not is_tensor(value):
        return ()
    end = last_op(function.entry_block)
    wanted: list[CallMemory] = []
    for use in value.uses:
        user = use.owner.operation.opview
        if user == end:
            return instance.results[use.operand_number]
        wanted += [
            constraint.pools
            for constraint in access_constraints_of(user)
            if constraint.operand == use.operand_number and constraint.pools is not None
        ]
    return wanted[0] if wanted and all(home == wanted[0] for home in wanted) else ()
