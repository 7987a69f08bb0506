"""A copy that a program writes itself, in any form, becomes the target's own transfer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import forebay
from forebay.pipelines import PipelineError

TARGET = """
from forebay.targets import Device, Pool, Target, Transfer

CPU = Device("cpu", kind="cpu", host=True)
NPU = Device(
    "npu",
    kind="npu",
    transfers=(
        Transfer("mvin", "npu_mvin", ("dram",), ("spad",), rank=RANK, latency=20, bandwidth=16),
        MVOUT
    ),
)
DRAM = Pool("dram", "workspace", readers=("cpu",), writers=("cpu",))
SPAD = Pool(
    "spad", "workspace", 262144, base=0, unit=16, local=True, readers=("npu",), writers=("npu",)
)
TARGET = Target("npu", devices=(CPU, NPU), pools=(DRAM, SPAD))
"""
MVOUT = 'Transfer("mvout", "npu_mvout", ("spad",), ("dram",), rank=RANK),'

T = "tensor<4x4x1x8xi8>"
EMPTY = f"%NAME = tensor.empty() : {T}"
COPY = f"%TO = linalg.copy ins(%FROM : {T}) outs(%INTO : {T}) -> {T}"
GENERIC = f"""%TO = linalg.generic {{indexing_maps = [#id, #id],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
    ins(%FROM : {T}) outs(%INTO : {T}) {{
  ^bb0(%x: i8, %y: i8):
    linalg.yield %x : i8
  }} -> {T}"""
PLACED = f"%TO = bufferization.materialize_in_destination %FROM in %INTO : ({T}, {T}) -> {T}"
LOOPS = f"""%TO = scf.for %i = %c0 to %c4 step %c1 iter_args(%o = %INTO) -> ({T}) {{
    %p = scf.for %j = %c0 to %c4 step %c1 iter_args(%q = %o) -> ({T}) {{
      %r = scf.for %k = %c0 to %c1 step %c1 iter_args(%s = %q) -> ({T}) {{
        %t = scf.for %l = %c0 to %c8 step %c1 iter_args(%u = %s) -> ({T}) {{
          %v = tensor.extract %FROM[%i, %j, %k, %l] : {T}
          %n = tensor.insert %v into %u[%i, %j, %k, %l] : {T}
          scf.yield %n : {T}
        }}
        scf.yield %t : {T}
      }}
      scf.yield %r : {T}
    }}
    scf.yield %p : {T}
  }}"""
FORMS = {"copy": COPY, "generic": GENERIC, "materialize": PLACED, "loops": LOOPS}
IMAGE = np.arange(-64, 64, dtype=np.int8).reshape(4, 4, 1, 8)


def program(form: str) -> str:
    """`A` into the scratchpad as `A_buf`, and out again, each by a copy of the form."""

    def copy(source: str, into: str, to: str) -> str:
        return form.replace("FROM", source).replace("INTO", into).replace("%TO", f"%{to}")

    return f"""
#id = affine_map<(i, j, k, l) -> (i, j, k, l)>
func.func @main(%a: {T} {{accel.name = "A"}}) -> ({T} {{accel.name = "out"}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() {{memref_pool.candidates = #memref_pool.space<@spad>}} : {T}
  {copy("a", "e", "buf")}
  %f = tensor.empty() : {T}
  {copy("buf", "f", "moved")}
  return %moved : {T}
}}
"""


def compiled(
    directory: Path,
    form: str,
    io: Literal["caller", "pool"] = "pool",
    mvout: str = MVOUT,
    rank: int = 2,
) -> forebay.Compiled:
    target, model = directory / "machine.py", directory / "net.mlir"
    target.write_text(TARGET.replace("MVOUT", mvout).replace("RANK", str(rank)), "utf-8")
    model.write_text(program(form), "utf-8")
    return forebay.compile(model, target=str(target), io=io)


@pytest.mark.parametrize("form", FORMS)
def test_a_copy_is_a_transfer_in_every_engine(form: str, tmp_path: Path) -> None:
    found = compiled(tmp_path, FORMS[form])
    assert found.plan.peak("spad") == found.plan.peak("dram") == IMAGE.size
    assert [(c.source, c.target, c.bytes, c.why) for c in found.plan.copies] == [
        ("dram", "spad", 128, "@npu.mvin"),
        ("spad", "dram", 128, "@npu.mvout"),
    ]
    for engine in ("emulator", "c", "llvm"):
        np.testing.assert_array_equal(found.run(IMAGE, engine=engine), IMAGE)
    directory = tmp_path / "out"
    found.write(directory)
    text = (directory / "net_npu.c").read_text("utf-8")
    assert re.findall(r"npu_\w+\(.*\);$", re.sub(r" /\*.*?\*/", "", text), re.MULTILINE) == [
        "npu_mvin(in, 0x00000000u, 1u, 0u, 0u, 128u);",
        "npu_mvout(0x00000000u, out, 1u, 0u, 0u, 128u);",
    ]
    assert not re.search(r"\bfor\b|memcpy", text)


def test_the_callers_memory_goes_through_the_pool_that_transfers_reach(tmp_path: Path) -> None:
    found = compiled(tmp_path, COPY, io="caller")
    ways = [(copy.source, copy.target) for copy in found.plan.copies]
    assert ways == [("", "dram"), ("dram", "spad"), ("spad", "dram"), ("dram", "")]
    for engine in ("emulator", "c", "llvm"):
        np.testing.assert_array_equal(found.run(IMAGE, engine=engine), IMAGE)


@pytest.mark.parametrize("form", FORMS)
def test_without_a_transfer_it_is_an_error_at_its_line(form: str, tmp_path: Path) -> None:
    text = program(FORMS[form]).splitlines()
    line = next(number for number, each in enumerate(text, 1) if "%moved =" in each)
    with pytest.raises(PipelineError, match=rf"net.mlir:{line}:.*no transfer moves from @spad"):
        compiled(tmp_path, FORMS[form], mvout="")
