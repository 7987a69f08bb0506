"""Started operations: accesses to their buffers, and when a wait is necessary."""

import numpy as np
from common.programs.in_flight import CHAIN, COPY_OUT, RUN, STORE, machine, refused, without

from forebay.emulator.memory.faults import (
    LiveOverwrite,
    NotWaited,
    QueueFull,
    StillInFlight,
    WaitedTwice,
)

X = np.arange(-8, 8, dtype=np.int8)


def test_tokens_order_a_chain_and_one_wait_ends_it() -> None:
    right = machine(*CHAIN)
    for _ in range(2):
        np.testing.assert_array_equal(right.call("main", [X])[0], 2 * X)
    report = right.report
    assert report.calls == {"@npu.mvin": 1, "@npu.double": 1, "@npu.mvout": 1}
    assert report.moved == {
        ("@npu.mvin", "@dram"): 16,
        ("@npu.mvin", "@spad"): 16,
        ("@npu.mvout", "@spad"): 16,
        ("@npu.mvout", "@dram"): 16,
    }


def test_a_result_that_is_read_before_the_wait() -> None:
    message = refused(StillInFlight, *without(CHAIN, 9, COPY_OUT), "accel.wait %v")
    assert message == (
        "n.mlir:9:1: memref.copy reads byte 16 of @dram in buffer 'buffer' [16, 32), which "
        "accel.start at n.mlir:8:1, number 2 in @npu.load writes as buffer 'buffer', and nothing "
        "says that it has ended; wait for its token first"
    )


def test_a_source_that_is_written_before_the_wait() -> None:
    spoil = "memref.copy %in, %a : memref<16xi8> to DRAM"
    message = refused(StillInFlight, *without(CHAIN, 7, spoil, RUN))
    assert "writes byte 0 of @dram" in message
    assert "accel.start at n.mlir:6:1, number 1 in @npu.load reads" in message


def test_a_source_that_is_read_before_the_wait() -> None:
    right = machine(*without(CHAIN, 7, "memref.copy %a, %out : DRAM to memref<16xi8>", RUN))
    np.testing.assert_array_equal(right.call("main", [X])[0], 2 * X)


def test_an_operation_that_is_not_behind_what_it_reads() -> None:
    message = refused(StillInFlight, *without(CHAIN, 7, RUN.replace(" after (%t)", "")))
    assert "accel.launch reads byte 0 of @spad (address 0x1000)" in message


def test_an_operation_that_is_not_behind_what_it_stores() -> None:
    refused(StillInFlight, *without(CHAIN, 8, STORE.replace(" after (%u)", "")))


def test_a_slot_that_is_loaded_while_it_is_read() -> None:
    again = "%w = accel.start @npu.mvin %a into %x : DRAM, SPAD"
    head, tail = CHAIN[:7], CHAIN[7:]
    # One of three in the queue would be too many, so the first load is waited for.
    message = refused(StillInFlight, *head, "accel.wait %t", again, *tail, "accel.wait %w")
    assert message.startswith("n.mlir:9:1: accel.start writes byte 0 of @spad (address 0x1000)")
    assert "accel.launch at n.mlir:7:1, number 1 in @npu.run reads" in message
    behind = again.replace(" : ", " after (%u) : ")
    right = machine(*head, "accel.wait %t", behind, *tail)
    np.testing.assert_array_equal(right.call("main", [X])[0], 2 * X)


def test_a_queue_runs_in_order_without_tokens() -> None:
    again = "%w = accel.start @npu.mvin %b into %x : DRAM, SPAD"
    lines = (
        "%b = memref_pool.alloc at <@dram, 32> : DRAM",
        "memref.copy %in, %b : memref<16xi8> to DRAM",
        *CHAIN[:6],
        again,
        RUN.replace("%t", "%w"),
        "accel.wait %u",
        STORE,
        *CHAIN[8:],
    )
    np.testing.assert_array_equal(machine(*lines).call("main", [X])[0], 2 * X)


def test_a_token_without_a_wait() -> None:
    tail = "memref.copy %in, %out : memref<16xi8> to memref<16xi8>"
    message = refused(NotWaited, *CHAIN[:6], tail)
    assert message == (
        "n.mlir:6:1: accel.start is still in @npu.load when the run ends; wait for its token"
    )


def test_a_second_wait() -> None:
    message = refused(WaitedTwice, *without(CHAIN, 9, "accel.wait %v", "accel.wait %v"))
    assert message == (
        "n.mlir:10:1: accel.wait waits for accel.start at n.mlir:8:1, number 2 in @npu.load, a "
        "second time"
    )


def test_waiting_for_what_ended_with_another_is_no_second_wait() -> None:
    right = machine(*without(CHAIN, 9, "accel.wait %v", "accel.wait %t, %u"))
    np.testing.assert_array_equal(right.call("main", [X])[0], 2 * X)


def test_a_queue_takes_as_many_as_it_is_deep() -> None:
    loads = [f"%t{n} = accel.start @npu.mvin %a into %x : DRAM, SPAD" for n in range(3)]
    message = refused(QueueFull, *CHAIN[:5], *loads)
    assert message == (
        "n.mlir:8:1: accel.start is one too many for @npu.load, which takes 2 without a "
        "wait; wait first for accel.start at n.mlir:6:1, number 1 in @npu.load"
    )


def test_a_buffer_lives_until_the_wait() -> None:
    """The last value that leads to the source is gone, the transfer is not."""
    spoil = (
        "%b = memref_pool.alloc at <@dram, 0> : DRAM",
        "memref.copy %in, %b : memref<16xi8> to DRAM",
        "memref.copy %b, %out : DRAM to memref<16xi8>",
    )
    refused(StillInFlight, *without(CHAIN, 7, *spoil, RUN))
    right = machine(*without(CHAIN, 10, *spoil))
    np.testing.assert_array_equal(right.call("main", [X])[0], X)


def test_a_buffer_in_place_of_one_that_only_ordered_operations_still_use() -> None:
    """Device beside device: the queue orders the first load before, without a wait."""
    lines = (
        *CHAIN[:7],
        "%z = memref_pool.alloc at <@spad, 0> : SPAD",
        "%w = accel.start @npu.mvin %a into %z after (%u) : DRAM, SPAD",
        "%q = accel.launch @npu.double ins(%z : SPAD) outs(%y : SPAD) after (%w) "
        "config {count = 16 : i64}",
        "accel.wait %t",
        STORE.replace("%u", "%q"),
        *CHAIN[8:],
    )
    np.testing.assert_array_equal(machine(*lines).call("main", [X])[0], 2 * X)


def test_a_buffer_in_place_of_one_that_the_host_still_holds() -> None:
    lines = (
        *CHAIN[:7],
        "%z = memref_pool.alloc at <@spad, 0> : SPAD",
        "%w = accel.start @npu.mvin %a into %z after (%u) : DRAM, SPAD",
        "accel.wait %w",
        "accel.move @npu.mvout %x into %r : SPAD, DRAM",
        "memref.copy %r, %out : DRAM to memref<16xi8>",
    )
    refused(LiveOverwrite, *lines)
