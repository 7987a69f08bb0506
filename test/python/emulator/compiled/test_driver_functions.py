"""Transfers, queues and addresses of the emitted code in the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from common import networks
from common.drivers import compiled_code
from common.injection import token_program
from common.injection.edit import erase, without_operands
from common.programs.in_flight import CHAIN, LOAD, RUN, program, without
from mlir import ir

from forebay.codegen.project.devices.transfers import queue_functions_of
from forebay.codegen.project.project import project_files
from forebay.dialects.accel import LaunchOp, StartOp, WaitOp
from forebay.emulator import Emulator
from forebay.emulator.compiled.c_machine import CheckedEngine, Through
from forebay.emulator.compiled.entry_functions import EntryCalls, QueueEntry
from forebay.emulator.compiled.pool_addresses import PoolAddresses
from forebay.emulator.machine.machine import Machine
from forebay.emulator.memory.faults import (
    Fault,
    NeverWritten,
    NoSuchTicket,
    OutOfRange,
    QueueFull,
    StillInFlight,
    WaitedTwice,
    WrongPool,
)
from forebay.engines.c import CEngine
from forebay.ir.nested import ops_nested_in

X = np.random.default_rng(1).integers(-128, 128, (64, 32), np.int8)
SHORT = np.arange(-8, 8, dtype=np.int8)
through_both = pytest.mark.parametrize("through", compiled_code.BOTH)
Edit = Callable[[ir.Operation], None]


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context(), ir.Location.unknown():
        yield


def chain(*lines: str) -> compiled_code.Network:
    """A program on the machine of `in_flight`, whose plan is written in it."""
    return compiled_code.network(ir.Module.parse(program(*lines)))


def fault_of(network: compiled_code.Network, through: Through, x: np.ndarray) -> Fault:
    engine = CheckedEngine(*network, through=through)
    with pytest.raises(Fault) as caught:
        engine.run([x])
    return caught.value


# ---- What is right -------------------------------------------------------------------------------


@through_both
def test_queues_beside_each_other_compute_the_product(through: Through) -> None:
    planned = token_program.planned()
    engine = CheckedEngine(*compiled_code.network(planned), through=through)
    for _ in range(2):
        np.testing.assert_array_equal(engine.run([X])[0], token_program.product(X))
    machine = Emulator(planned.operation)
    machine.call("main", [X])
    assert engine.report.macs == machine.report.macs == 64 * 32 * 16
    assert engine.report.calls == machine.report.calls
    assert engine.report.moved == machine.report.moved


@through_both
def test_weights_streamed_through_a_small_memory(through: Through, shared_models: Path) -> None:
    name, target = "kws_dscnn_int8", "fetch_conv:wei_mem=65536,stream=1"
    compiled = networks.compiled(shared_models / f"{name}.tflite", target=target)
    engine = compiled.checked(through)
    with np.load(shared_models / "golden" / "tflm" / f"{name}.npz") as arrays:
        (actual,) = engine.run([arrays["in0_0"]])
        np.testing.assert_array_equal(actual, arrays["out0_0"])
        compiled.run(arrays["in0_0"], engine="emulator")
    assert compiled.report is not None
    assert engine.report.moved == compiled.report.moved
    assert engine.report.moved["@accel.weight_loader", "@wei_mem"] > 0
    assert engine.report.calls == compiled.report.calls


def test_the_reference_computes_with_tickets() -> None:
    """What is started has ended when it returns; each start gives a ticket of its own."""
    network = compiled_code.network(token_program.planned())
    np.testing.assert_array_equal(CEngine(*network).run([X])[0], token_program.product(X))
    reference = project_files(*network)["net_reference.c"]
    assert "uint32_t token_gemm_start(uint32_t x, uint32_t w, uint32_t sums," in reference
    assert reference.count("return ++tickets;") == 6
    wait = "int32_t token_store_wait(uint32_t ticket)\n{\n    (void)ticket;\n    return 0;\n}"
    assert wait in reference


# ---- What is not ---------------------------------------------------------------------------------


def started(module: ir.Operation) -> list[StartOp | LaunchOp]:
    return [op for op in ops_nested_in(module) if isinstance(op, StartOp | LaunchOp)]


def without_after(number: int) -> Edit:
    """Remove all operations that it is ordered after; the host waits for it at the end."""

    def edit(module: ir.Operation) -> None:
        op = started(module)[number]
        count, tokens = len(op.operands), list(op.after)
        assert tokens
        block = op.operation.block
        with ir.InsertionPoint(block.operations[len(block.operations) - 1]), op.location:
            WaitOp(tokens)
        without_operands(op, range(count - len(tokens), count))

    return edit


def without_wait(number: int) -> Edit:
    def edit(module: ir.Operation) -> None:
        erase([op for op in ops_nested_in(module) if isinstance(op, WaitOp)][number])

    return edit


# Of each tile: its load, its sums, gemm, alu and store, behind the load of the weights.
GEMM_0, LOAD_2, ALU_2, STORE_0 = 3, 11, 14, 5
HAZARDS: dict[str, tuple[type[Fault], tuple[tuple[str, str], ...], Edit]] = {
    "two slots at one offset": (
        StillInFlight,
        (("memref_pool.alloc at <@inp, 256>", "memref_pool.alloc at <@inp, 0>"),),
        lambda _: None,
    ),
    "a slot that begins a row inside of the other": (
        StillInFlight,
        (("memref_pool.alloc at <@inp, 256>", "memref_pool.alloc at <@inp, 240>"),),
        lambda _: None,
    ),
    "a product without its operands": (StillInFlight, (), without_after(GEMM_0)),
    "a load over what is still multiplied": (StillInFlight, (), without_after(LOAD_2)),
    "a result over one that is still stored": (StillInFlight, (), without_after(ALU_2)),
    "a store without its result": (StillInFlight, (), without_after(STORE_0)),
    "a wait too few": (QueueFull, (), without_wait(0)),
    "a queue that takes less": (QueueFull, (("depth 12", "depth 8"),), lambda _: None),
}


@through_both
@pytest.mark.parametrize("name", HAZARDS)
def test_hazards_are_caught(name: str, through: Through) -> None:
    kind, changes, edit = HAZARDS[name]
    network = compiled_code.network(token_program.planned(), *changes, edit=edit)
    assert type(fault_of(network, through, X)) is kind


UNORDERED = RUN.replace("after (%t) ", "")
SHIFTED = "%z = memref_pool.alloc at <@spad, 32> : SPAD"
WRONG: dict[str, tuple[type[Fault], tuple[str, ...], str]] = {
    "a shifted row": (
        NeverWritten,
        (SHIFTED, *without(CHAIN, 7, RUN.replace("ins(%x", "ins(%z"))),
        "call 1: npu_double_start reads byte 32 of @spad (address 0x1002) in buffer 'the pool' "
        "[0, 256), which nothing has written",
    ),
    "a target in the caller's memory": (
        WrongPool,
        without(CHAIN, 8, "%v = accel.start @npu.mvout %y into %out after (%u) : "
                "SPAD, memref<16xi8>"),
        "call 1: npu_mvout_start finds the target of @npu.mvout in no pool, but it may be in "
        "@dram only",
    ),
    "a scalar that leads out of the memory": (
        OutOfRange,
        without(CHAIN, 7, RUN.replace("count = 16", "count = 257")),
        "call 1: npu_double_start of @npu.double uses element 240 of operand 'y', which has 240 "
        "there",
    ),
    "a second wait": (
        WaitedTwice,
        without(CHAIN, 9, "accel.wait %v", "accel.wait %v"),
        "call 2: npu_load_wait waits for npu_mvout_start at call 1, number 2 in @npu.load, a "
        "second time",
    ),
    "a product in front of its load": (
        StillInFlight,
        without(without(CHAIN, 9, "accel.wait %t, %v"), 7, UNORDERED),
        "call 1: npu_double_start reads byte 0 of @spad (address 0x1000) in buffer 'the pool' "
        "[0, 256), which npu_mvin_start at call 1, number 1 in @npu.load writes as buffer 'the "
        "pool', and nothing says that it has ended; wait for its token first",
    ),
}  # fmt: skip


@through_both
@pytest.mark.parametrize("name", WRONG)
def test_wrong_programs_are_caught(name: str, through: Through) -> None:
    kind, lines, message = WRONG[name]
    fault = fault_of(chain(*lines), through, SHORT)
    assert type(fault) is kind
    assert str(fault) == message


@through_both
def test_a_right_chain_runs_again_behind_a_wrong_one(through: Through) -> None:
    right = CheckedEngine(*chain(*CHAIN), through=through)
    np.testing.assert_array_equal(right.run([SHORT])[0], 2 * SHORT)
    wrong = CheckedEngine(*chain(*WRONG["a shifted row"][1]), through=through)
    for _ in range(2):
        with pytest.raises(NeverWritten, match=r"^call 1: npu_double_start"):
            wrong.run([SHORT])


@through_both
def test_a_fault_ends_the_run_at_once(through: Through) -> None:
    """The wait behind the wrong start returns an error; what is behind it is not done."""
    again = (LOAD.replace("%t ", "%t2 "), "accel.wait %t2")
    lines = (*without(without(CHAIN, 9, "accel.wait %t, %v"), 7, UNORDERED), *again)
    engine = CheckedEngine(*chain(*lines), through=through)
    with pytest.raises(StillInFlight):
        engine.run([SHORT])
    assert engine.report.calls == {"@npu.mvin": 1}


def test_an_unknown_ticket_is_refused() -> None:
    module = ir.Module.parse(program(*CHAIN))
    machine = Machine("cpu", 0)
    run = EntryCalls(machine, PoolAddresses(module.operation, {}, machine))
    entries = {it.symbol: QueueEntry(it) for it in queue_functions_of(module)}
    with pytest.raises(NoSuchTicket) as caught:
        entries["npu_load"].wait(run, 3)
    assert str(caught.value) == ("call 1: npu_load_wait gets ticket 3, which no queue has given")
    with pytest.raises(NoSuchTicket, match="gets ticket 1, which no queue has given"):
        entries["npu_run"].after(run, 1)
