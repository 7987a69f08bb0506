"""Registers of a device: into MLIR and back, and mistakes at their lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlir import ir

from forebay import targets
from forebay.api.target import Device, Intrinsic, Operand, Pool, Register, Target

# The first intrinsic is described at line 3.
SOURCE = """\
from forebay.api.target import Device, Intrinsic, Operand, Pool, Register, Target

SET = Intrinsic("set", "npu_set", (), scalars=("n",), sets="mode")
RUN = Intrinsic("run", "npu_run", (Operand("x", "in"),), needs=("mode", "sum"), sets=("sum",))
MODE, SUM = Register("mode", 4), Register("sum", 100)
NPU = Device("npu", kind="npu", intrinsics=(SET, RUN), registers=(MODE, SUM))
TARGET = Target("npu", (Device("cpu", kind="cpu", host=True), NPU), (Pool("ram"),))
"""

MISTAKES = {
    "3: operand 'mode' of 'npu.set' must be in 'mode', which is none of the pools ram, speed, "
    "sum": (
        'Register("mode", 4)',
        'Register("speed", 4)',
    ),
    "5: target 'npu' with its device 'npu' has the name 'ram' twice": (
        "MODE, SUM =",
        'MODE, SUM, RAM = *(Register("mode", 4), Register("sum", 100)), Register("ram", 4) #',
    ),
    "5: 'memref_pool.pool' op capacity must be positive, but is 0": ('"sum", 100', '"sum", 0'),
    "4: 'accel.intrinsic' op operand 'x' names the register @npu.sum beside other pools, but a "
    "register has no address by which the device could tell them apart": (
        'Operand("x", "in")',
        'Operand("x", "in", ("ram", "sum"))',
    ),
}


def _written(folder: Path, before: str = "", after: str = "") -> None:
    assert before in SOURCE
    source = SOURCE.replace(before, after) if before else SOURCE
    if "RAM" in source:
        source = source.replace("registers=(MODE, SUM)", "registers=(MODE, SUM, RAM)")
    (folder / "npu.py").write_text(source, encoding="utf-8")


def test_registers_read_back_equal_from_mlir(tmp_path: Path) -> None:
    _written(tmp_path)
    target = targets.load(str(tmp_path / "npu.py"))
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            targets.attach(target)
        back = targets.from_module(module.operation, target.name)
        names = [ir.StringAttr(op.attributes["sym_name"]).value for op in module.body.operations]
    assert (back.devices, back.pools) == (target.devices, target.pools)
    assert set(targets.symbols(target)) == set(names)
    assert {"npu.mode", "npu.sum"} <= set(names)


def test_needed_registers_are_operands_before_those_that_are_set() -> None:
    run = Intrinsic("run", "f", (Operand("x", "in"),), needs=("mode", "sum"), sets=("sum", "out"))
    assert [(o.name, o.access, o.pools) for o in run.operands[1:]] == [
        ("mode", "in", ("mode",)),
        ("sum", "inout", ("sum",)),
        ("out", "out", ("out",)),
    ]


def test_a_register_is_a_pool_of_its_device_only() -> None:
    npu = Device("npu", kind="npu", registers=(Register("mode", 6),))
    target = Target("npu", (Device("cpu", kind="cpu", host=True), npu), (Pool("ram"),))
    _, mode = target.memories
    assert (mode.name, mode.capacity, mode.unit, mode.local) == ("npu.mode", 6, 6, True)
    assert (mode.readers, mode.writers) == (("npu",), ("npu",))


@pytest.mark.parametrize("message", MISTAKES)
def test_a_mistake_is_reported_at_its_line(
    message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _written(tmp_path, *MISTAKES[message])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(targets.TargetError) as caught:
        targets.load("./npu.py")
    assert str(caught.value) == f"npu.py:{message}"
