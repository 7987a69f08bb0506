"""State lives from run to run, and running before the first reset is refused; ports in pools."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlir import ir

from forebay.codegen.project.pools.state_marker import marker_bytes
from forebay.codegen.project.project import write_project
from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine
from forebay.network.engine import NotResetError
from forebay.network.model import (
    BufferInfo,
    GoldenStep,
    ModelInfo,
    PlannedPool,
    Port,
)
from forebay.pools import PoolKind

INPUT = Path(__file__).parents[2] / "inputs" / "counter.mlir"
MODEL = ModelInfo(
    name="counter",
    inputs=(Port("x", "int16", (4,), pool="workspace", offset=0),),
    outputs=(Port("y", "int32", (1,), pool="workspace", offset=32),),
    pools=(
        PlannedPool("workspace", PoolKind.workspace, size=64),
        PlannedPool("kept", PoolKind.state, size=32),
    ),
    source_hash="0123456789abcdef" * 4,
)
X = np.array([1, 2, 3, -10], np.int16)
ENGINES = pytest.mark.parametrize("engine", [CEngine, LlvmEngine])


@pytest.fixture
def counter(context: ir.Context) -> ir.Module:
    return ir.Module.parse(INPUT.read_text())


@ENGINES
def test_run_before_reset_is_refused(counter: ir.Module, engine: Any) -> None:
    with pytest.raises(NotResetError, match="'counter' keeps state: reset it before"):
        engine(counter, MODEL).run([X])


@ENGINES
def test_state_lives_until_the_next_reset(counter: ir.Module, engine: Any) -> None:
    counting = engine(counter, MODEL)
    counting.reset()
    assert [int(counting.run([X])[0][0]) for _ in range(3)] == [96, 92, 88]
    counting.reset()
    assert int(counting.run([X])[0][0]) == 96


def test_marker_changes_with_the_model_and_the_layout_of_its_state() -> None:
    larger = (MODEL.pools[0], PlannedPool("kept", PoolKind.state, size=48))
    moved = (BufferInfo("sum", "kept", 16, 4, 0, 1, "int32", ()),)
    models = [
        MODEL,
        dataclasses.replace(MODEL, source_hash="00" * 32),
        dataclasses.replace(MODEL, pools=larger),
        dataclasses.replace(MODEL, buffers=moved),
    ]
    assert len({marker_bytes(model) for model in models}) == 4
    assert {len(marker_bytes(model)) for model in models} == {8}


def test_selftest_resets_once_and_steps(counter: ir.Module, tmp_path: Path) -> None:
    steps = tuple(GoldenStep((X,), (np.array([100 - 4 * n], np.int32),)) for n in (1, 2))
    model = dataclasses.replace(MODEL, golden=steps)
    directory = write_project(counter, model, tmp_path / "out")
    flags = "-std=c99 -Wall -Wextra -Wconversion -Wcast-qual -pedantic -Werror -fsanitize=undefined"
    sources = sorted(str(path) for path in directory.glob("*.c"))
    program = str(tmp_path / "selftest")
    subprocess.run(["cc", *flags.split(), *sources, "-lm", "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "counter: all outputs are as expected\n")


def test_entry_points_tell_their_errors_apart(counter: ir.Module, tmp_path: Path) -> None:
    directory = write_project(counter, MODEL, tmp_path / "out")
    (directory / "main.c").write_text("""
#include "counter.h"
#include <stdio.h>
static int failed;
static void expect(counter_status status, counter_status expected)
{
    if (status != expected) {
        printf("%s, expected %s\\n", counter_status_name(status), counter_status_name(expected));
        failed = 1;
    }
}
int main(void)
{
    counter_pools pools = counter_default_pools;
    expect(counter_run(NULL), COUNTER_ERROR_NULL);
    expect(counter_reset(NULL), COUNTER_ERROR_NULL);
    expect(counter_run(&pools), COUNTER_ERROR_NOT_RESET);
    pools.kept = NULL;
    expect(counter_reset(&pools), COUNTER_ERROR_NULL);
    pools = counter_default_pools;
    pools.workspace += 4;
    expect(counter_run(&pools), COUNTER_ERROR_ALIGNMENT);
    pools.workspace = NULL; /* a reset needs the state alone */
    expect(counter_reset(&pools), COUNTER_OK);
    pools.kept += 4;
    expect(counter_reset(&pools), COUNTER_ERROR_ALIGNMENT);
    pools = counter_default_pools;
    pools.kept_size = COUNTER_KEPT_SIZE - 1;
    expect(counter_reset(&pools), COUNTER_ERROR_SIZE);
    pools = counter_default_pools;
    pools.workspace_size = COUNTER_WORKSPACE_SIZE - 1;
    expect(counter_run(&pools), COUNTER_ERROR_SIZE);
    expect(counter_reset(&counter_default_pools), COUNTER_OK);
    expect(counter_run(&counter_default_pools), COUNTER_OK);
    return failed;
}
""")
    sources = sorted(str(path) for path in directory.glob("*.c"))
    program = str(tmp_path / "main")
    subprocess.run(["cc", "-std=c99", *sources, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
