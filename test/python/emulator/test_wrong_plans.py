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
from forebay.pipelines import PipelineError, run

HERE = Path(__file__).parent / "wrong_plans"
X = np.arange(16, dtype=np.int8)


@dataclass(frozen=True)
class Wrong:
    """What the verifier says, and what stops the emulator; `flag` is a second input."""

    verifier: str
    fault: type[Error]
    emulator: str
    flag: int | None = None


def _unwaited(verb: str, does: str, other: str, where: str) -> tuple[str, str]:
    """Of an access to what a transfer reads or writes: the verifier's words, the emulator's."""
    pool, byte = where.split()
    return (
        f"'{verb}' {does} buffer 'buffer' at [{byte}, 16) of pool {pool}, of which 'accel.start' "
        f"may still {other} bytes for 'buffer'; wait for its token first, on every path to here",
        f"{verb} {does} byte {byte} of {pool} in buffer 'buffer' [0, 16), which accel.start",
    )


SOURCE = _unwaited("linalg.fill", "writes", "read", "@dram 0")
TILE = _unwaited("accel.move", "reads", "write", "@spad 0")
WRONG = {
    "never_waited_for": Wrong(SOURCE[0], faults.StillInFlight, SOURCE[1]),
    "started_in_a_callee": Wrong(SOURCE[0], faults.StillInFlight, SOURCE[1]),
    "waited_for_in_one_branch": Wrong(SOURCE[0], faults.StillInFlight, SOURCE[1], flag=0),
    "waited_for_in_a_loop": Wrong(SOURCE[0], faults.StillInFlight, SOURCE[1], flag=1),
    "used_before_its_wait": Wrong(TILE[0], faults.StillInFlight, TILE[1]),
    "used_in_a_loop_before_its_wait": Wrong(TILE[0], faults.StillInFlight, TILE[1]),
    "view_beyond_its_buffer": Wrong(
        "'memref.view' shows bytes [8, 24) of pool @ws, but buffer 'buffer' is at [0, 16)",
        faults.OutOfRange,
        "memref.copy writes byte 16 of @ws, outside of buffer 'buffer' [0, 16)",
    ),
    "reinterpreted_as_more": Wrong(
        "'memref.reinterpret_cast' shows bytes [0, 32) of pool @ws, but buffer 'buffer' is at "
        "[0, 16)",
        faults.OutOfRange,
        "memref.copy reads byte 16 of @ws, outside of buffer 'buffer' [0, 16)",
    ),
    "state_reinterpreted_as_more": Wrong(
        "'memref.reinterpret_cast' shows bytes [0, 64) of pool @state, but buffer 's' is at "
        "[0, 16)",
        faults.OutOfRange,
        "linalg.fill writes byte 16 of @state, outside of buffer 's' [0, 16)",
    ),
    "operand_of_a_shifted_view": Wrong(
        'operand "x" of @npu.op begins at byte 4 of pool @ws, which is not a multiple of 16',
        faults.Misaligned,
        "accel.call needs operand 'x' of @npu.op aligned to 16, and it begins at byte 4 of @ws",
    ),
    "pools_at_one_base": Wrong(
        "pools @ws and @dram both take the addresses [0x10000, 0x10040); give one of them another "
        "base or start, or reserve these bytes in one of them",
        faults.LiveOverwrite,
        "linalg.fill writes byte 0 of @dram (address 0x10000) in buffer 'buffer' [0, 16) over live "
        "buffer 'buffer' [0, 16), written by memref.copy",
    ),
    "offset_beyond_any_machine": Wrong(
        "buffer 'buffer' at [8,589,934,592, 8,589,934,608) of pool @ws ends beyond the first "
        "4,294,967,296 bytes, and the pool does not say that it has more; declare its capacity",
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
        run(module(name), "builtin.module(memref-pool-verify-plan)")
    assert WRONG[name].verifier in caught.value.diagnostics[0]


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
