"""Buffers inside a device are numbers in its instructions, and nothing in the host's memory."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from mlir import ir

import forebay
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.problem.problem import plan_of
from forebay.pipelines import PipelineError
from forebay.pipelines.runner import run_pipeline

from .scratchpad import DEVICE, WHOLE, in_turn

IMAGE = np.arange(-64, 64, dtype=np.int8).reshape(4, 4, 1, 8)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> forebay.Compiled:
    path = tmp_path_factory.mktemp("model") / "image.mlir"
    path.write_text(DEVICE + WHOLE, encoding="utf-8")
    return forebay.compile(path, io="pool")


@pytest.fixture(scope="module")
def project(compiled: forebay.Compiled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("out") / "image"
    compiled.write(directory)
    return directory


def planned(program: str, device: str = DEVICE) -> dict[str, list[int]]:
    """The offsets of the planned buffers by pool."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(device + program)
        run_pipeline(module, "builtin.module(memref-pool-plan,memref-pool-verify-plan)")
        placements = plan_of(module_of(module)).placements.values()
        found: dict[str, list[int]] = {}
        for place in placements:
            found.setdefault(place.pool, []).append(place.offset)
        return found


def test_moves_and_calls_get_constant_addresses_of_rows(project: Path) -> None:
    text = (project / "image_npu.c").read_text(encoding="utf-8")
    body = re.findall(
        r"^    (?:int32_t code = |code = |return )(npu_\w+\(.*\);)$", text, re.MULTILINE
    )
    assert [re.sub(r" /\*.*?\*/", "", line) for line in body] == [
        "npu_mvin(in, 0x00000000u, 1u, 0u, 0u, 128u);",
        "npu_widen(0x00000000u, 0x80000000u, 128);",
        "npu_mvout(0x80000000u, out, 512u);",
    ]


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_all_engines_compute_through_the_device(
    compiled: forebay.Compiled, engine: Literal["c", "llvm", "emulator"]
) -> None:
    found = compiled.run(IMAGE, engine=engine)
    np.testing.assert_array_equal(found, IMAGE.astype(np.int32))


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_rows_may_have_any_size(tmp_path: Path, engine: Literal["c", "llvm", "emulator"]) -> None:
    """Rows of 24 and 100 bytes: an address is a number of rows, whatever their size."""
    device = DEVICE.replace("262144 base 0 unit 16", "240000 align 8 base 5 unit 24")
    device = device.replace(
        "65536 align 64 base 2147483648 unit 64", "64000 align 4 base 7 unit 100"
    )
    path = tmp_path / "image.mlir"
    path.write_text(device + WHOLE, encoding="utf-8")
    compiled = forebay.compile(path, io="pool")
    compiled.write(tmp_path / "image")
    text = (tmp_path / "image" / "image_npu.c").read_text(encoding="utf-8")
    assert re.search(r"npu_widen\(0x00000005u /\*.*?\*/, 0x00000007u", text)
    np.testing.assert_array_equal(compiled.run(IMAGE, engine=engine), IMAGE.astype(np.int32))


def test_a_buffer_between_two_rows_is_refused() -> None:
    """Two buffers of 24 bytes take three rows of 20 each; byte 48 is inside of a row."""
    device = DEVICE.replace("262144 base 0 unit 16", "240000 align 4 base 0 unit 20")
    program = in_turn(384, together=True).replace("384xi8", "24xi8").replace("[24]", "[16]")
    program = program.replace("memref<24xi8, strided", "memref<16xi8, strided")
    program = program.replace("24xi32", "16xi32").replace("n = 24", "n = 16")
    assert sorted(planned(program, device)["spad"]) == [0, 40]
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(device + program)
        run_pipeline(module, "builtin.module(memref-pool-plan)")
        moved = ir.Module.parse(str(module).replace("at <@spad, 40>", "at <@spad, 48>"))
        with pytest.raises(PipelineError, match="not at a multiple of its alignment, 20"):
            run_pipeline(moved, "builtin.module(memref-pool-verify-plan)")


def test_nothing_of_the_device_is_in_the_hosts_memory(project: Path) -> None:
    """Neither in the text, nor in the object's symbols, nor on the stack."""
    sources = [project / "image.c", project / "image_npu.c", project / "image.h"]
    for source in sources:
        text = re.sub(r"/\*.*?\*/", "", source.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"\b(spad|acc|malloc|alloca)\b", text), source.name
    if shutil.which("gcc") is None or shutil.which("nm") is None:
        pytest.skip("needs gcc and nm")
    flags = ["-std=c99", "-Os", "-fstack-usage", "-c"]
    subprocess.run(["gcc", *flags, "image.c", "image_npu.c"], cwd=project, check=True)
    for name in ("image.o", "image_npu.o"):
        listing = subprocess.run(
            ["nm", name], cwd=project, check=True, capture_output=True, text=True
        ).stdout
        data = [line.split()[-1] for line in listing.splitlines() if line.split()[-2] in "bBdDC"]
        # What `image_status_name` returns.
        assert [name for name in data if not name.startswith("names")] == []
    usage = (project / "image_npu.su").read_text(encoding="utf-8").split()
    assert int(usage[1]) <= 64 and usage[2] == "static"


def test_the_header_asks_the_application_for_dram_only(project: Path) -> None:
    text = (project / "image.h").read_text(encoding="utf-8")
    fields = re.search(r"typedef struct[^{]*\{(.*?)\}", text, re.DOTALL)
    assert fields is not None
    assert re.findall(r"\*(\w+);", fields.group(1)) == ["dram"]


def test_the_memory_map_lists_addresses(project: Path) -> None:
    found = json.loads((project / "image.json").read_text(encoding="utf-8"))
    assert {pool["name"]: (pool["base"], pool["row"]) for pool in found["inside"]} == {
        "spad": (0, 16),
        "acc": (0x80000000, 64),
    }
    addresses = [b["address"] for b in found["buffers"] if "address" in b]
    assert sorted(addresses) == [0, 0x80000000]


def test_the_program_for_llvm_has_the_same_numbers(compiled: forebay.Compiled) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(compiled.ir)
        run_pipeline(module, "builtin.module(memref-pool-lower-to-llvm{intrinsics=extern})")
        numbers = {
            ir.IntegerAttr(op.operation.attributes["value"]).value & 0xFFFFFFFF
            for op in ops_nested_in(module.operation)
            if op.operation.name == "arith.constant"
        }
    assert {0, 128, 512, 0x80000000} <= numbers


def test_two_that_live_together_do_not_fit() -> None:
    with pytest.raises(PipelineError) as caught:
        planned(in_turn(163840, together=True))
    assert "327,680" in str(caught.value) and "262,144" in str(caught.value)


def test_two_that_live_in_turn_share_rows() -> None:
    assert planned(in_turn(163840, together=False))["spad"] == [0, 0]


def test_24_bytes_take_two_rows() -> None:
    program = in_turn(384, together=True).replace("384xi8", "24xi8").replace("[24]", "[16]")
    program = program.replace("memref<24xi8, strided", "memref<16xi8, strided")
    program = program.replace("24xi32", "16xi32").replace("n = 24", "n = 16")
    assert sorted(planned(program)["spad"]) == [0, 32]
