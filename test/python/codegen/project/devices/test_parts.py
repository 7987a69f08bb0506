"""Networks that call devices: translation units, prototypes, and the references as C."""

from __future__ import annotations

import ctypes
import dataclasses
import subprocess
from pathlib import Path

import numpy as np
import pytest
from common.models.golden_c import assert_golden
from common.programs.two_devices import TEXT, Network, X, planned, reference
from common.toolchain import SANITIZERS, STRICT_C99, require_sanitizers
from mlir import ir

import forebay.passes  # noqa: F401  (registers)
from forebay.codegen.project.project import project_files, write_project
from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine
from forebay.errors import Error
from forebay.network.errors import CodegenError, EmissionError
from forebay.network.model import ModelInfo, Port


@pytest.fixture
def network(context: ir.Context) -> Network:
    return planned()


@pytest.mark.parametrize(
    "name",
    ["net.c", "net_npu0.c", "net_npu1.c", "net_parts.h", "net_intrinsics.h", "net_reference.c"],
)
def test_golden_files(network: Network, name: str) -> None:
    assert_golden(project_files(*network), name)


def test_c_computes_what_numpy_computes(network: Network) -> None:
    engine = CEngine(*network)
    for x in np.random.default_rng(0).integers(-60, 60, (8, 8), np.int8):
        np.testing.assert_array_equal(engine.run([x])[0], reference(x))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_selftest_runs_on_the_references(network: Network, tmp_path: Path, compiler: str) -> None:
    directory = write_project(*network, tmp_path / "out")
    sources = sorted(path.name for path in directory.glob("*.c"))
    command = [require_sanitizers(compiler), *STRICT_C99, *SANITIZERS, *sources, "-o", "selftest"]
    subprocess.run(command, cwd=directory, check=True)
    done = subprocess.run(
        ["./selftest"], cwd=directory, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "net: all outputs are as expected\n")


def test_cmake_links_the_references_to_the_selftest_alone(network: Network, tmp_path: Path) -> None:
    directory = write_project(*network, tmp_path / "out")
    build = tmp_path / "build"
    for command in (["cmake", "-S", directory, "-B", build], ["cmake", "--build", build]):
        subprocess.run(command, capture_output=True, check=True)
    assert subprocess.run([build / "net_selftest"], check=False).returncode == 0
    listed = subprocess.run(
        ["nm", build / "libnet.a"], capture_output=True, text=True, check=True
    ).stdout
    undefined = {line.split()[-1] for line in listed.splitlines() if " U npu_" in line}
    assert undefined == {"npu_scale", "npu_dense"}
    assert " T npu_" not in listed


def test_a_driver_takes_the_place_of_the_references(network: Network, tmp_path: Path) -> None:
    driver = tmp_path / "driver.c"
    driver.write_text("""
#include <stdint.h>
int32_t npu_scale(const int8_t *x, int8_t *y, int32_t count, int32_t numerator, int32_t shift)
{
    (void)x, (void)y, (void)count, (void)numerator, (void)shift;
    return 0;
}
int32_t npu_dense(const int8_t *x, int32_t *sum, const int8_t *w, int32_t rows, int32_t columns)
{
    for (int32_t i = 0; i < rows; ++i) {
        sum[i] += columns + w[0] + (x != 0);
    }
    return 0;
}
""")
    engine = CEngine(*network, intrinsics=[driver])
    assert engine.run([X])[0].tolist() == [10, 10, 10]  # 8 columns, a weight of 1, and 1


def test_a_device_without_a_reference_cannot_be_run_here(context: ir.Context) -> None:
    start, end = TEXT.index('["rows", "columns"] {'), TEXT.index("memref.global")
    module, model = planned(TEXT[:start] + '["rows", "columns"]\n' + TEXT[end:])
    with pytest.raises(CodegenError, match="intrinsic 'npu_dense' has no reference"):
        CEngine(module, model)
    files = project_files(module, model)
    assert "int32_t npu_scale(" in files["net_reference.c"]
    assert "npu_dense" not in files["net_reference.c"]
    assert 'set(NET_INTRINSICS "" CACHE STRING' in files["CMakeLists.txt"]


