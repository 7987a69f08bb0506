"""Queues, transfers and pools inside a device: into MLIR and back, and mistakes at their lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlir import ir

from forebay import targets

# Line 1 is the import; `spad` is described at line 25.
SOURCE = '''\
from forebay.targets import Device, Intrinsic, Operand, Pool, Queue, Target, Transfer

CYCLES = """
func.func @cycles(%n: i32) -> i64 {
  %c = arith.extui %n : i32 to i64
  return %c : i64
}
"""
RELU = Intrinsic(
    "relu",
    "npu_relu",
    (Operand("x", "inout", ("spad",)),),
    scalars=("n",),
    queue="run",
    cycles=CYCLES,
)
MVIN = Transfer(
    "mvin", "npu_mvin", "dram", "spad", rank=2, queue="load", granule=4, latency=20, bandwidth=16
)
MVOUT = Transfer("mvout", "npu_mvout", ("spad",), ("dram",))
QUEUES = (Queue("load", "npu_load", depth=4), Queue("run", "npu_run", depth=2))
CPU = Device("cpu", kind="cpu", host=True)
NPU = Device("npu", kind="npu", intrinsics=(RELU,), transfers=(MVIN, MVOUT), queues=QUEUES)
DRAM = Pool("dram", "workspace")
SPAD = Pool("spad", "workspace", 262144, base=0, unit=16, local=True,
            readers=("npu",), writers=("npu",))
FLASH = Pool("flash", "constant")
TARGET = Target("npu", devices=(CPU, NPU), pools=(DRAM, SPAD, FLASH))
'''

MISTAKES = {
    "17: 'npu.mvin' moves between 'dran' and another pool, but the pools are dram, spad, flash": (
        '"npu_mvin", "dram"',
        '"npu_mvin", "dran"',
    ),
    "17: 'npu.mvin' writes 'flash', a pool of constants; make it a workspace, into which constants "
    "are copied before they are used": ('"dram", "spad", rank', '"dram", "flash", rank'),
    "17: 'npu.mvin' runs in the queue 'laod', which is none of those of 'npu': load, run": (
        'queue="load"',
        'queue="laod"',
    ),
    "9: 'npu.relu' runs in the queue 'run', which is none of those of 'npu': it has none": (
        ", queues=QUEUES",
        "",
    ),
    "25: pool 'spad' is inside a device, where the host 'cpu' can neither read nor write; "
    'list who can: readers=("npu",), writers=("npu",)': ('readers=("npu",)', 'readers=("cpu",)'),
    "21: device 'npu' has the name 'load' twice": ('Queue("run"', 'Queue("load"'),
    "21: 'accel.queue' op depth must be positive, but is 0": ("depth=4", "depth=0"),
    "17: 'accel.transfer' op granule must be positive, but is -4": ("granule=4", "granule=-4"),
    "9: cycles of 'relu': the function must have one block and return an i64": (
        "return %c : i64",
        "return",
    ),
}


def write(folder: Path, before: str = "", after: str = "") -> Path:
    assert before in SOURCE
    source = SOURCE.replace(before, after) if before else SOURCE
    if after == "return":
        source = source.replace("(%n: i32) -> i64", "(%n: i32)")
    path = folder / "my_npu.py"
    path.write_text(source, encoding="utf-8")
    return path


def test_what_a_device_offers_reads_back_equal_from_mlir(tmp_path: Path) -> None:
    target = targets.load(str(write(tmp_path)))
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            targets.attach(target)
        back = targets.from_module(module.operation, target.name)
        names = [ir.StringAttr(op.attributes["sym_name"]).value for op in module.body.operations]
    assert (back.devices, back.pools) == (target.devices, target.pools)
    assert set(targets.symbols(target)) == set(names)
    mvin, _ = back.devices[1].transfers
    assert (mvin.sources, mvin.targets, mvin.rank, mvin.granule) == (("dram",), ("spad",), 2, 4)
    assert (mvin.queue, mvin.latency, mvin.bandwidth) == ("load", 20, 16)
    assert [(q.name, q.symbol, q.depth) for q in back.devices[1].queues] == [
        ("load", "npu_load", 4),
        ("run", "npu_run", 2),
    ]
    assert back.pools[1].local and "arith.extui" in str(back.devices[1].intrinsics[0].cycles)


@pytest.mark.parametrize("message", MISTAKES)
def test_a_mistake_is_reported_at_its_line(
    message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, *MISTAKES[message])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(targets.TargetError) as caught:
        targets.load("./my_npu.py")
    assert str(caught.value) == f"my_npu.py:{message}"
