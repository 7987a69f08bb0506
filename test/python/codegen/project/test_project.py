"""A C project is complete, builds without a warning anywhere, and is replaced as a whole."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from common.models.fully_connected import X
from common.toolchain import SANITIZERS, STRICT_C99, require_sanitizers
from mlir import ir
from numpy.typing import NDArray

from forebay.codegen.project.project import project_files, write_project
from forebay.engines.c import CEngine
from forebay.network.errors import OutputDirectoryError
from forebay.network.model import BufferInfo, GoldenStep, ModelInfo

Network = tuple[ir.Module, ModelInfo]
Reference = Callable[[NDArray[np.int8]], NDArray[np.int8]]


def with_golden(network: Network, expected: NDArray[np.int8]) -> Network:
    module, model = network
    return module, dataclasses.replace(model, golden=(GoldenStep((X,), (expected,)),))


def test_c_computes_what_numpy_computes(fully_connected: Network, reference: Reference) -> None:
    engine = CEngine(*fully_connected)
    samples = np.random.default_rng(0).integers(-128, 128, (8, 2, 3), np.int8)
    for x in samples:
        np.testing.assert_array_equal(engine.run([x])[0], reference(x))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_selftest_is_clean_under_sanitizers(
    fully_connected: Network, reference: Reference, tmp_path: Path, compiler: str
) -> None:
    directory = write_project(*with_golden(fully_connected, reference(X)), tmp_path / "out")
    sources = sorted(str(path) for path in directory.glob("*.c"))
    program = tmp_path / "selftest"
    command = [
        require_sanitizers(compiler),
        *STRICT_C99,
        *SANITIZERS,
        *sources,
        "-lm",
        "-o",
        str(program),
    ]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "tiny_net: all outputs are as expected\n")


def test_selftest_says_where_it_differs(
    fully_connected: Network, reference: Reference, tmp_path: Path
) -> None:
    wrong = reference(X).copy()
    wrong[1, 2] = 5
    directory = write_project(*with_golden(fully_connected, wrong), tmp_path / "out")
    sources = sorted(str(path) for path in directory.glob("*.c"))
    subprocess.run(["cc", *sources, "-lm", "-o", str(tmp_path / "selftest")], check=True)
    done = subprocess.run([tmp_path / "selftest"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == ("step 0, output Identity: element 6 is 127, expected 5")


def test_memory_map_tells_pools_and_constants(fully_connected: Network) -> None:
    module, model = fully_connected
    buffers = (
        BufferInfo("x", "workspace", 0, 6, 0, 1, "int8", (2, 3)),
        BufferInfo("dense/MatMul", "weights", 0, 12, 0, 1, "int8", (4, 3)),
        BufferInfo("dense/bias", "weights", 16, 16, 0, 1, "int32", (4,)),
    )
    model = dataclasses.replace(model, buffers=buffers)
    content = json.loads(project_files(module, model)["tiny_net.json"])
    assert [pool["peak"] for pool in content["pools"]] == [64, 32]
    members = [(row["name"], row.get("member")) for row in content["buffers"]]
    assert members == [("x", None), ("dense/MatMul", "w"), ("dense/bias", "b")]


def test_project_replaces_its_own_files(fully_connected: Network, tmp_path: Path) -> None:
    directory = write_project(*fully_connected, tmp_path / "out")
    (directory / "main.c").write_text("mine")
    write_project(*fully_connected, tmp_path / "out")
    assert sorted(path.name for path in directory.iterdir()) == [
        "CMakeLists.txt",
        "forebay-manifest.json",
        "forebay_runtime.h",
        "main.c",
        "tiny_net.c",
        "tiny_net.h",
        "tiny_net.json",
        "tiny_net.ld",
        "tiny_net_pools.c",
        "tiny_net_weights.bin",
        "tiny_net_weights.c",
        "tiny_net_weights.h",
        "tiny_net_weights_incbin.S",
        "tiny_net_weights_values.h",
        "zephyr",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_foreign_directory_is_left_alone(fully_connected: Network, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(OutputDirectoryError, match=r"holds files but no 'forebay-manifest\.json'"):
        write_project(*fully_connected, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_cmake_builds_and_tests_it(
    fully_connected: Network, reference: Reference, tmp_path: Path
) -> None:
    directory = write_project(*with_golden(fully_connected, reference(X)), tmp_path / "out")
    build = tmp_path / "build"
    configure = ["cmake", "-S", str(directory), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release"]
    for command in (configure, ["cmake", "--build", str(build)]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(
        [build / "tiny_net_selftest"], capture_output=True, text=True, check=False
    )
    assert done.stdout == "tiny_net: all outputs are as expected\n"


def test_two_models_live_in_one_program(fully_connected: Network, tmp_path: Path) -> None:
    """Nothing but names with the model's prefix is visible to the linker."""
    module, model = fully_connected
    sources: list[str] = []
    for name in ("first", "second"):
        directory = write_project(module, dataclasses.replace(model, name=name), tmp_path / name)
        sources += [str(path) for path in directory.glob("*.c")]
    main = tmp_path / "main.c"
    main.write_text("""
#include "first/first.h"
#include "second/second.h"
int main(void)
{
    const int8_t x[FIRST_INPUT_1_ELEMENTS] = {1, 2, 3, -4, 5, 120};
    int8_t a[FIRST_IDENTITY_ELEMENTS];
    int8_t b[SECOND_IDENTITY_ELEMENTS];
    if (first_run(&first_default_pools, x, a) != FIRST_OK) {
        return 1;
    }
    if (second_run(&second_default_pools, x, b) != SECOND_OK) {
        return 2;
    }
    return a[2] == b[2] && a[2] == 35 ? 0 : 3;
}
""")
    program = str(tmp_path / "main")
    subprocess.run(["cc", *STRICT_C99, str(main), *sources, "-lm", "-o", program], check=True)
    assert subprocess.run([program], check=False).returncode == 0
