"""Calls, launches, moves, starts and waits, which become calls of driver functions in C."""

from __future__ import annotations

from typing import Any

from mlir.ir import DictAttr, MemRefType, OpView, StringAttr, Value

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.ops.func import argument
from forebay.codegen.c.registry import printable_check, statement
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.statements import Declare, Evaluate
from forebay.codegen.c.syntax.types import scalar_type
from forebay.dialects.accel import CallOp, LaunchOp, MoveOp, QueueOp, StartOp, WaitOp
from forebay.ir.machine.devices import device_of, handle_at, intrinsic_of
from forebay.ir.machine.intrinsics import flags_of, passed_operands
from forebay.ir.machine.move_arguments import numbers_of
from forebay.ir.machine.pools import Pools
from forebay.ir.machine.tokens import queue_of_token
from forebay.ir.machine.transfers import queue_of, transfer_of
from forebay.ir.memory.addresses import address_of, pools_around
from forebay.ir.refused import RefusedError
from forebay.ir.views.layouts import is_contiguous


@statement(CallOp)
def call(op: CallOp, f: FunctionPrinter) -> None:
    """Print `status = accel_conv2d(x, w, y, 8, 8);`."""
    _call(op, intrinsic_of(op).symbol.value, _call_arguments(op, f), f)


@statement(LaunchOp)
def launch(op: LaunchOp, f: FunctionPrinter) -> None:
    """Print `const uint32_t ticket = npu_gemm_start(x, w, y, 8);`."""
    _start(op, intrinsic_of(op).symbol.value, _call_arguments(op, f), f)


@statement(MoveOp)
def move(op: MoveOp, f: FunctionPrinter) -> None:
    """Print `status = npu_mvin(a, 0x20u, 128u);`."""
    _call(op, transfer_of(op).symbol.value, _move_arguments(op, f), f)


@statement(StartOp)
def start(op: StartOp, f: FunctionPrinter) -> None:
    """Print `const uint32_t ticket = npu_mvin_start(a, 0x20u, 128u);`."""
    _start(op, transfer_of(op).symbol.value, _move_arguments(op, f), f)


@statement(WaitOp)
def wait(op: WaitOp, f: FunctionPrinter) -> None:
    """Print `status = npu_load_wait(ticket);`."""
    f.settle()
    for token in op.tokens:
        queue = queue_of_token(token, op)
        _queue_call(op, queue, f"{queue.symbol.value}_wait", token, f)


def _call(op: CallOp | MoveOp, symbol: str, given: tuple[Expr, ...], f: FunctionPrinter) -> None:
    f.settle()
    arguments = (*_handle(op, device_of(op), f), *given)
    f.checked_call(op, expr.call_expr(symbol, arguments, "int32_t"), (device_of(op),), symbol)


def _handle(op: OpView, device: str, f: FunctionPrinter) -> tuple[Expr, ...]:
    """Return the handle of the device instance, if its functions take one."""
    handle = handle_at(op, device)
    return () if handle is None else (f.operand(handle),)


def _queue_call(op: OpView, queue: QueueOp, symbol: str, token: Value, f: FunctionPrinter) -> None:
    """Print a call of a queue's `_wait` or `_after` function for one token."""
    device = queue.device.value
    arguments = (*_handle(op, device, f), f.operand(token))
    f.checked_call(op, expr.call_expr(symbol, arguments, "int32_t"), (device,), symbol)


def _start(
    op: StartOp | LaunchOp, symbol: str, given: tuple[Expr, ...], f: FunctionPrinter
) -> None:
    """Print the `_after` calls for the tokens that must complete first, then the `_start` call."""
    queue = queue_of(transfer_of(op) if isinstance(op, StartOp) else intrinsic_of(op))
    assert queue is not None
    f.settle()
    for token in op.after:
        _queue_call(op, queue, f"{queue.symbol.value}_after", token, f)
    arguments = (*_handle(op, queue.device.value, f), *given)
    started = expr.call_expr(f"{symbol}_start", arguments, "uint32_t")
    if next(iter(op.token.uses), None) is None:
        # A wait for a later operation of the queue ends this one, too.
        f.add(Evaluate(started, discards=True))
        return
    ticket = f.scope.unique("ticket")
    f.add(Declare("const uint32_t", ticket, started, "uint32_t"))
    f.values[op.token] = expr.name_expr(ticket, "uint32_t")


def _call_arguments(op: CallOp | LaunchOp, f: FunctionPrinter) -> tuple[Expr, ...]:
    flags, pools = flags_of(op), pools_around(op)
    operands = [(op.operands[n], flags.get(n, 0)) for n in passed_operands(op)]
    config: Any = {} if op.config is None else DictAttr(op.config)
    scalars = [config[StringAttr(name).value].value for name in intrinsic_of(op).scalars]
    return (
        *(
            _memory(o, pools, scalar_type(MemRefType(o.type).element_type), own, f)
            for o, own in operands
        ),
        *(expr.integer_expr(scalar) for scalar in scalars),
    )


def _move_arguments(op: MoveOp | StartOp, f: FunctionPrinter) -> tuple[Expr, ...]:
    pools, flags = pools_around(op), flags_of(op)
    numbers = numbers_of(op, pools)
    return (
        *(_memory(op.operands[n], pools, None, flags.get(n, 0), f) for n in (0, 1)),
        *(expr.literal_expr(f"{number}u", "uint32_t", number) for number in numbers),
    )


def _memory(value: Value, pools: Pools, ctype: str | None, flags: int, f: FunctionPrinter) -> Expr:
    """Return a pointer, to elements of `ctype` if given; a number for memory inside a device."""
    found = address_of(value, pools, flags)
    if found is None:
        return argument(value, ctype or f.pointer(value).ctype, f)
    return expr.literal_expr(f"0x{found.word:08x}u", "uint32_t", comment=found.text)


@printable_check(CallOp, LaunchOp)
def _check_operands(op: CallOp | LaunchOp) -> str | None:
    for value in op.operands:
        if isinstance(value.type, MemRefType) and not is_contiguous(value.type):
            return f"an intrinsic gets the address of contiguous memory, but {value.type} is not"
    return _check_numbers(op)


@printable_check(MoveOp, StartOp)
def _check_numbers(op: CallOp | LaunchOp | MoveOp | StartOp) -> str | None:
    """Return why an address or a block of a transfer is not a fixed number, or None."""
    pools, flags = pools_around(op), flags_of(op)
    try:
        for index, value in enumerate(op.operands):
            if isinstance(value.type, MemRefType):
                address_of(value, pools, flags.get(index, 0))
        if isinstance(op, (MoveOp, StartOp)):
            numbers_of(op, pools)
    except RefusedError as error:
        return str(error)
    return None


@printable_check(WaitOp)
def _check_wait(op: WaitOp) -> str | None:
    try:
        for token in op.tokens:
            queue_of_token(token, op)
    except RefusedError as error:
        return str(error)
    return None
