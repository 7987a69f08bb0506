"""Device commands: call or launch intrinsics, run or start transfers, wait for tokens."""

from __future__ import annotations

from typing import Any

from forebay.dialects.accel import CallOp, LaunchOp, MoveOp, StartOp, WaitOp
from forebay.emulator.commands import issue
from forebay.emulator.commands.calls import IntrinsicCall
from forebay.emulator.commands.issue import CommandQueue
from forebay.emulator.commands.moves import TransferCall, TransferFunction
from forebay.emulator.interpreter.cycles import cycles_of
from forebay.emulator.interpreter.registry import Action, Frame, rule
from forebay.emulator.interpreter.scope import FrameLayout
from forebay.ir.machine.devices import intrinsic_of
from forebay.ir.machine.intrinsics import operands_in_order
from forebay.ir.machine.transfers import queue_of, transfer_of


@rule(CallOp)
def call(op: CallOp, scope: FrameLayout) -> Action:
    """Call an intrinsic while the host waits."""
    slots, one, machine = _operands(op, scope), _call(op, scope), scope.machine
    queue = queue_of(intrinsic_of(op))
    lane = intrinsic_of(op).device.value if queue is None else queue.sym_name.value

    def action(frame: Frame) -> None:
        issue.issue_call(one.command([frame[slot] for slot in slots]), lane, machine)

    return action


@rule(LaunchOp)
def launch(op: LaunchOp, scope: FrameLayout) -> Action:
    """Launch an intrinsic in its queue."""
    slots, one, machine = _operands(op, scope), _call(op, scope), scope.machine
    after, token = [scope.slot(value) for value in op.after], scope.slot(op.token)
    declared = queue_of(intrinsic_of(op))
    assert declared is not None  # guaranteed by the verifier of the op
    queue = CommandQueue.of(declared)

    def action(frame: Frame) -> None:
        order = one.command([frame[slot] for slot in slots])
        frame[token] = issue.issue_start(order, queue, [frame[slot] for slot in after], machine)

    return action


@rule(MoveOp)
def move(op: MoveOp, scope: FrameLayout) -> Action:
    """Run a transfer while the host waits."""
    source, target = scope.slot(op.source), scope.slot(op.target)
    transfer, machine = transfer_of(op), scope.machine
    one, queue = (
        TransferCall(TransferFunction.of(transfer), scope.point(op), machine),
        queue_of(transfer),
    )
    lane = transfer.device.value if queue is None else queue.sym_name.value

    def action(frame: Frame) -> None:
        issue.issue_call(one.command(frame[source], frame[target]), lane, machine)

    return action


@rule(StartOp)
def start(op: StartOp, scope: FrameLayout) -> Action:
    """Start a transfer in its queue."""
    source, target, token = scope.slot(op.source), scope.slot(op.target), scope.slot(op.token)
    after = [scope.slot(value) for value in op.after]
    transfer, machine = transfer_of(op), scope.machine
    declared = queue_of(transfer)
    assert declared is not None  # guaranteed by the verifier of the op
    one, queue = (
        TransferCall(TransferFunction.of(transfer), scope.point(op), machine),
        CommandQueue.of(declared),
    )

    def action(frame: Frame) -> None:
        order = one.command(frame[source], frame[target])
        frame[token] = issue.issue_start(order, queue, [frame[slot] for slot in after], machine)

    return action


@rule(WaitOp)
def wait(op: WaitOp, scope: FrameLayout) -> Action:
    """Wait until the operations of all tokens have ended."""
    tokens = [scope.slot(token) for token in op.tokens]
    point, machine = scope.point(op), scope.machine

    def action(frame: Frame) -> None:
        for token in tokens:
            issue.issue_wait(frame[token], point, machine)

    return action


def _operands(op: CallOp | LaunchOp, scope: FrameLayout) -> list[int]:
    """Return the slots of the operands in the order that the intrinsic declares."""
    return [scope.slot(op.operands[number]) for number in operands_in_order(op)]


def _call(op: CallOp | LaunchOp, scope: FrameLayout) -> IntrinsicCall:
    declared = intrinsic_of(op)
    intrinsic = scope.program.intrinsic(declared)
    config: Any = {} if op.config is None else op.config
    scalars = [config[name].value for name in intrinsic.scalars]
    cycles = cycles_of(declared, scalars, scope)
    return IntrinsicCall(intrinsic, scalars, cycles, scope.point(op), scope.machine)
