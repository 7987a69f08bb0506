"""Every kind of wrong access stops the run, with the op, the pool, the byte, whose it is."""

import numpy as np
import pytest
from common.emulated import ALLOC, FILL, OUT, emulator, main, run

from forebay.emulator import Fault
from forebay.emulator.memory.faults import (
    DeadRead,
    ForeignRead,
    LiveOverwrite,
    Misaligned,
    NeverWritten,
    NoRight,
    OutOfRange,
    WrongPool,
)


def refused(text: str, **options: object) -> Fault:
    with pytest.raises(Fault) as caught:
        run(text, **options)
    return caught.value


def test_a_right_plan_runs() -> None:
    text = main("%a = " + ALLOC.format(0, "a", 1), FILL.format("a", 2), OUT.format("a", 3))
    np.testing.assert_array_equal(run(text)[0], np.full(16, 7, np.int8))


def test_reading_unwritten_bytes() -> None:
    fault = refused(main("%a = " + ALLOC.format(32, "a", 1), OUT.format("a", 3)))
    assert type(fault) is NeverWritten
    assert str(fault) == (
        "n.mlir:3:1: memref.copy reads byte 32 of @ws in buffer 'a' [32, 48), which nothing has "
        "written"
    )
    assert (fault.where.pool, fault.where.address, fault.where.buffer) == ("@ws", 32, "a")


def test_writing_over_a_live_buffer() -> None:
    fault = refused(
        main(
            "%a = " + ALLOC.format(0, "a", 1),
            "%b = " + ALLOC.format(0, "b", 2),
            FILL.format("a", 3),
            FILL.format("b", 4),
            OUT.format("a", 5),
        )
    )
    assert type(fault) is LiveOverwrite
    assert str(fault) == (
        "n.mlir:4:1: linalg.fill writes byte 0 of @ws in buffer 'b' [0, 16) over live buffer 'a' "
        "[0, 16), written by linalg.fill at n.mlir:3:1"
    )
    assert (fault.where.owner, fault.where.writer) == ("a", "linalg.fill at n.mlir:3:1")


def test_a_dead_buffer_may_be_overwritten() -> None:
    text = main(
        "%a = " + ALLOC.format(0, "a", 1),
        "%b = " + ALLOC.format(0, "b", 2),
        FILL.format("a", 3),
        FILL.format("b", 4),
        OUT.format("b", 5),
    )
    np.testing.assert_array_equal(run(text)[0], np.full(16, 7, np.int8))


def test_reading_what_is_left_of_a_dead_buffer() -> None:
    fault = refused(
        main(
            "%a = " + ALLOC.format(0, "a", 1),
            "%b = " + ALLOC.format(0, "b", 2),
            FILL.format("a", 3),
            OUT.format("b", 5),
        )
    )
    assert type(fault) is DeadRead
    assert str(fault) == (
        "n.mlir:5:1: memref.copy reads byte 0 of @ws in buffer 'b' [0, 16), which is left of dead "
        "buffer 'a' [0, 16), written by linalg.fill at n.mlir:3:1"
    )


def test_reading_what_belongs_to_a_live_buffer() -> None:
    fault = refused(
        main(
            "%a = " + ALLOC.format(0, "a", 1),
            "%b = " + ALLOC.format(0, "b", 2),
            FILL.format("a", 3),
            OUT.format("b", 5),
            OUT.format("a", 6),
        )
    )
    assert type(fault) is ForeignRead
    assert str(fault) == (
        "n.mlir:5:1: memref.copy reads byte 0 of @ws in buffer 'b' [0, 16), which belongs to live "
        "buffer 'a' [0, 16), written by linalg.fill at n.mlir:3:1"
    )


def test_a_buffer_beyond_its_pool() -> None:
    fault = refused(main("%a = " + ALLOC.format(256, "a", 1), FILL.format("a", 2)))
    assert type(fault) is OutOfRange
    assert str(fault) == (
        "n.mlir:1:1: memref_pool.alloc places buffer 'a' at [256, 272) of @ws, which has 256 "
        "bytes; give the pool more or plan again"
    )


