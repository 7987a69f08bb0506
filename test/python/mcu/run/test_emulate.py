"""How a program on a board ends, and what is said about it."""

from pathlib import Path

import pytest
from common.drivers.mcu_programs import built

from forebay.mcu import Board, McuError, ToolError
from forebay.mcu.image.elf import read_elf
from forebay.mcu.run.emulate import EmulatedRun, emulate


def outcome(board: Board, directory: Path, main: str, timeout: float = 20.0) -> EmulatedRun:
    elf = built(board, directory, "int unused;\n", f"int main(void) {{ {main} }}")
    return emulate(board, elf.path, (), timeout)


def test_hashes_mismatches_and_stack_are_read(board: Board, tmp_path: Path) -> None:
    main = """
    static const uint16_t got[3] = {1, 2, 3};
    static const uint16_t wanted[3] = {1, 2, 4};
    static const float near[2] = {1.0f, 2.0f};
    static const float far[2] = {1.0f, 2.5f};
    report_stack(300);
    report_stack(200);
    check_bytes(0, 0, got, got, sizeof got, 2);
    check_bytes(1, 2, got, wanted, sizeof got, 2);
    check_floats(2, 0, near, far, 2, 0.5f);
    check_floats(3, 0, near, far, 2, 0.25f);
    return 1;"""
    found = outcome(board, tmp_path, main)
    assert found.stack == 300
    assert found.mismatches == ((1, 2, 2), (3, 0, 1))
    # FNV-1a of 01 00 02 00 03 00
    assert found.hashes[0, 0] == found.hashes[1, 2] == fnv(b"\1\0\2\0\3\0")
    assert set(found.hashes) == {(0, 0), (1, 2), (2, 0), (3, 0)}


def fnv(data: bytes) -> int:
    value = 14695981039346656037
    for byte in data:
        value = ((value ^ byte) * 1099511628211) % 2**64
    return value


def test_not_a_number_equals_itself_alone(board: Board, tmp_path: Path) -> None:
    main = """
    static const uint32_t bits[2] = {0x7fc00000u, 0x3f800000u};
    const float *const nan = (const float *)(const void *)&bits[0];
    const float *const one = (const float *)(const void *)&bits[1];
    report_stack(0);
    check_floats(0, 0, nan, nan, 1, 1.0f);
    check_floats(1, 0, nan, one, 1, 1.0f);
    return 1;"""
    assert outcome(board, tmp_path, main).mismatches == ((1, 0, 0),)


def test_initialised_data_and_zeroed_data_are_there(board: Board, tmp_path: Path) -> None:
    main = """
    static volatile uint32_t some[2] = {3, 4};
    static volatile uint32_t none[64];
    report_stack(some[0] * 10 + some[1] + none[63]);
    return 0;"""
    assert outcome(board, tmp_path, main).stack == 34


def test_the_mark_of_the_stack_is_its_deepest_write(board: Board, tmp_path: Path) -> None:
    network = "void f(volatile char *p) { p[0] = 1; }"
    main = """
    void f(volatile char *p);
    __attribute__((noinline)) static void deep(void) { volatile char big[400]; f(big); }
    int main(void) { stack_paint(); deep(); report_stack(stack_used()); return 0; }"""
    elf = built(board, tmp_path, network, main)
    assert 400 <= emulate(board, elf.path, (), 20.0).stack <= 448


def test_an_exception_is_reported_with_its_address(board: Board, tmp_path: Path) -> None:
    # 3 is the breakpoint on RISC-V, the HardFault on Cortex-M
    with pytest.raises(
        McuError, match=rf"^{board.name}: exception 3 at 0x[0-9a-f]{{8}}$"
    ) as caught:
        outcome(board, tmp_path, "__builtin_trap();")
    place = int(str(caught.value).rpartition(" ")[2], 16)
    (main,) = [it for it in read_elf(tmp_path / "net.elf").functions if it.name == "main"]
    assert main.address <= place < main.address + main.size


def test_a_failed_call_is_reported_with_its_status(board: Board, tmp_path: Path) -> None:
    main = 'console_write("refused run ERROR_ALIGNMENT\\n"); board_exit(EXIT_REFUSED);'
    with pytest.raises(McuError, match=f"^{board.name}: run returned ERROR_ALIGNMENT$"):
        outcome(board, tmp_path, main)


def test_an_endless_program_is_ended(board: Board, tmp_path: Path) -> None:
    with pytest.raises(McuError, match=r"did not end in 1 s; give it more by --timeout$"):
        outcome(board, tmp_path, "for (;;) { }", timeout=1.0)


def test_an_emulator_s_own_failure_is_quoted(board: Board, tmp_path: Path) -> None:
    elf = built(board, tmp_path, "int unused;\n", "int main(void) { return 0; }")
    with pytest.raises(ToolError, match="no-such-option"):
        emulate(board, elf.path, ["-no-such-option"], 20.0)


def test_exit_without_a_report_is_no_pass(board: Board, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="ended with 0"):
        outcome(board, tmp_path, "return 0;")


@pytest.mark.parametrize(("mismatch", "code"), [(False, 1), (True, 0)])
def test_a_code_that_belies_the_report_is_no_pass(
    mismatch: bool, code: int, board: Board, tmp_path: Path
) -> None:
    text = 'console_write("mismatch 0 0 0\\n");' if mismatch else ""
    with pytest.raises(ToolError, match=f"ended with {code}"):
        outcome(board, tmp_path, f"report_stack(0); {text} return {code};")


def test_zeroed_data_is_zeroed_by_the_start_code(board: Board, tmp_path: Path) -> None:
    main = "int main(void) { static volatile uint32_t none; report_stack(none); return 0; }"
    elf = built(board, tmp_path, "int unused;\n", main)
    (place,) = [it.address for it in elf.symbols if it.name.startswith("none")]
    dirt = f"loader,addr={place:#x},data=0xA5A5A5A5,data-len=4"
    assert emulate(board, elf.path, ["-device", dirt], 20.0).stack == 0


def test_a_stack_overflow_is_reported(m55: Board, tmp_path: Path) -> None:
    network = "int f(int n) { volatile char x[64]; x[0] = 1; return n ? f(n - 1) + x[0] : 0; }"
    main = "int f(int n); int main(void) { report_stack((uint32_t)f(1000)); return 0; }"
    elf = built(m55, tmp_path, network, main, stack=2048)
    with pytest.raises(McuError, match=r"^mps3-an547: the stack overflowed$"):
        emulate(m55, elf.path, (), 20.0)
