"""The token machine: its queues compute right, and every token that orders two is missed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from common.injection import token_program
from common.injection.edit import without_operands
from common.injection.order import STARTS, queue_name
from mlir import ir

from forebay.dialects.accel import LaunchOp, StartOp, WaitOp
from forebay.emulator import Emulator, Fault
from forebay.emulator.machine.timeline import HOST
from forebay.emulator.memory.faults import NotWaited, QueueFull, StillInFlight
from forebay.ir.nested import ops_nested_in
from forebay.pipelines import run_pipeline

X = np.random.default_rng(1).integers(-128, 128, (64, 32), np.int8)


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


@pytest.fixture
def planned() -> ir.Module:
    return token_program.planned()


def started(module: ir.Operation) -> list[StartOp | LaunchOp]:
    return [op for op in ops_nested_in(module) if isinstance(op, STARTS)]


def test_queues_beside_each_other_compute_the_product(planned: ir.Module) -> None:
    machine = Emulator(planned.operation)
    np.testing.assert_array_equal(machine.call("main", [X])[0], token_program.product(X))
    assert machine.report.macs == 64 * 32 * 16
    assert machine.report.moved["@npu.load_inp", "@inp"] == X.size
    assert machine.report.calls["@npu.gemm"] == token_program.TILES


def test_loads_and_stores_are_hidden_behind_computations(planned: ir.Module) -> None:
    machine = Emulator(planned.operation)
    machine.call("main", [X])
    time = machine.report.timeline
    work = {lane: time.busy(lane) for lane in time.lanes if lane != HOST}
    # Tiles: load 16 + 256/8; sums 16 + 512/8, gemm 16 + 4, alu 8 + 4; store 16 + 128/8.
    assert work == {
        "npu.load": 16 + 64 + 8 * 48,
        "npu.compute": 8 * (80 + 20 + 12),
        "npu.store": 8 * 32,
    }
    # Weights and the first tile, its gemm and alu, seven tiles more, the last store.
    assert machine.report.cycles == 80 + 48 + 20 + 12 + 7 * 112 + 32


class Order:
    """Which operation is certain to be over before which: an oracle of its own, by search."""

    def __init__(self, module: ir.Operation) -> None:
        self.before: dict[object, set[object]] = {}
        last: dict[str, ir.OpView] = {}
        for op in started(module):
            self.before[op] = {token.owner.opview for token in op.after}
            if queue_name(op) in last:
                self.before[op].add(last[queue_name(op)])
            last[queue_name(op)] = op

    def holds(self, one: object, other: object) -> bool:
        """Whether `one` is over before `other` begins, whatever the host waits for."""
        return one in self.before[other] or any(
            self.holds(one, between) for between in self.before[other]
        )


def tokens(module: ir.Operation) -> list[tuple[int, int]]:
    """Every token that an operation is given: the op's number and the operand's."""
    return [
        (number, len(op.operands) - 1 - place)
        for number, op in enumerate(started(module))
        for place in range(len(op.after))
    ]


def test_every_token_that_orders_two_queues_is_missed(planned: ir.Module) -> None:
    right = Emulator(planned.operation)
    missed = idle = 0
    for number, operand in tokens(planned.operation):
        clone = planned.operation.clone().operation
        giver = started(clone)[number].operands[operand].owner.opview
        user = without_operands(started(clone)[number], [operand])
        machine = Emulator(clone, like=right)
        if Order(clone).holds(giver, user):
            (y,) = machine.call("main", [X])
            np.testing.assert_array_equal(y, token_program.product(X))
            idle += 1
            continue
        with pytest.raises(StillInFlight) as caught:
            machine.call("main", [X])
        assert str(giver.location) != str(user.location)
        assert caught.value.where.writer.split(", ")[0].endswith(place(giver))
        missed += 1
    # Of each tile x to its gemm and y to its store; of all but the first two, that the place of x
    # is free to the load, and that of y to the alu.
    assert missed == 8 + 8 + 6 + 6
    # Inside of one queue: the sums to gemm, gemm to alu, that the place of the sums is free; and
    # the weights, which are loaded in front of the first tile.
    assert idle == 8 + 8 + 6 + 1


def place(op: ir.OpView) -> str:
    return f"{op.location.filename}:{op.location.start_line}:{op.location.start_col}"


def test_every_wait_is_missed(planned: ir.Module) -> None:
    right = Emulator(planned.operation)
    waits = [op for op in ops_nested_in(planned.operation) if isinstance(op, WaitOp)]
    assert len(waits) == token_program.TILES - token_program.AHEAD + 1
    for number in range(len(waits)):
        clone = planned.operation.clone().operation
        ops = [op for op in ops_nested_in(clone) if isinstance(op, WaitOp)]
        ops[number].operation.erase()
        kind = QueueFull if number < len(waits) - 1 else NotWaited
        with pytest.raises(Fault) as caught:
            Emulator(clone, like=right).call("main", [X])
        assert type(caught.value) is kind


def test_a_plan_that_forgets_tokens_is_a_hazard() -> None:
    """The buffers of started operations given away while these run."""
    text = token_program.module_text(token_program.by_tile())
    module = ir.Module.parse(text)
    run_pipeline(module, "builtin.module(memref-pool-plan{planner=greedy-by-size tokens=false})")
    with pytest.raises(Fault) as caught:
        Emulator(module.operation).call("main", [X])
    assert isinstance(caught.value, StillInFlight)
    right = ir.Module.parse(text)
    run_pipeline(
        right, "builtin.module(memref-pool-plan{planner=greedy-by-size},memref-pool-verify-plan)"
    )
    outputs = Emulator(right.operation).call("main", [X])
    np.testing.assert_array_equal(outputs[0], token_program.product(X))