def test_one_symbol_has_one_prototype(context: ir.Context) -> None:
    module, model = planned(TEXT.replace('symbol "npu_dense"', 'symbol "npu_scale"'))
    with pytest.raises(EmissionError, match="give one of them a symbol of its own"):
        project_files(module, model)


def test_a_reference_writes_only_what_it_says(context: ir.Context) -> None:
    text = TEXT.replace("memref.store %narrow, %y[%i]", "memref.store %narrow, %x[%i]")
    with pytest.raises(EmissionError, match="writes to 'x', which the intrinsic only reads"):
        project_files(*planned(text))


def test_an_application_links_two_networks_with_one_driver(
    network: Network, tmp_path: Path
) -> None:
    module, model = network
    sources: list[str] = []
    for name in ("first", "second"):
        info = dataclasses.replace(model, name=name, golden=())
        directory = write_project(module, info, tmp_path / name)
        sources += [str(p) for p in directory.glob("*.c") if p.name != "second_reference.c"]
    main = tmp_path / "main.c"
    main.write_text("int main(void)\n{\n    return 0;\n}\n")
    subprocess.run(
        ["cc", *STRICT_C99, str(main), *sources, "-o", str(tmp_path / "main")], check=True
    )


def test_llvm_runs_the_references(network: Network) -> None:
    engine = LlvmEngine(*network)
    for x in np.random.default_rng(1).integers(-60, 60, (8, 8), np.int8):
        np.testing.assert_array_equal(engine.run([x])[0], reference(x))


def test_llvm_calls_whatever_provides_a_symbol(network: Network) -> None:
    """The operands arrive as the addresses of their first bytes, the scalars behind them."""
    seen: list[tuple[str, list[int], tuple[int, ...]]] = []

    def scale(x: int, y: int, count: int, numerator: int, shift: int) -> int:
        given = np.ctypeslib.as_array(ctypes.cast(x, ctypes.POINTER(ctypes.c_int8)), (count,))
        seen.append(("scale", given.tolist(), (y % 16, numerator, shift)))
        ctypes.memset(y, 3, count)
        return 0

    def dense(x: int, sum_: int, w: int, rows: int, columns: int) -> int:
        given = np.ctypeslib.as_array(ctypes.cast(x, ctypes.POINTER(ctypes.c_int8)), (columns,))
        weights = np.ctypeslib.as_array(ctypes.cast(w, ctypes.POINTER(ctypes.c_int8)), (rows,))
        seen.append(("dense", given.tolist(), (*weights.tolist(), rows)))
        ctypes.memset(sum_, 1, 4 * rows)
        return 0

    one = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 2, *[ctypes.c_int32] * 3)
    other = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3, *[ctypes.c_int32] * 2)
    engine = LlvmEngine(*network, intrinsics={"npu_scale": one(scale), "npu_dense": other(dense)})
    assert engine.run([X])[0].tolist() == [0x01010101] * 3
    assert seen == [
        ("scale", (X + 1).tolist(), (0, 2, 0)),
        ("scale", [3] * 8, (0, 1, 1)),
        ("dense", [3] * 8, (1, 2, 3, 3)),
    ]


def test_llvm_needs_references_or_functions(context: ir.Context) -> None:
    start, end = TEXT.index('["rows", "columns"] {'), TEXT.index("memref.global")
    network = planned(TEXT[:start] + '["rows", "columns"]\n' + TEXT[end:])
    with pytest.raises(Error, match=r"intrinsic @npu1\.dense has no reference"):
        LlvmEngine(*network)


