"""Memories at a base that the host addresses: every buffer is base + offset, and nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import forebay
from forebay.network.errors import CodegenError
from forebay.network.fixed_memory import FixedMemory, FixedMemoryError

from .recorded import arange, recorded
from .scratchpad import DEVICE

MAPPED = DEVICE.replace(
    "@spad workspace local capacity 262144 base 0 unit 16 read [@npu] write [@npu]",
    "@spad workspace capacity 262144 base 0xa0000000 read [@cpu, @npu] write [@cpu, @npu]",
).replace(
    "@acc workspace local capacity 65536 align 64 base 2147483648 unit 64\n"
    "  read [@npu] write [@npu]",
    "@acc workspace capacity 65536 align 64 base 0xb0000000 read [@cpu, @npu] write [@cpu, @npu]",
)
PROGRAM = """
func.func @main(%a: tensor<4x4x1x8xi8> {accel.name = "a", accel.dtype = "int8"})
    -> (tensor<4x4x1x8xi32> {accel.name = "out", accel.dtype = "int32"}) {
  %e = tensor.empty() : tensor<4x4x1x8xi32>
  %r = accel.call @npu.widen ins(%a : tensor<4x4x1x8xi8>) outs(%e : tensor<4x4x1x8xi32>)
    config {n = 128 : i64} -> tensor<4x4x1x8xi32>
  %s = tosa.add %r, %r : (tensor<4x4x1x8xi32>, tensor<4x4x1x8xi32>) -> tensor<4x4x1x8xi32>
  return %s : tensor<4x4x1x8xi32>
}
"""
"""The image is moved in and widened; the host itself reads the sums where they are."""

SUMS = """
accel.device @cpu kind "cpu" host
memref_pool.pool @tcm workspace base 0xa0000000
memref_pool.pool @kept state base 0xa1000000 reserved [0, 16]
memref_pool.pool @flash constant base 0xa2000000
tosa.variable @sum = dense<1> : tensor<4xi32>
func.func @main(%a: tensor<4xi32> {accel.name = "a", accel.dtype = "int32"})
    -> (tensor<4xi32> {accel.name = "out", accel.dtype = "int32"}) {
  %w = "tosa.const"() {values = dense<[1, 2, 3, 4]> : tensor<4xi32>} : () -> tensor<4xi32>
  %s = tosa.variable_read @sum : tensor<4xi32>
  %0 = tosa.add %a, %s : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = tosa.add %0, %w : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  tosa.variable_write @sum, %1 : tensor<4xi32>
  return %1 : tensor<4xi32>
}
"""
"""Sums over runs, with state and constants at bases."""

IMAGE = arange(4, 4, 1, 8)
CAPTURED: dict[str, Any] = {"capture_output": True, "text": True}
Engine = Literal["c", "llvm", "emulator"]


def compiled_from(text: str, directory: Path) -> forebay.Compiled:
    path = directory / "image.mlir"
    path.write_text(text, encoding="utf-8")
    return forebay.compile(
        path, io="pool", input_pools=["a=dram"], output_pools=["out=dram"], target=None
    )


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> forebay.Compiled:
    return compiled_from(MAPPED + PROGRAM, tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def project(compiled: forebay.Compiled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled.write(tmp_path_factory.mktemp("out") / "image")


def test_moves_and_calls_get_base_plus_offset(project: Path) -> None:
    text = (project / "image_npu.c").read_text(encoding="utf-8")
    body = text[text.index("int32_t image_npu_part(") :]
    assert [line.split("; /*")[0].strip(" ;") for line in body.splitlines()[2:-1]] == [
        "uint8_t *const spad = (uint8_t *)(uintptr_t)IMAGE_SPAD_BASE",
        "uint8_t *const acc = (uint8_t *)(uintptr_t)IMAGE_ACC_BASE",
        "int8_t *x = (int8_t *)spad",
        "int32_t *out = (int32_t *)(void *)acc",
        "int32_t code = npu_mvin(in, x, 1u, 0u, 0u, 128u)",
        "if (code != 0) {",
        "return code",
        "}",
        "return npu_widen(x, out, 128)",
    ]


def test_c_and_llvm_agree_on_every_address(compiled: forebay.Compiled) -> None:
    expected = ["npu_mvin dram+0 0xa0000000 1 0 0 128", "npu_widen 0xa0000000 0xb0000000 128"]
    assert recorded(compiled, [IMAGE], "c") == expected
    assert recorded(compiled, [IMAGE], "llvm") == expected


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_all_engines_compute_there(compiled: forebay.Compiled, engine: Engine) -> None:
    np.testing.assert_array_equal(compiled.run(IMAGE, engine=engine), 2 * IMAGE.astype(np.int32))


def test_nothing_of_them_is_in_the_objects(project: Path) -> None:
    """Neither an array or an allocation in the text, nor a symbol, nor a byte of stack."""
    for name in ("image.c", "image_npu.c", "image_pools.c"):
        text = re.sub(r"/\*.*?\*/", "", (project / name).read_text("utf-8"), flags=re.DOTALL)
        assert not re.search(r"\b(malloc|alloca|spad\w*\[|acc\w*\[|own_\w+)", text), name
    header = (project / "image.h").read_text(encoding="utf-8")
    assert re.findall(r"\*(\w+);", header.split("typedef struct")[1].split("}")[0]) == ["dram"]
    if shutil.which("gcc") is None or shutil.which("nm") is None:
        pytest.skip("needs gcc and nm")
    flags = ["-std=c99", "-Os", "-Wall", "-Wextra", "-Werror", "-fstack-usage", "-c"]
    names = ["image", "image_npu", "image_pools"]
    subprocess.run(["gcc", *flags, *(f"{n}.c" for n in names)], cwd=project, check=True)
    listing = subprocess.run(
        ["nm", *(f"{name}.o" for name in names)], cwd=project, check=True, **CAPTURED
    ).stdout
    assert not re.search(r"spad|acc\b", listing)
    usage = (project / "image_npu.su").read_text(encoding="utf-8").split()
    assert int(usage[1]) <= 64 and usage[2] == "static"


def test_the_header_says_the_addresses(project: Path) -> None:
    header = (project / "image.h").read_text(encoding="utf-8")
    assert "#define IMAGE_SPAD_BASE 0xa0000000u\n#define IMAGE_SPAD_START 0\n" in header
    assert "#define IMAGE_ACC_SIZE 512\n" in header
    assert "IMAGE_ACC_ALIGN" not in header


def test_the_memory_map_lists_addresses(project: Path) -> None:
    found = json.loads((project / "image.json").read_text(encoding="utf-8"))
    bases = {pool["name"]: pool["base"] for pool in found["pools"] if "base" in pool}
    assert bases == {"spad": 0xA0000000, "acc": 0xB0000000}
    assert sorted(b["address"] for b in found["buffers"] if "address" in b) == [
        0xA0000000,
        0xB0000000,
    ]


def test_the_self_test_has_the_memory_that_it_needs(project: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")
    sources = sorted(path.name for path in project.glob("*.c"))
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    subprocess.run(["gcc", *flags, *sources, "-o", "selftest"], cwd=project, check=True)
    done = subprocess.run(["./selftest"], cwd=project, check=False, **CAPTURED)
    assert done.stdout == "image: all outputs are as expected\n"


def test_two_models_share_a_memory_by_start(compiled: forebay.Compiled, tmp_path: Path) -> None:
    """The first takes [0xa0000000, 0xa0000080), the second what is behind."""
    moved = MAPPED.replace("base 0xa0000000", "base 0xa0000000 start 128")
    other = compiled_from(moved + PROGRAM, tmp_path)
    pools = compiled.info.pool("spad"), other.info.pool("spad")
    assert [(pool.start, pool.size) for pool in pools] == [(0, 128), (128, 256)]
    assert recorded(other, [IMAGE], "c")[0] == "npu_mvin dram+0 0xa0000080 1 0 0 128"
    results = [network.run(IMAGE) for network in (compiled, other, compiled)]
    np.testing.assert_array_equal(results, [2 * IMAGE.astype(np.int32)] * 3)


def test_an_engine_says_where_no_memory_can_be_had(tmp_path: Path) -> None:
    """Below `vm.mmap_min_addr`; the emulator needs none, and gives the self-test its goldens."""
    network = compiled_from(MAPPED.replace("base 0xa0000000", "base 0x1000") + PROGRAM, tmp_path)
    for engine in ("c", "llvm"):
        with pytest.raises(FixedMemoryError, match=r"pool 'spad': .*0x0, 0x10000.*emulator"):
            network.run(IMAGE, engine=engine)
    np.testing.assert_array_equal(network.run(IMAGE, engine="emulator"), 2 * IMAGE.astype(np.int32))
    assert (network.write(tmp_path / "out") / "image_selftest.c").exists()


def test_what_lies_there_already_is_not_overwritten(compiled: forebay.Compiled) -> None:
    first, refused = FixedMemory(compiled.info.mapped_pools), "something else of this process lies"
    with first.mapped(), pytest.raises(FixedMemoryError, match=refused):
        FixedMemory(compiled.info.mapped_pools)


@pytest.mark.parametrize("fill", ["rom", "at_init", "by_host"])
def test_state_and_constants_at_bases(tmp_path: Path, fill: str) -> None:
    path = tmp_path / "sums.mlir"
    filled = SUMS.replace("base 0xa2000000", f"base 0xa2000000 fill {fill}")
    path.write_text(filled, encoding="utf-8")
    network, x = forebay.compile(path), np.arange(4, dtype=np.int32)
    engines: tuple[Engine, ...] = ("c", "llvm", "emulator")
    for engine in engines:
        network.reset(engine)
        runs = [network.run(x, engine=engine) for _ in range(2)]
        np.testing.assert_array_equal(runs, [[2, 4, 6, 8], [3, 7, 11, 15]])
    project = network.write(tmp_path / "out", internal_pools=True)
    assert "sums_run(const int32_t *a, int32_t *out);" in (project / "sums.h").read_text("utf-8")
    assert (project / "sums_flash.bin").exists()  # for the application, or for the assembler
    assert (project / "sums_weights.c").exists() is (fill == "at_init")
    sources = sorted(path.name for path in project.glob("*.c"))
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-o", "selftest"]
    subprocess.run(["gcc", *flags, *sources], cwd=project, check=True)
    done = subprocess.run(["./selftest"], cwd=project, check=False, **CAPTURED)
    assert done.stdout == "sums: all outputs are as expected\n"


def test_state_may_not_lie_where_its_marker_is(tmp_path: Path) -> None:
    path = tmp_path / "sums.mlir"
    path.write_text(SUMS.replace(" reserved [0, 16]", ""), encoding="utf-8")
    with pytest.raises(CodegenError, match=r"'sum' lies at byte 0 of state pool 'kept', .*reserve"):
        forebay.compile(path).write(tmp_path / "out")
