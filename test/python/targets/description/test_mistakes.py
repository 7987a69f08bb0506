"""Mistakes in a target's file are reported at the line that made them, and by no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from common.loaded_commands import run_forebay

from forebay import targets

# Line 1 is the import; `sram` is described at line 22.
SOURCE = '''\
from forebay.ir import fused
from forebay.targets import Device, Intrinsic, Operand, Pattern, Pool, Target

REFERENCE = """
func.func @scale(%x: memref<?xi8>, %y: memref<?xi8>, %count: i32) {
  return
}
"""
SCALE = Intrinsic(
    "scale",
    "npu_scale",
    (
        Operand("x", "in", ("sram",)),
        Operand("y", "out"),
    ),
    scalars=("count",),
    reference=REFERENCE,
    pools={"out": "sram"},
)
CPU = Device("cpu", kind="cpu", host=True)
NPU = Device("npu", kind="npu", intrinsics=(SCALE,))
SRAM = Pool("sram", "workspace", readers=("cpu", "npu"), writers=("cpu",))
FLASH = Pool("flash", "constant")
SUM = Pattern("sum", device="npu", of=fused.Add, build=lambda view, emit: view.source)
TARGET = Target("npu", devices=(CPU, NPU), pools=(SRAM, FLASH), patterns=(SUM,))
'''

MISTAKES = {
    "13: operand 'x' of 'npu.scale' must be in 'srma', which is none of the pools sram, flash": (
        ('("x", "in", ("sram",))', '("x", "in", ("srma",))'),
    ),
    "9: operand 'y' of 'npu.scale' must be in 'srma', which is none of the pools sram, flash": (
        ('"out": "sram"', '"out": "srma"'),
    ),
    "9: operand 'y' of 'npu.scale' is written, but may only be in pools of constants: flash": (
        ('"out": "sram"', '"out": "flash"'),
    ),
    "13: operand 'x' of 'npu.scale' may be in no pool at all": (('("sram",)', "()"),),
    "14: operand 'y' of 'npu.scale' is written, but 'npu' may write no pool": (
        ('"out": "sram"', '"in": "sram"'),
    ),
    "13: operand 'x' of 'npu.scale' is read, but 'npu' may read no pool": (
        ('"x", "in", ("sram",)', '"x", "in"'),
        ('("cpu", "npu")', '("cpu",)'),
        ('("flash", "constant")', '("flash", "constant", readers=("cpu",))'),
    ),
    "14: operand 'y' has the access 'output'; it is one of in, out, inout": (
        ('"y", "out"', '"y", "output"'),
    ),
    "14: operand 'y' has the alignment 24, which is no power of two; the rows of a pool inside the "
    "device need none: its unit aligns buffers": (('"y", "out"', '"y", "out", alignment=24'),),
    "9: 'scale' has the operand 'y', which is no Operand; "
    """write Operand("x", "in"), and "out" or "inout" for operands that are written""": (
        ('Operand("y", "out")', '"y"'),
    ),
    "9: pools of 'scale' name 'z', which is none of all, in, out, x, y, 0, 1": (
        ('"out": "sram"', '"z": "sram"'),
    ),
    "9: pools of 'scale' name 'out', which is both an operand and a group of them; "
    "give the operand its pools itself": (('"y", "out"', '"out", "out"'),),
    "9: reference of 'scale': line 3: custom op 'retrun' is unknown "
    "(tried 'func.retrun' as well)": (("  return", "  retrun"),),
    "9: reference of 'scale': the text must be one func.func with a body": (
        ("reference=REFERENCE", 'reference="module {}"'),
    ),
    "9: reference of 'scale': the function must have one block and no results": (
        ("%count: i32) {\n  return", "%count: i32) -> i32 {\n  return %count : i32"),
    ),
    "9: 'accel.intrinsic' op reference must take 2 operands and 2 scalars, but takes 3 arguments": (
        ('("count",)', '("count", "factor")'),
    ),
    "9: 'accel.intrinsic' op symbol must be a C identifier, but is \"npu-scale\"": (
        ("npu_scale", "npu-scale"),
    ),
    "21: target 'npu' has two hosts, 'cpu' and 'npu'; one device runs what no other device runs": (
        ('kind="npu", ', 'kind="npu", host=True, '),
    ),
    "25: target 'npu' has no host; give one of its devices host=True": ((", host=True", ""),),
    "22: pool 'sram' gives rights to 'gpu', which is none of the devices cpu, npu": (
        ('writers=("cpu",)', 'writers=("gpu",)'),
    ),
    "23: target 'npu' has the name 'sram' twice": (('Pool("flash"', 'Pool("sram"'),),
    "9: device 'npu' has the name 'scale' twice": (("(SCALE,)", "(SCALE, SCALE)"),),
    "24: device 'npu' has the name 'sum' twice": (("(SUM,)", "(SUM, SUM)"),),
    "22: pool 'sram' has the kind 'scratch'; it is one of workspace, constant, state": (
        ('"sram", "workspace"', '"sram", "scratch"'),
    ),
    "23: pool 'flash' has the fill 'later'; it is one of rom, at_init, by_host": (
        ('("flash", "constant")', '("flash", "constant", fill="later")'),
    ),
    "23: pool 'flash' has the reserved range 16; a range is (start, end)": (
        ('("flash", "constant")', '("flash", "constant", reserved=(16, 32))'),
    ),
    "23: 'memref_pool.pool' op alignment must be a power of two, but is 3": (
        ('("flash", "constant")', '("flash", "constant", alignment=3)'),
    ),
    "24: pattern 'sum' is for 'gpu', which is none of the devices that take operators: npu": (
        ('device="npu"', 'device="gpu"'),
    ),
    "25: NameError: name 'SRAN' is not defined": (("(SRAM, FLASH)", "(SRAN, FLASH)"),),
    "20: '(' was never closed": (("host=True)", "host=True"),),
}


def write(folder: Path, *changes: tuple[str, str]) -> Path:
    source = SOURCE
    for before, after in changes:
        assert source.count(before) >= 1
        source = source.replace(before, after)
    path = folder / "my_npu.py"
    path.write_text(source, encoding="utf-8")
    return path


@pytest.mark.parametrize("message", MISTAKES)
def test_a_mistake_is_reported_at_its_line(
    message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, *MISTAKES[message])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(targets.TargetError) as caught:
        targets.load("./my_npu.py")
    assert str(caught.value) == f"my_npu.py:{message}"


def test_the_file_without_mistakes_is_a_target(tmp_path: Path) -> None:
    target = targets.load(str(write(tmp_path)))
    assert [operand.pools for operand in target.devices[1].intrinsics[0].operands] == [
        ("sram",),
        ("sram",),
    ]


def test_the_command_fails_without_a_traceback(tmp_path: Path) -> None:
    write(tmp_path, ('"out": "sram"', '"out": "srma"'))
    result = run_forebay("target", "./my_npu.py", cwd=tmp_path)
    assert result.returncode == 1
    assert result.stderr == (
        "forebay: error: my_npu.py:9: operand 'y' of 'npu.scale' must be in 'srma', "
        "which is none of the pools sram, flash\n"
    )


def test_a_file_without_a_target_says_what_to_define(tmp_path: Path) -> None:
    path = write(tmp_path, ("TARGET =", "MACHINE ="))
    with pytest.raises(targets.TargetError) as caught:
        targets.load(str(path))
    assert str(caught.value) == (
        f"{path}: defines neither TARGET = Target(...) nor a function target() that gives one"
    )
