"""Plans and programs that are wrong in one way each: verifier and emulator refuse them alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from mlir import ir

import forebay.passes  # noqa: F401  (registers)
from forebay.emulator import Emulator, faults
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


WRONG = {
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