def test_files_of_devices_have_names_of_their_own(context: ir.Context) -> None:
    """A device may be called as another file of the project, or as no identifier can be."""
    text = TEXT.replace("@weights", "@w").replace("@npu0", "@weights")
    for name in ("scale", "dense"):
        text = text.replace(f"@npu1.{name}", f'@"big.NPU.{name}"')
    text = text.replace("@npu1", '@"big.NPU"')
    network = planned(text)
    names = {name for name in project_files(*network) if name.endswith(".c")}
    assert {"net_weights.c", "net_weights2.c", "net_big_npu.c"} <= names
    np.testing.assert_array_equal(CEngine(*network).run([X])[0], reference(X))


def test_a_function_that_host_and_device_call_is_shared(context: ir.Context) -> None:
    text = """
    accel.device @cpu kind "cpu" host
    accel.device @npu kind "npu"
    func.func private @copy(%x: memref<4xi8>, %y: memref<4xi8>) {
      memref.copy %x, %y : memref<4xi8> to memref<4xi8>
      return
    }
    func.func private @on_npu(%x: memref<4xi8>, %y: memref<4xi8>) attributes {accel.on = @npu} {
      call @copy(%x, %y) : (memref<4xi8>, memref<4xi8>) -> ()
      return
    }
    func.func @main(%x: memref<4xi8>, %y: memref<4xi8>, %z: memref<4xi8>) {
      call @copy(%x, %y) : (memref<4xi8>, memref<4xi8>) -> ()
      call @on_npu(%y, %z) : (memref<4xi8>, memref<4xi8>) -> ()
      return
    }
    """
    x, *outputs = (Port(name, "int8", (4,)) for name in "xyz")
    network = ir.Module.parse(text), ModelInfo("net", (x,), tuple(outputs), (), "00" * 32)
    files = project_files(*network)
    assert "void net_copy(const int8_t *in, int8_t *out);" in files["net_parts.h"]
    assert "    net_copy(in, out);" in files["net_npu.c"]
    value = np.arange(4, dtype=np.int8)
    assert all((y == value).all() for y in CEngine(*network).run([value]))


def test_a_reference_may_leave_what_it_could_write(context: ir.Context) -> None:
    text = TEXT.replace("memref.store %narrow, %y[%i] : memref<?xi8>", "")
    network = planned(text)
    assert (
        "int32_t npu_scale(const int8_t *x, int8_t *y,"
        in project_files(*network)["net_reference.c"]
    )
    assert CEngine(*network).run([X])[0].shape == (3,)


def test_a_pool_at_a_base_is_constant_addresses(context: ir.Context, tmp_path: Path) -> None:
    """At 0x20000010 a buffer that is aligned to 64 lies at byte 48, in C and in LLVM."""
    text = TEXT.replace("@act_mem workspace", "@act_mem workspace align 16 base 0x20000010")
    text = text.replace("pools = [@act_mem], align = 16", "pools = [@act_mem], align = 64")
    module, model = planned(text)
    files = project_files(module, model)
    assert "#define NET_ACT_MEM_BASE 0x20000010u" in files["net.h"]
    assert "act_mem" not in files["net_pools.c"]
    assert "uint8_t *const act_mem = (uint8_t *)(uintptr_t)NET_ACT_MEM_BASE;" in files["net.c"]
    assert "(act_mem + 48)" in files["net_npu0.c"]
    addresses: list[int] = []

    def scale(x: int, y: int, count: int, numerator: int, shift: int) -> int:
        addresses.append(y)
        return 0

    def dense(x: int, sum_: int, w: int, rows: int, columns: int) -> int:
        addresses.append(sum_)
        return 0

    one = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 2, *[ctypes.c_int32] * 3)
    other = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3, *[ctypes.c_int32] * 2)
    LlvmEngine(module, model, {"npu_scale": one(scale), "npu_dense": other(dense)}).run([X])
    assert addresses[0] == 0x2000_0040
    np.testing.assert_array_equal(CEngine(module, model).run([X])[0], reference(X))
    directory = write_project(module, model, tmp_path / "out")
    sources = sorted(path.name for path in directory.glob("*.c"))
    subprocess.run(["cc", *STRICT_C99, *sources, "-o", "selftest"], cwd=directory, check=True)
    assert subprocess.run(["./selftest"], cwd=directory, check=False).returncode == 0
