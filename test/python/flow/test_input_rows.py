"""Inputs that the application hands in row by row: the same bits, and no memory for the whole."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from common.models.goldens import samples
from common.toolchain import COMPILERS, STRICT_C99, require

import forebay
from forebay.pipelines import PipelineError

ROWS = 32

FAILING = """
#include "resnet8_int8.h"
static int32_t calls;
static int32_t read(void *context, int32_t row, int8_t *target)
{
    (void)target;
    ++calls;
    return row == *(const int32_t *)context ? -5 : 0;
}
int main(void)
{
    int8_t scores[RESNET8_INT8_IDENTITY_INT8_ELEMENTS];
    int32_t last = 3;
    resnet8_int8_input_1_int8_rows rows = {NULL, &last};
    if (resnet8_int8_run(&resnet8_int8_default_pools, &rows, scores) != RESNET8_INT8_ERROR_NULL ||
        resnet8_int8_run(&resnet8_int8_default_pools, NULL, scores) != RESNET8_INT8_ERROR_NULL) {
        return 1;
    }
    rows.read = read;
    if (resnet8_int8_run(&resnet8_int8_default_pools, &rows, scores) != RESNET8_INT8_ERROR_INPUT) {
        return 2;
    }
    return resnet8_int8_status_name(RESNET8_INT8_ERROR_INPUT)[6] == 'I' && calls == 4 ? 0 : 3;
}
"""


@pytest.fixture(scope="module")
def compiled(shared_models: Path) -> forebay.Compiled:
    path = shared_models / "resnet8_int8.tflite"
    return forebay.compile(path, budget="min", input_rows=["input_1_int8"])


@pytest.fixture(scope="module")
def project(compiled: forebay.Compiled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled.write(tmp_path_factory.mktemp("rows") / "out")


def test_every_engine_has_the_bits_of_the_goldens(
    compiled: forebay.Compiled, shared_models: Path
) -> None:
    for number, (inputs, expected) in enumerate(samples(shared_models, "resnet8_int8")):
        for engine in ("c", "llvm") if number else ("c", "llvm", "emulator"):
            np.testing.assert_array_equal(compiled.run(*inputs, engine=engine), expected[0])


def test_the_plan_has_only_live_rows_of_the_input(
    compiled: forebay.Compiled, project: Path
) -> None:
    """Three rows of 96 bytes; the whole input would be 3,072."""
    written = json.loads((project / "resnet8_int8.json").read_text())
    rows = [b for b in written["buffers"] if b.get("part_of") == "input_1_int8"]
    assert len(rows) == ROWS
    for step in range(len(written["steps"])):
        live = [r for r in rows if r["lifetime"][0] <= step < r["lifetime"][1]]
        assert sum(r["size"] for r in live) <= 3 * 96
    assert (written["inputs"][0]["by_rows"], written["inputs"][0]["pool"]) == (True, None)
    assert "by_rows" not in written["outputs"][0]
    assert compiled.plan.peak("workspace") <= 8960 + 2 * 96


def test_the_self_test_hands_in_rows_and_c_is_strict(project: Path) -> None:
    flags = COMPILERS["gcc"]
    sources = sorted(path.name for path in project.glob("*.c"))
    command = [require("gcc"), *STRICT_C99, *flags, *sources, "-lm", "-o", "selftest"]
    subprocess.run(command, cwd=project, check=True)
    done = subprocess.run(["./selftest"], cwd=project, check=False, capture_output=True, text=True)
    assert done.stdout == "resnet8_int8: all outputs are as expected\n"


def test_an_error_of_the_application_ends_the_run(project: Path, tmp_path: Path) -> None:
    (tmp_path / "failing.c").write_text(FAILING)
    sources = [project / f"resnet8_int8{part}.c" for part in ("", "_weights", "_pools")]
    command = [require("gcc"), f"-I{project}", "failing.c", *sources, "-o", "failing"]
    subprocess.run(list(map(str, command)), cwd=tmp_path, check=True)
    assert subprocess.run(["./failing"], cwd=tmp_path, check=False).returncode == 0


def test_without_a_budget_only_the_input_is_by_rows(digits: Path) -> None:
    layers = forebay.compile(digits)
    rows = forebay.compile(digits, input_rows=["image"])
    assert set(rows.info.tensors_as_rows) >= {"image"}
    assert rows.plan.peak("workspace") < layers.plan.peak("workspace") + 64
    image = np.arange(64, dtype=np.int8).reshape(1, 8, 8, 1)
    for engine in ("c", "emulator"):
        np.testing.assert_array_equal(rows.run(image, engine=engine), layers.run(image))


def test_an_input_that_an_operator_needs_at_once_is_refused(shared_models: Path) -> None:
    with pytest.raises(PipelineError, match=r"cannot be (read|handed in) row by row: "):
        forebay.compile(shared_models / "ad01_int8.tflite", input_rows=["input_1"])


def test_an_input_that_a_state_keeps_as_a_whole_is_refused(shared_models: Path) -> None:
    with pytest.raises(PipelineError, match=r"row by row: 'model/stream/concat' needs all 3 rows"):
        name = "serving_default_input_audio:0"
        forebay.compile(shared_models / "mww_vad_int8.tflite", input_rows=[name])


def test_unknown_inputs_are_refused(digits: Path) -> None:
    with pytest.raises(PipelineError, match="there is no input 'picture'; inputs: 'image'"):
        forebay.compile(digits, input_rows=["picture"])


def test_objects_cannot_call_back(digits: Path, tmp_path: Path) -> None:
    compiled = forebay.compile(digits, input_rows=["image"])
    with pytest.raises(forebay.Error, match="an object cannot call back for the rows"):
        compiled.write(tmp_path / "out", emit="obj")
    assert not (tmp_path / "out").exists()
