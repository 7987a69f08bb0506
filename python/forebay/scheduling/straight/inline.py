"""Functions of devices' stages, inlined into their callers, so that operators overlap.

Only a function that has a grant and one call is inlined. `accel-check-grants` no longer sees it, so
a function whose buffers take more than its grant remains, and is refused there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import accumulate

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp

from forebay.device_stages.grants import granted
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.identity import identity_of
from forebay.ir.liveness.liveness import Liveness, liveness_of
from forebay.ir.machine.pools import bytes_of
from forebay.ir.memory.underlying_buffers import functions_in, is_private
from forebay.ir.nested import ops_nested_in
from forebay.scheduling.moving import drop_unused
from forebay.scheduling.straight.items import Commands


def inline_stages(module: ModuleOp, commands: Commands) -> None:
    """Inline the functions of stages that give operations to queues."""
    calls = [
        op
        for function in functions_in(module)
        for op in ops_nested_in(function)
        if isinstance(op, func.CallOp)
    ]
    counts = Counter(call.callee.value for call in calls)
    functions = {
        function.sym_name.value: function
        for function in functions_in(module)
        if counts[function.sym_name.value] == 1 and _has_commands(function, commands)
    }
    liveness = liveness_of(module) if functions else None
    too_large = {
        name
        for name, function in functions.items()
        if liveness is not None and not _is_within_grant(function, liveness)
    }
    for call in calls:
        name = call.callee.value
        if name in functions and name not in too_large:
            _inline(call, functions[name])


def _has_commands(function: func.FuncOp, commands: Commands) -> bool:
    """Return whether a stage made the function, and it gives an operation to a queue."""
    return (
        is_private(function)
        and granted(function) is not None
        and len(function.body.blocks) == 1
        and any(commands.queue_of(op) is not None for op in ops_nested_in(function))
    )


def _is_within_grant(function: func.FuncOp, liveness: Liveness) -> bool:
    """Return whether the live bytes of the function's own buffers are within its grant."""
    free = granted(function) or {}
    inside = {identity_of(op) for op in ops_nested_in(function) if isinstance(op, AllocOp)}
    changes: dict[str, Counter[int]] = defaultdict(Counter)
    for root, lifetime in zip(liveness.buffers, liveness.lifetimes, strict=True):
        if root.op is None or identity_of(root.op) not in inside or len(root.candidates) != 1:
            continue
        for start, end in lifetime:
            changes[root.candidates[0]][start] += bytes_of(root.type)
            changes[root.candidates[0]][end] -= bytes_of(root.type)
    return all(
        max(accumulate(by_tick[tick] for tick in sorted(by_tick))) <= free[pool]
        for pool, by_tick in changes.items()
        if pool in free
    )


def _inline(call: func.CallOp, function: func.FuncOp) -> None:
    """Replace a call by the ops of the function, which is erased.

    An operand that the function does not use is no longer in use here, either.
    """
    producers = [v.owner for v in call.operands if not isinstance(v.owner, ir.Block)]
    for argument, operand in zip(list(function.arguments), list(call.operands), strict=True):
        argument.replace_all_uses_with(operand)
    *inner, _ = function.entry_block.operations
    for op in inner:
        op.move_before(call)
    call.operation.erase()
    function.operation.erase()
    for producer in dict.fromkeys(producers):
        drop_unused(producer.opview)
