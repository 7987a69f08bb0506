"""`<m>_wrappers.c`: intrinsics as calls of a library, beside the network and its references."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import forebay
from forebay.targets import TargetError, from_module, load

TARGET = """
from forebay.api.operators import is_int8, shape_of
from forebay.api.target import Device, Int8, Intrinsic, Operand, Pattern, Pool, Queue, Target
from forebay.api.target import TypedPointer, Wrapper, loop
from mlir.dialects import tosa


def invert(x: TypedPointer[Int8], y: TypedPointer[Int8], count):
    for i in loop(count):
        y[i] = ~x[i]


def build(view, emit):
    rows, columns = shape_of(view.source)
    return emit.call(f"invert{rows}", view.source, out=view.result.type, count=rows * columns)


def intrinsic(name, symbol, body, queue=None):
    operands = (Operand("x", "in"), Operand("y", "out"))
    wrapper = Wrapper(body, ("lib.h", "<string.h>"))
    return Intrinsic(name, symbol, operands, ("count",), invert, queue=queue, wrapper=wrapper)


CONDITIONS = (("int8", lambda view: is_int8(view.source)),)


def target(form="lib_invert", queue=0):
    body = f"const struct lib_span span = {{x, count}};\\nreturn {form}(&span, y);"
    both = ("cpu", "lib")
    kernels = (
        intrinsic("invert2", "wrap_invert", body, "run" if queue else None),
        intrinsic("invert3", "wrap_other", "return 7;"),
    )
    return Target(
        "lib",
        (
            Device("cpu", kind="cpu", host=True),
            Device("lib", "lib", intrinsics=kernels, queues=(Queue("run", "lib", depth=2),)),
        ),
        (
            Pool("ram", readers=both, writers=both),
            Pool("rom", "constant", readers=both),
        ),
        (Pattern("invert", "lib", tosa.BitwiseNotOp, build, CONDITIONS),),
    )
"""
LIBRARY = """
#include <stdint.h>
struct lib_span {
  const int8_t *data;
  int32_t count;
};
static inline int32_t lib_invert(const struct lib_span *x, int8_t *y) {
  for (int32_t i = 0; i < x->count; ++i) {
    y[i] = (int8_t)~x->data[i];
  }
  return 0;
}
static inline int32_t lib_refuse(const struct lib_span *x, int8_t *y) {
  return x->data == y ? 0 : -5;
}
"""
CMAKE = """
cmake_minimum_required(VERSION 3.13)
project(app C)
set(NET_INTRINSICS "net_wrappers")
add_subdirectory(net)
target_include_directories(net_wrappers PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
add_executable(app net/net_selftest.c)
target_link_libraries(app net net_wrappers)
"""


def network(directory: Path, rows: str, parameters: str = "") -> forebay.Compiled:
    (directory / "lib.py").write_text(TARGET)
    lines = [f"func.func @main(%x: tensor<{rows}xi8> {{accel.name = 'x'}})".replace("'", '"')]
    lines.append(f'-> (tensor<{rows}xi8> {{accel.name = "y"}}) {{')
    lines.append(f"%y = tosa.bitwise_not %x : (tensor<{rows}xi8>) -> tensor<{rows}xi8>")
    lines.append(f"return %y : tensor<{rows}xi8> }}")
    (directory / "net.mlir").write_text("\n".join(lines))
    return forebay.compile(directory / "net.mlir", target=f"{directory / 'lib.py'}{parameters}")


@pytest.mark.parametrize(("form", "result"), [("lib_invert", 0), ("lib_refuse", 1)])
def test_the_self_test_runs_on_the_library(form: str, result: int, tmp_path: Path) -> None:
    found = network(tmp_path, "2x3", f":form={form}")
    x = np.arange(6, dtype=np.int8).reshape(2, 3)
    np.testing.assert_array_equal(found.run(x), ~x)  # by the reference
    found.write(tmp_path / "net")
    (tmp_path / "lib.h").write_text(LIBRARY)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    build = tmp_path / "build"
    for command in (["cmake", "-S", tmp_path, "-B", build], ["cmake", "--build", build]):
        subprocess.run(command, capture_output=True, check=True)
    done = subprocess.run([build / "app"], capture_output=True, text=True, check=False)
    assert done.returncode == result
    assert ("-5" in done.stdout + done.stderr) == (form == "lib_refuse")


def test_the_text_of_the_file(tmp_path: Path) -> None:
    found = network(tmp_path, "2x3")
    text = (found.write(tmp_path / "net") / "net_wrappers.c").read_text()
    generated, text = text.split("\n", 1)
    assert generated.endswith("from net with --target lib.py; do not edit. */")
    assert text == (
        "/* The functions of devices that net calls, as calls of a library. */\n"
        '#include "net_intrinsics.h"\n\n'
        '#include "lib.h"\n#include <string.h>\n\n'
        "int32_t wrap_invert(const int8_t *x, int8_t *y, int32_t count)\n"
        "{\n"
        "    const struct lib_span span = {x, count};\n"
        "    return lib_invert(&span, y);\n"
        "}\n"
    )
    header = (tmp_path / "net" / "net_intrinsics.h").read_text()
    assert "net_wrappers.c defines them as calls of a library. */" in header


def test_a_wrapper_is_part_of_the_target_as_mlir(tmp_path: Path) -> None:
    found = network(tmp_path, "2x3")
    with found.planned.context:
        back = from_module(found.planned, "lib")
    own = load(f"{tmp_path / 'lib.py'}").devices[1].intrinsics
    assert [it.wrapper for it in back.devices[1].intrinsics] == [it.wrapper for it in own]


def test_a_wrapper_has_no_queue(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text(TARGET)
    with pytest.raises(TargetError, match=r"lib\.py:\d+: 'invert2' has a wrapper and a queue, but"):
        load(f"{tmp_path / 'lib.py'}:queue=1")
