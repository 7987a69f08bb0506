"""Devices with handles: who is given them, and that a call says which instance it means."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import numpy as np
import pytest
from common.programs.two_devices import TEXT, X, planned, reference
from common.toolchain import STRICT_C99
from mlir import ir
from msgspec import structs

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.codegen.project.project import project_files, write_project
from forebay.emulator.compiled.c_machine import CheckedEngine
from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine
from forebay.errors import Error
from forebay.network.errors import EmissionError

HANDLES = TEXT.replace("base 1073741824", "base 1073741824 handle").replace(
    "base 1073745920", "base 1073745920 handle"
)
LOCAL = """
accel.device @cpu kind "cpu" host
accel.device @npu0 kind "npu" handle
accel.device @npu1 kind "npu" handle
memref_pool.pool @dram workspace
memref_pool.pool @spad0 workspace local capacity 64 align 16 unit 16 read [@npu0] write [@npu0]
memref_pool.pool @spad1 workspace local capacity 64 align 16 unit 16 read [@npu1] write [@npu1]
accel.queue @npu0.load on @npu0 symbol "npu_load" depth 2
accel.queue @npu1.load on @npu1 symbol "npu_load" depth 2
accel.transfer @npu0.mvin on @npu0 symbol "npu_mvin" from [@dram] to [@spad0] rank 1 queue @npu0.load
accel.transfer @npu1.mvin on @npu1 symbol "npu_mvin" from [@dram] to [@spad1] rank 1 queue @npu1.load
accel.transfer @npu0.mvout on @npu0 symbol "npu_mvout" from [@spad0] to [@dram] rank 1
accel.transfer @npu1.mvout on @npu1 symbol "npu_mvout" from [@spad1] to [@dram] rank 1
func.func @main(%x: memref<16xi8, #memref_pool.space<@dram>> {accel.name = "x"},
                %y: memref<16xi8, #memref_pool.space<@dram>> {accel.name = "y"},
                %p: memref<16xi8, #memref_pool.space<@dram>> {accel.name = "p", bufferize.result},
                %q: memref<16xi8, #memref_pool.space<@dram>> {accel.name = "q", bufferize.result}) {
  %a = memref_pool.alloc : memref<16xi8, #memref_pool.space<@spad0>>
  %b = memref_pool.alloc : memref<16xi8, #memref_pool.space<@spad1>>
  %t = accel.start @npu0.mvin %x into %a : memref<16xi8, #memref_pool.space<@dram>>, memref<16xi8, #memref_pool.space<@spad0>>
  %u = accel.start @npu1.mvin %y into %b : memref<16xi8, #memref_pool.space<@dram>>, memref<16xi8, #memref_pool.space<@spad1>>
  accel.wait %t
  accel.wait %u
  accel.move @npu0.mvout %a into %p : memref<16xi8, #memref_pool.space<@spad0>>, memref<16xi8, #memref_pool.space<@dram>>
  accel.move @npu1.mvout %b into %q : memref<16xi8, #memref_pool.space<@spad1>>, memref<16xi8, #memref_pool.space<@dram>>
  return
}
"""  # noqa: E501
ONE, OTHER = np.arange(16, dtype=np.int8), -np.arange(16, dtype=np.int8)


def test_a_function_is_given_the_handles_that_it_uses(context: ir.Context) -> None:
    files = project_files(*planned(HANDLES))
    assert "void net_mul_1(const int8_t *in, int8_t *out, struct npu *npu0)" in files[
        "net_npu0.c"
    ].replace("int32_t net", "void net")
    assert "return npu_scale(npu0, in, out, 8, 2, 0);" in files["net_npu0.c"]
    assert "return npu_dense(npu1, in, out, w, 3, 8);" in files["net_npu1.c"]
    assert "devices == NULL || devices->npu0 == NULL || devices->npu1 == NULL" in files["net.c"]
    assert "struct npu *npu0;\n    struct npu *npu1;\n} net_devices;" in files["net.h"]
    assert "(struct npu *device, const int8_t *x, int8_t *y," in files["net_intrinsics.h"]


def test_the_order_of_handles_does_not_depend_on_names(context: ir.Context) -> None:
    text = HANDLES.replace("@npu0", "@zebra")
    members = "struct npu *zebra;\n    struct npu *npu1;\n} net_devices;"
    assert members in project_files(*planned(text))["net.h"]


@pytest.mark.parametrize("engine", [CEngine, LlvmEngine])
def test_engines_hand_handles_over(context: ir.Context, engine: type) -> None:
    np.testing.assert_array_equal(engine(*planned(HANDLES)).run([X])[0], reference(X))


@pytest.mark.parametrize("through", ["c", "llvm"])
def test_the_machine_knows_which_instance_is_meant(context: ir.Context, through: str) -> None:
    checked = CheckedEngine(*planned(HANDLES), through=through)  # pyright: ignore[reportArgumentType]
    np.testing.assert_array_equal(checked.run([X])[0], reference(X))
    assert checked.report.calls == {"@npu0.scale": 1, "@npu1.scale": 1, "@npu1.dense": 1}


@pytest.mark.parametrize("through", ["c", "llvm"])
def test_instances_keep_their_own_memories(context: ir.Context, through: str) -> None:
    """Both scratchpads begin at address 0; in the references, too."""
    network = planned(LOCAL)
    network = network[0], dataclasses.replace(network[1], golden=())
    engine = {"c": CEngine, "llvm": LlvmEngine}[through](*network)
    checked = CheckedEngine(*network, through=through)  # pyright: ignore[reportArgumentType]
    for runner in (engine, checked):
        outputs = runner.run([ONE, OTHER])
        np.testing.assert_array_equal(outputs[0], ONE)
        np.testing.assert_array_equal(outputs[1], OTHER)
    assert checked.report.moved["@npu1.mvin", "@spad1"] == 16


def test_without_handles_such_addresses_are_refused(context: ir.Context) -> None:
    module, model = planned(LOCAL.replace(" handle", ""))
    with pytest.raises(EmissionError, match="not the device that is meant; give the devices han"):
        project_files(module, model)
    with pytest.raises(Error, match="the device that is meant; give the devices handles"):
        LlvmEngine(module, model)


@pytest.mark.parametrize("text", [HANDLES, LOCAL])
def test_selftest_runs_on_the_references(context: ir.Context, tmp_path: Path, text: str) -> None:
    module, model = planned(text)
    if text == LOCAL:
        step = structs.replace(model.golden[0], inputs=(ONE, OTHER), outputs=(ONE, OTHER))
        model = dataclasses.replace(model, golden=(step,))
    directory = write_project(module, model, tmp_path / "out")
    sources = sorted(path.name for path in directory.glob("*.c"))
    subprocess.run(["gcc", *STRICT_C99, *sources, "-o", "selftest"], cwd=directory, check=True)
    assert subprocess.run(["./selftest"], cwd=directory, check=False).returncode == 0
