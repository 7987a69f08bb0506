"""The first error of a device ends the run: what is returned, who is named, what becomes of state.

The emitted C and LLVM's code are given devices that fail at a call of the test's choice.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.programs.two_devices import X, planned
from common.toolchain import STRICT_C99
from mlir import ir

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.codegen.project.project import project_files, write_project
from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine
from forebay.errors import Error
from forebay.network.engine import DeviceError, NotResetError
from forebay.network.model import (
    DeviceInfo,
    ModelInfo,
    PlannedPool,
    Port,
)
from forebay.pipelines import run_pipeline
from forebay.pools import PoolKind

TEXT = (Path(__file__).parents[1] / "inputs" / "device_sum.mlir").read_text()
MODEL = ModelInfo(
    name="device_sum",
    inputs=(Port("x", "int8", (4,)),),
    outputs=(Port("y", "int32", (1,)),),
    pools=(PlannedPool("kept", PoolKind.state, size=32),),
    source_hash="ab" * 32,
    devices=(DeviceInfo("npu", "npu", ("main", "reset")),),
)
VALUES = np.array([1, 2, 3, 4], np.int8)
DRIVER = """
#include <stdint.h>
int32_t calls, failing_call, code;
static int32_t answer(void) { return ++calls == failing_call ? code : 0; }
int32_t npu_add(const int8_t *x, int32_t *sum)
{
    const int32_t error = answer();
    if (error == 0) { *sum += *x; }
    return error;
}
int32_t npu_set(int32_t *sum, int32_t value)
{
    *sum = value;
    return answer();
}
int32_t npu_scale(const int8_t *x, int8_t *y, int32_t count, int32_t numerator, int32_t shift)
{
    (void)x, (void)y, (void)count, (void)numerator, (void)shift;
    return answer();
}
int32_t npu_dense(const int8_t *x, int32_t *sum, const int8_t *w, int32_t rows, int32_t columns)
{
    (void)x, (void)sum, (void)w, (void)rows, (void)columns;
    return answer();
}
"""
SYMBOLS = ("npu_add", "npu_set", "npu_scale", "npu_dense")
Failing = Callable[..., Any]


@pytest.fixture(params=["c", "llvm"])
def failing(request: pytest.FixtureRequest, tmp_path: Path) -> Failing:
    """`failing(module, model)`: an engine, and the variables of its driver."""
    source, library = tmp_path / "driver.c", tmp_path / "driver.so"
    source.write_text(DRIVER)

    def through_c(module: ir.Module, model: ModelInfo) -> Any:
        engine = CEngine(module, model, intrinsics=[source])
        return engine, engine.library

    def through_llvm(module: ir.Module, model: ModelInfo) -> Any:
        command = ["cc", "-shared", "-fPIC", "-o", str(library), str(source)]
        subprocess.run(command, check=True)
        driver = ctypes.CDLL(str(library))
        return LlvmEngine(module, model, {name: driver[name] for name in SYMBOLS}), driver

    return {"c": through_c, "llvm": through_llvm}[request.param]


def fail_at(driver: ctypes.CDLL, call: int, code: int = 7) -> None:
    for name, value in (("calls", 0), ("failing_call", call), ("code", code)):
        ctypes.c_int32.in_dll(driver, name).value = value


def calls(driver: ctypes.CDLL) -> int:
    return ctypes.c_int32.in_dll(driver, "calls").value


@pytest.mark.parametrize("call", [1, 2, 3])
def test_the_first_error_ends_the_run(context: ir.Context, failing: Failing, call: int) -> None:
    engine, driver = failing(*planned())
    fail_at(driver, call, code=-5)
    with pytest.raises(DeviceError) as caught:
        engine.run([X])
    assert caught.value.code == -5
    assert calls(driver) == call
    if isinstance(engine, CEngine):
        blamed = [("npu0", "1 MUL mul"), ("npu1", "1 MUL mul"), ("npu1", "2 FULLY_CONNECTED dense")]
        assert (caught.value.device, caught.value.where) == blamed[call - 1]
    fail_at(driver, 0)
    engine.run([X])  # nothing of the error is left


def test_an_error_in_a_loop_of_another_function_ends_the_run_and_loses_the_state(
    context: ir.Context, failing: Failing
) -> None:
    engine, driver = failing(ir.Module.parse(TEXT), MODEL)
    fail_at(driver, 0)
    engine.reset()
    assert engine.run([VALUES])[0].tolist() == [110]
    fail_at(driver, 3)
    with pytest.raises(DeviceError, match="has returned 7"):
        engine.run([VALUES])
    assert calls(driver) == 3
    fail_at(driver, 0)
    with pytest.raises(NotResetError):
        engine.run([VALUES])
    assert calls(driver) == 0
    engine.reset()
    assert engine.run([VALUES])[0].tolist() == [110]


def test_a_reset_that_fails_leaves_nothing_reset(context: ir.Context, failing: Failing) -> None:
    engine, driver = failing(ir.Module.parse(TEXT), MODEL)
    fail_at(driver, 0)
    engine.reset()
    fail_at(driver, 1)
    with pytest.raises(DeviceError):
        engine.reset()
    with pytest.raises(NotResetError):
        engine.run([VALUES])


def test_references_return_no_error(context: ir.Context) -> None:
    for engine in (CEngine, LlvmEngine):
        summing: Any = engine(ir.Module.parse(TEXT), MODEL)
        summing.reset()
        assert [int(summing.run([VALUES])[0][0]) for _ in range(2)] == [110, 120]


def test_the_code_is_clean_and_says_what_an_error_leaves(
    context: ir.Context, tmp_path: Path
) -> None:
    files = project_files(ir.Module.parse(TEXT), MODEL)
    assert "the state is lost until device_sum_reset" in files["device_sum.h"]
    assert "memset(pools->kept, 0, sizeof marker);" in files["device_sum.c"]
    # Declared in front of the loop that it is used in.
    assert "{\n    int32_t code;\n    for (int32_t i = 0;" in files["device_sum.c"]
    directory = write_project(ir.Module.parse(TEXT), MODEL, tmp_path / "out")
    for compiler in filter(shutil.which, ("gcc", "clang", "g++")):
        language = ["-x", "c++"] if compiler == "g++" else []
        flags = [flag for flag in STRICT_C99 if compiler != "g++" or flag != "-std=c99"]
        sources = ["device_sum.c", "device_sum_reference.c"]
        command = [compiler, *flags, *language, "-c", *sources]
        subprocess.run(command, cwd=directory, check=True)


def test_who_does_not_want_to_know_passes_null(context: ir.Context, tmp_path: Path) -> None:
    directory = write_project(ir.Module.parse(TEXT), MODEL, tmp_path / "out")
    (directory / "driver.c").write_text(DRIVER)
    (directory / "main.c").write_text("""
