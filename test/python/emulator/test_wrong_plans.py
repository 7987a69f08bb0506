"""Plans and programs that are wrong in one way each: verifier and emulator refuse them alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from mlir import ir

import forebay.passes  # noqa: F401  (registers)
from forebay.emulator import Emulator
from forebay.emulator.memory import faults
from forebay.errors import Error
from forebay.pipelines import PipelineError, run_pipeline

HERE = Path(__file__).parent / "wrong_plans"
X = np.arange(16, dtype=np.int8)


@dataclass(frozen=True)
class Wrong:
    """What the verifier says, and what stops the emulator; `flag` is a second input."""

    verifier: tuple[str, ...]
    """What its diagnostic names; lit has the words."""
    fault: type[Error]
    emulator: str
    flag: int | None = None


def _unwaited(verb: str, does: str, where: str) -> tuple[tuple[str, ...], str]:
    """Of an access to what a transfer uses: the verifier's facts, the emulator's words."""
    pool, byte = where.split()
    return (
        (f"'{verb}' {does}", f"at [{byte}, 16) of pool {pool}", "'accel.start'"),
        f"{verb} {does} byte {byte} of {pool} in buffer 'buffer' [0, 16), which accel.start",
    )


SOURCE = _unwaited("linalg.fill", "writes", "@dram 0")
TILE = _unwaited("accel.move", "reads", "@spad 0")
WRONG = {
    "never_waited_for": Wrong(SOURCE[0], faults.StillInFlight, SOURCE[1]),
    "started_in_a_callee": Wrong(SOURCE[0], faults.StillInFlight, SOURCE[1]),
    "waited_for_in_one_branch": Wrong(SOURCE[0], faults.StillInFlight, SOURCE[1], flag=0),
    "waited_for_in_a_loop": Wrong(SOURCE[0], faults.StillInFlight, SOURCE[1], flag=1),
    "used_before_its_wait": Wrong(TILE[0], faults.StillInFlight, TILE[1]),
    "used_in_a_loop_before_its_wait": Wrong(TILE[0], faults.StillInFlight, TILE[1]),
    "view_beyond_its_buffer": Wrong(
        ("'memref.view'", "[8, 24) of pool @ws", "[0, 16)"),
        faults.OutOfRange,
        "memref.copy writes byte 16 of @ws, outside of buffer 'buffer' [0, 16)",
    ),
    "reinterpreted_as_more": Wrong(
        ("'memref.reinterpret_cast'", "[0, 32) of pool @ws", "[0, 16)"),
        faults.OutOfRange,
        "memref.copy reads byte 16 of @ws, outside of buffer 'buffer' [0, 16)",
    ),
    "state_reinterpreted_as_more": Wrong(
        ("'memref.reinterpret_cast'", "[0, 64) of pool @state", "buffer 's'", "[0, 16)"),
        faults.OutOfRange,
        "linalg.fill writes byte 16 of @state, outside of buffer 's' [0, 16)",
    ),
    "operand_of_a_shifted_view": Wrong(
        ('operand "x" of @npu.op', "byte 4 of pool @ws", "multiple of 16"),
        faults.Misaligned,
        "accel.call needs operand 'x' of @npu.op aligned to 16, and it begins at byte 4 of @ws",
    ),
    "pools_at_one_base": Wrong(
        ("@ws and @dram", "[0x10000, 0x10040)"),
        faults.LiveOverwrite,
        "linalg.fill writes byte 0 of @dram (address 0x10000) in buffer 'buffer' [0, 16) over live "
        "buffer 'buffer' [0, 16), written by memref.copy",
    ),
    "offset_beyond_any_machine": Wrong(
        ("[8,589,934,592, 8,589,934,608) of pool @ws", "4,294,967,296 bytes"),
        faults.NotEmulatedError,
        "'memref_pool.pool' is too large: @ws takes 8,589,934,608 bytes and what else there is 0, "
        "but the emulator has 1,073,741,824 for all memories together",
    ),
}


def module(name: str) -> ir.Module:
    with ir.Context():
        return ir.Module.parse((HERE / f"{name}.mlir").read_text())


@pytest.mark.parametrize("name", WRONG)
def test_the_verifier_refuses(name: str) -> None:
    with pytest.raises(PipelineError) as caught:
        run_pipeline(module(name), "builtin.module(memref-pool-verify-plan)")
    diagnostic = caught.value.diagnostics[0].text
    assert [fact for fact in WRONG[name].verifier if fact not in diagnostic] == []


@pytest.mark.parametrize("name", WRONG)
def test_the_emulator_refuses(name: str) -> None:
    wrong = WRONG[name]
    inputs = [X] if wrong.flag is None else [X, np.array([wrong.flag], np.int8)]
    with pytest.raises(wrong.fault) as caught:
        Emulator(module(name).operation).call("main", inputs)
    assert wrong.emulator in str(caught.value)


def test_every_file_is_tried() -> None:
    assert {path.stem for path in HERE.iterdir()} == set(WRONG)


@pytest.mark.parametrize("name", ["waited_for_in_one_branch"])
def test_the_emulator_sees_the_path_that_is_taken(name: str) -> None:
    """With the flag the branch waits, and the run is right: other paths are the verifier's."""
    Emulator(module(name).operation).call("main", [X, np.array([1], np.int8)])
