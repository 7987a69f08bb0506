"""Two accelerators of one kind: each has its own name, base and pools."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import forebay

SCALE = """
accel.device @{device} kind "npu" base {base}
memref_pool.pool @{device}_mem workspace read [@cpu, @{device}] write [@cpu, @{device}]
accel.intrinsic @{device}.scale on @{device} symbol "npu_scale"
  operands [#accel.operand<name = "x", access = in, pools = [@{device}_mem]>,
            #accel.operand<name = "y", access = out, pools = [@{device}_mem]>]
  scalars ["base", "count", "factor"] {{
^bb0(%x: memref<?xi8>, %y: memref<?xi8>, %base: i32, %count: i32, %factor: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.index_cast %count : i32 to index
  %f = arith.trunci %factor : i32 to i8
  scf.for %i = %c0 to %n step %c1 {{
    %v = memref.load %x[%i] : memref<?xi8>
    %p = arith.muli %v, %f : i8
    memref.store %p, %y[%i] : memref<?xi8>
  }}
  accel.yield
}}
"""

MAIN = """
accel.device @cpu kind "cpu" host
{machines}
func.func @main(%x: tensor<64xi8> {{accel.name = "x"}}) -> (tensor<64xi8> {{accel.name = "y"}}) {{
  %e0 = tensor.empty() : tensor<64xi8>
  %a = accel.call @{first}.scale ins(%x : tensor<64xi8>) outs(%e0 : tensor<64xi8>)
    config {{base = {first_base}, count = 64, factor = 3}} -> tensor<64xi8>
  %e1 = tensor.empty() : tensor<64xi8>
  %b = accel.call @{second}.scale ins(%a : tensor<64xi8>) outs(%e1 : tensor<64xi8>)
    config {{base = {second_base}, count = 64, factor = 5}} -> tensor<64xi8>
  return %b : tensor<64xi8>
}}
"""

BASES = {"npu0": 0x40000000, "npu1": 0x40001000}


def program(first: str, second: str) -> str:
    """x * 3 on one of the two, then * 5 on the other or the same."""
    machines = "".join(SCALE.format(device=device, base=BASES[device]) for device in BASES)
    return MAIN.format(
        machines=machines,
        first=first,
        second=second,
        first_base=BASES[first],
        second_base=BASES[second],
    )


@pytest.mark.parametrize(
    ("first", "second", "sizes"),
    [
        # What lies between is copied from one's memory to the other's.
        ("npu0", "npu1", {"npu0_mem": 128, "npu1_mem": 128}),
        ("npu1", "npu0", {"npu0_mem": 128, "npu1_mem": 128}),
        ("npu1", "npu1", {"npu1_mem": 128}),
    ],
)
def test_each_instance_works_in_its_own_memory(
    tmp_path: Path, first: str, second: str, sizes: dict[str, int]
):
    model = tmp_path / "two.mlir"
    model.write_text(program(first, second))
    compiled = forebay.compile(model)
    peaks = {c.pool: c.peak for c in compiled.plan.certificates if c.peak}
    assert peaks == sizes
    data = np.arange(-32, 32, dtype=np.int8)
    assert np.array_equal(compiled.run(data), (data * np.int8(15)).astype(np.int8))
    assert np.array_equal(compiled.run(data, engine="emulator"), data * np.int8(15))


def test_the_instances_share_the_function_and_not_the_base(tmp_path: Path):
    model = tmp_path / "two.mlir"
    model.write_text(program("npu0", "npu1"))
    directory = forebay.compile(model).write(tmp_path / "out")
    assert "npu_scale(" in (directory / "two_npu0.c").read_text()
    assert str(BASES["npu0"]) in (directory / "two_npu0.c").read_text()
    assert str(BASES["npu1"]) not in (directory / "two_npu0.c").read_text()
    assert str(BASES["npu1"]) in (directory / "two_npu1.c").read_text()
    assert (directory / "two_intrinsics.h").read_text().count("int32_t npu_scale(") == 1
    pools = {pool["name"] for pool in json.loads((directory / "two.json").read_text())["pools"]}
    assert pools == {"npu0_mem", "npu1_mem"}