def test_a_buffer_on_reserved_bytes() -> None:
    pool = "memref_pool.pool @ws workspace capacity 256 align 16 reserved [40, 48]\n"
    fault = refused(pool + main("%a = " + ALLOC.format(32, "a", 1), FILL.format("a", 2)))
    assert type(fault) is OutOfRange
    assert str(fault) == (
        "n.mlir:1:1: memref_pool.alloc places buffer 'a' at [32, 48) of @ws, of which [40, 48) is "
        "reserved"
    )


def test_a_misaligned_buffer() -> None:
    fault = refused(main("%a = " + ALLOC.format(40, "a", 1), FILL.format("a", 2)))
    assert type(fault) is Misaligned
    assert str(fault) == (
        "n.mlir:1:1: memref_pool.alloc places buffer 'a' at [40, 56) of @ws, but its alignment is "
        "16"
    )


def test_alignment_is_of_the_absolute_address() -> None:
    pool = "memref_pool.pool @ws workspace capacity 256 align 16 base 4112\n"
    alloc = "%a = " + ALLOC.replace("alloc", "alloc align 32")
    fault = refused(pool + main(alloc.format(32, "a", 1), FILL.format("a", 2)))
    assert type(fault) is Misaligned
    assert fault.where.address == 4144
    text = pool + main(alloc.format(16, "a", 1), OUT.format("a", 2))
    assert "reads byte 16 of @ws (address 0x1020) in buffer 'a'" in str(refused(text))


def test_an_element_that_a_buffer_has_not() -> None:
    text = main(
        "%a = " + ALLOC.format(0, "a", 1),
        FILL.format("a", 2),
        "%c16 = arith.constant 16 : index",
        '%e = memref.load %a[%c16] : memref<16xi8, #ws> loc("n.mlir":4:1)',
    )
    fault = refused(text)
    assert type(fault) is OutOfRange
    assert str(fault) == (
        "n.mlir:4:1: memref.load uses element [16] outside of buffer 'a' in @ws, seen as 16"
    )


def test_a_view_beyond_its_buffer() -> None:
    text = main(
        "%a = " + ALLOC.format(0, "a", 1),
        "%v = memref.reinterpret_cast %a to offset: [8], sizes: [16], strides: [1] : "
        "memref<16xi8, #ws> to memref<16xi8, strided<[1], offset: 8>, #ws>",
        "linalg.fill ins(%x : i8) outs(%v : memref<16xi8, strided<[1], offset: 8>, #ws>) "
        'loc("n.mlir":3:1)',
    )
    fault = refused(text)
    assert type(fault) is OutOfRange
    assert str(fault) == (
        "n.mlir:3:1: linalg.fill writes byte 16 of @ws, outside of buffer 'a' [0, 16)"
    )


def test_a_place_that_is_no_candidate() -> None:
    text = (
        "memref_pool.pool @ws workspace capacity 64\nmemref_pool.pool @far workspace capacity 64\n"
        "func.func @main(%a: memref<4xi8, #ws> {memref_pool.placement = "
        '#memref_pool.placement<@far, 0>, accel.name = "x"}) {\n  return\n}\n'
    )
    with pytest.raises(WrongPool) as caught:
        run(text, np.zeros(4, np.int8))
    assert str(caught.value) == (
        "the program: the caller places buffer 'x' in @far; its candidates are: @ws"
    )


@pytest.mark.parametrize(
    ("rights", "verb"), [("read [] write [@host]", "read"), ("read [@host] write []", "write")]
)
def test_a_device_without_the_right(rights: str, verb: str) -> None:
    pool = (
        f'accel.device @host kind "cpu" host\nmemref_pool.pool @ws workspace capacity 64 {rights}\n'
    )
    text = pool + main("%a = " + ALLOC.format(0, "a", 1), FILL.format("a", 2), OUT.format("a", 3))
    fault = refused(text)
    assert type(fault) is NoRight
    op = "3:1: memref.copy" if verb == "read" else "2:1: linalg.fill"
    assert str(fault) == (
        f"n.mlir:{op} {verb}s buffer 'a' in @ws on device 'host', which may not {verb} there; "
        "devices that may: none"
    )


