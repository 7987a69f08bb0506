"""Every file of a project is clean under every compiler and standard that is here, and cppcheck."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from common.models.gated_filter import MODEL, gated_filter
from common.models.golden_c import COUNTER, FOLDER
from common.toolchain import COMPILERS, CPPCHECK, SANITIZERS, require, require_sanitizers
from mlir import ir
from msgspec import structs

from forebay.codegen.project.project import write_project
from forebay.network.model import ModelInfo
from forebay.network.packaging import with_internal_pools

WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wcast-qual", "-Wshadow", "-pedantic", "-Werror"]
STANDARDS = ["c99", "c11", "c17", "c++17"]
MODELS: dict[str, Callable[[], tuple[ir.Module, ModelInfo]]] = {
    "every kind of pool": lambda: (gated_filter(), MODEL),
    "ports in pools": lambda: (
        ir.Module.parse((FOLDER / "inputs" / "counter.mlir").read_text()),
        COUNTER,
    ),
    "memory inside": lambda: (gated_filter(), with_internal_pools(MODEL)),
}


@pytest.fixture(params=MODELS)
def project(context: ir.Context, request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    module, model = MODELS[request.param]()
    return write_project(module, model, tmp_path / "out")


@pytest.mark.parametrize("standard", STANDARDS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_no_compiler_has_anything_to_say(project: Path, compiler: str, standard: str) -> None:
    # the C library's header that stands in for a real one is C
    language = ["-x", "c++", "-Drestrict=__restrict"] if standard == "c++17" else []
    sources = sorted(path.name for path in project.glob("*.c"))
    if COMPILERS[compiler]:  # the self-test prints, which is for hosts
        sources = [name for name in sources if not name.endswith("_selftest.c")]
    command = [require(compiler), *COMPILERS[compiler], *WARNINGS, f"-std={standard}", "-O2"]
    done = subprocess.run(
        [*command, *language, "-c", *sources],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_cppcheck_has_nothing_to_say(project: Path) -> None:
    command = [require("cppcheck"), *CPPCHECK, "--std=c99", "--error-exitcode=1", "--quiet"]
    # information: a file that cppcheck gave up on is no clean file
    command.append("--enable=warning,style,performance,portability,information")
    command.append("--suppress=missingIncludeSystem")
    done = subprocess.run([*command, "."], cwd=project, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_sanitizers_have_nothing_to_say(project: Path, compiler: str) -> None:
    sources = sorted(path.name for path in project.glob("*.c"))
    if not any("_selftest" in name for name in sources):
        pytest.skip("a network without goldens")
    command = [require_sanitizers(compiler), "-std=c99", *SANITIZERS, *sources, "-o", "selftest"]
    subprocess.run(command, cwd=project, check=True)
    done = subprocess.run(["./selftest"], cwd=project, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "gated_filter: all outputs are as expected\n"


def test_sizes_and_identity_serve_the_preprocessor(project: Path, context: ir.Context) -> None:
    name = next(path.stem for path in project.glob("*.ld"))
    macro = name.upper()
    pool = "DTCM" if name == "gated_filter" else "WORKSPACE"
    (project / "main.c").write_text(f"""
#include "{name}.h"
#include "{name}.h"
#if {macro}_{pool}_SIZE > 64 || {macro}_{pool}_ALIGN > 16 || {macro}_STACK_BOUND > 4096
#error "does not fit"
#endif
#if {macro}_PLAN_ID == 0
#error "no plan"
#endif
FOREBAY_STATIC_ASSERT(sizeof {macro}_MODEL_HASH == 65, hash_of_256_bits);
FOREBAY_STATIC_ASSERT(sizeof {macro}_PLAN_HASH == 65, plan_of_256_bits);
""")
    command = ["cc", "-std=c99", *WARNINGS, "-c", "main.c"]
    subprocess.run(command, cwd=project, check=True)


def test_files_of_two_compilations_do_not_mix(context: ir.Context, tmp_path: Path) -> None:
    project = write_project(gated_filter(), MODEL, tmp_path / "out")
    moved = structs.replace(MODEL.buffers[0], offset=8)
    other = dataclasses.replace(MODEL, buffers=(moved, *MODEL.buffers[1:]))
    newer = write_project(gated_filter(), other, tmp_path / "newer")
    shutil.copy(newer / "gated_filter.h", project)
    for name in ("gated_filter.c", "gated_filter_weights.c", "gated_filter_pools.c"):
        done = subprocess.run(
            ["cc", "-c", name], cwd=project, capture_output=True, text=True, check=False
        )
        assert f"{name} and gated_filter.h are of different compilations" in done.stderr


def test_runtime_header_of_another_version_is_refused(context: ir.Context, tmp_path: Path) -> None:
    project = write_project(gated_filter(), MODEL, tmp_path / "out")
    runtime = project / "forebay_runtime.h"
    assert "#define FOREBAY_RUNTIME_VERSION 1\n" in runtime.read_text()
    runtime.write_text(runtime.read_text().replace("_VERSION 1\n", "_VERSION 2\n"))
    done = subprocess.run(
        ["cc", "-c", "gated_filter.c"], cwd=project, capture_output=True, text=True, check=False
    )
    assert "gated_filter needs version 1 of forebay_runtime.h" in done.stderr


@pytest.mark.parametrize(
    ("flag", "array"),
    [
        ('-DGATED_FILTER_SRAM_SECTION=".fast"', "sram"),
        ('-DGATED_FILTER_SRAM_ATTRIBUTES=__attribute__((section(".fast"),aligned(16)))', "sram"),
    ],
)
def test_sections_are_the_application_s_choice(
    context: ir.Context, tmp_path: Path, flag: str, array: str
) -> None:
    project = write_project(gated_filter(), MODEL, tmp_path / "out")
    command = ["gcc", "-c", "gated_filter_pools.c", "-o", "pools.o"]
    for extra, section in (([], ".bss.gated_filter_sram"), ([flag], ".fast")):
        subprocess.run([*command, *extra], cwd=project, check=True)
        table = subprocess.run(
            ["objdump", "-t", "pools.o"], cwd=project, capture_output=True, text=True, check=True
        ).stdout
        row = next(line for line in table.splitlines() if line.endswith(f" {array}"))
        assert section in row.split()


def test_gnu_syntax_is_in_the_runtime_header_alone(project: Path) -> None:
    for path in project.iterdir():
        if path.suffix in (".c", ".h") and path.name != "forebay_runtime.h":
            text = path.read_text()
            assert "__" not in text.replace("__cplusplus", ""), path.name