#include "device_sum.h"

#include <string.h>

extern int32_t calls, failing_call, code;

int main(void)
{
    const int8_t x[4] = {1, 2, 3, 4};
    int32_t y = 0;
    device_sum_device_error error = {0, 0, 0};
    failing_call = 4;
    code = -9;
    if (device_sum_reset(&device_sum_default_pools, NULL) != DEVICE_SUM_OK) {
        return 1;
    }
    if (device_sum_run(&device_sum_default_pools, x, &y, NULL) != DEVICE_SUM_ERROR_DEVICE) {
        return 2;
    }
    const device_sum_status again = device_sum_run(&device_sum_default_pools, x, &y, &error);
    if (again != DEVICE_SUM_ERROR_NOT_RESET || error.code != 0 || calls != 4) {
        return 3;
    }
    calls = 3;
    if (device_sum_reset(&device_sum_default_pools, &error) != DEVICE_SUM_ERROR_DEVICE) {
        return 4;
    }
    if (error.code != -9 || strcmp(error.device, "npu") != 0 ||
        strcmp(error.where, "npu_set") != 0) {
        return 5;
    }
    return strcmp(device_sum_status_name(DEVICE_SUM_ERROR_DEVICE), "ERROR_DEVICE") != 0;
}
""")
    sources = ["main.c", "driver.c", "device_sum.c", "device_sum_pools.c"]
    subprocess.run(["cc", "-std=c99", *sources, "-o", "main"], cwd=directory, check=True)
    assert subprocess.run(["./main"], cwd=directory, check=False).returncode == 0


def test_a_function_that_tells_a_device_something_has_no_result(context: ir.Context) -> None:
    text = TEXT.replace("#kept>, %x: memref<4xi8>) {", "#kept>, %x: memref<4xi8>) -> i32 {", 1)
    text = text.replace(
        "  }\n  return\n", "  }\n  %zero = arith.constant 0 : i32\n  return %zero : i32\n", 1
    )
    text = text.replace("func.call @add_4", "%unused = func.call @add_4")
    text = text.replace("memref<4xi8>) -> ()\n", "memref<4xi8>) -> i32\n")
    reason = "@add_4 issues device commands, so it returns the device's status"
    for user in ("memref-pool-check-printable", "memref-pool-lower-to-llvm"):
        with pytest.raises(Error, match=reason):
            run_pipeline(ir.Module.parse(text), f"builtin.module({user})")