def test_an_op_on_another_device_has_that_device_s_rights() -> None:
    pool = (
        'accel.device @cpu kind "cpu" host\naccel.device @npu kind "npu"\n'
        "memref_pool.pool @ws workspace capacity 64 read [@cpu] write [@cpu]\n"
    )
    fill = "linalg.fill {accel.on = @npu} " + FILL.format("a", 2).removeprefix("linalg.fill ")
    fault = refused(pool + main("%a = " + ALLOC.format(0, "a", 1), fill, OUT.format("a", 3)))
    assert "on device 'npu', which may not write there; devices that may: cpu" in str(fault)


def test_a_constant_is_not_written() -> None:
    text = (
        "memref_pool.pool @ws workspace capacity 64\nmemref_pool.pool @rom constant capacity 64\n"
        'memref.global "private" constant @k : memref<16xi8, #memref_pool.space<@rom>> = dense<3> '
        "{memref_pool.placement = #memref_pool.placement<@rom, 0>}\n"
        + main(
            "%k = memref.get_global @k : memref<16xi8, #memref_pool.space<@rom>>",
            "linalg.fill ins(%x : i8) outs(%k : memref<16xi8, #memref_pool.space<@rom>>) "
            'loc("n.mlir":2:1)',
        )
    )
    fault = refused(text)
    assert type(fault) is NoRight
    assert str(fault) == (
        "n.mlir:2:1: linalg.fill writes buffer 'k' in @rom, which a run only reads"
    )


def test_an_input_is_lent_to_be_read() -> None:
    text = (
        'func.func @main(%a: memref<4xi8> {accel.name = "x"}) {\n  %x = arith.constant 7 : i8\n'
        '  linalg.fill ins(%x : i8) outs(%a : memref<4xi8>) loc("n.mlir":2:1)\n  return\n}\n'
    )
    with pytest.raises(NoRight, match="in the caller's 'x', which a run only reads"):
        run(text, np.zeros(4, np.int8))


def test_an_output_without_a_write() -> None:
    fault = refused(main())
    assert type(fault) is NeverWritten
    assert str(fault) == (
        "the program: @main returns without having written byte 0 of the caller's 'y', of output "
        "'y'"
    )


def test_state_before_the_reset() -> None:
    text = (
        "memref_pool.pool @st state capacity 32 reserved [0, 16]\n"
        'memref.global "private" @s : memref<16xi8, #memref_pool.space<@st>> '
        "{memref_pool.placement = #memref_pool.placement<@st, 16>}\n"
        + main(
            "%s = memref.get_global @s : memref<16xi8, #memref_pool.space<@st>>",
            "memref.copy %s, %out : memref<16xi8, #memref_pool.space<@st>> to memref<16xi8>",
            "linalg.fill ins(%x : i8) outs(%s : memref<16xi8, #memref_pool.space<@st>>)",
        )
    )
    with pytest.raises(NeverWritten, match="reads byte 16 of @st in buffer 's'"):
        run(text)


def test_state_lasts_and_workspaces_do_not() -> None:
    text = (
        "memref_pool.pool @st state capacity 16\n"
        'memref.global "private" @s : memref<16xi8, #memref_pool.space<@st>> '
        "{memref_pool.placement = #memref_pool.placement<@st, 0>}\n"
        + main(
            "%s = memref.get_global @s : memref<16xi8, #memref_pool.space<@st>>",
            "memref.copy %s, %out : memref<16xi8, #memref_pool.space<@st>> to memref<16xi8>",
        )
        + "func.func @reset() {\n  %x = arith.constant 5 : i8\n"
        "  %s = memref.get_global @s : memref<16xi8, #memref_pool.space<@st>>\n"
        "  linalg.fill ins(%x : i8) outs(%s : memref<16xi8, #memref_pool.space<@st>>)\n"
        "  return\n}\n"
    )
    machine = emulator(text)
    machine.call("reset")
    for _ in range(2):
        np.testing.assert_array_equal(machine.call("main")[0], np.full(16, 5, np.int8))


def test_a_run_after_a_fault_begins_anew() -> None:
    text = main("%a = " + ALLOC.format(0, "a", 1), OUT.format("a", 3), FILL.format("a", 4))
    machine = emulator(text)
    for _ in range(2):  # nothing of the first run is taken for written in the second
        with pytest.raises(NeverWritten, match="reads byte 0 of @ws in buffer 'a'"):
            machine.call("main")
