"""Targets by name, by file and by options; as MLIR and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from mlir import ir

import forebay
from forebay import targets
from forebay.targets import Intrinsic, Operand, Pool


def attached(target: targets.Target) -> ir.Module:
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        targets.attach(target)
    return module


@pytest.mark.parametrize(
    "text",
    [
        "host",
        "fetch_conv:l2_mem=4096,act_mem=12816,wei_mem=288",
        "devices=accel,cpu/workspace=sram;access=cpu:rw,accel:r;start=64;base=0x1000;cost=3;unit=16"
        ";banks=2;weight=2;reserved=0-16,64-128;size=4096;align=32;section=.bss.sram"
        "/constant=flash;access=cpu:r;fill=by_host",
    ],
)
def test_a_target_reads_back_equal_from_mlir(text: str, tmp_path: Path) -> None:
    target = targets.load(text)
    with ir.Context(), ir.Location.unknown():
        module = attached(target)
        printed = str(module)
        assert module.operation.verify()
        back = targets.from_module(module.operation, target.name)
    # What is Python, stages and patterns, is not written.
    devices = tuple(replace(d, stage=None, reserve=None) for d in target.devices)
    assert (back.devices, back.pools) == (devices, target.pools)
    path = tmp_path / f"{target.name}.mlir"
    path.write_text(printed, encoding="utf-8")
    assert targets.load(str(path)) == back


def test_a_function_takes_parameters(tmp_path: Path) -> None:
    path = tmp_path / "npu.py"
    path.write_text(
        "from forebay.targets import Device, Pool, Target\n\n\n"
        "def target(sram=1024, lanes=8):\n"
        '    return Target("npu", (Device("cpu", "cpu", host=True),),\n'
        '                  (Pool("sram", "workspace", sram * lanes),))\n',
        encoding="utf-8",
    )
    assert targets.load(str(path)).pools[0].capacity == 8192
    assert targets.load(f"{path}:sram=0x10,lanes=4").pools[0].capacity == 64


def test_a_parameter_with_a_text_as_default_is_a_text(tmp_path: Path) -> None:
    path = tmp_path / "npu.py"
    path.write_text(
        "from forebay.targets import Device, Pool, Target\n\n\n"
        'def target(kind="4K", sram=4096):\n'
        '    return Target("npu", (Device("cpu", kind, host=True),),\n'
        '                  (Pool("sram", "workspace", sram),))\n',
        encoding="utf-8",
    )
    assert targets.load(f"{path}:kind=8K,sram=8K").devices[0].kind == "8K"
    assert targets.load(f"{path}:kind=fast").devices[0].kind == "fast"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "fetch_con",
            f"there is no target 'fetch_con'; known targets: {', '.join(targets.names())}, "
            "or give a file: ./my_target.py",
        ),
        (
            "fetch_conv:act=3",
            "target 'fetch_conv' has no parameter 'act'; it has l2_mem, act_mem, wei_mem, stream, "
            "bandwidth, latency, setup, depth",
        ),
        (
            "fetch_conv:act_mem=big",
            "parameter 'act_mem' in 'fetch_conv:act_mem=big': 'big' is no number of bytes; write "
            "65536, 0x10000, 64K or 64KiB",
        ),
        (
            "fetch_conv:act_mem",
            "'act_mem' in 'fetch_conv:act_mem' is not of the form name=65536 or name=64K",
        ),
        ("host:act_mem=3", "target 'host' takes no parameters, given act_mem"),
        ("missing.py", "missing.py: No such file or directory"),
        ("missing.mlir", "missing.mlir: No such file or directory"),
        ("missing.mlir:a=3", "missing.mlir: MLIR takes no parameters, given a"),
        ("devices=", "'devices=' names no device; write devices=accel,cpu"),
        (
            "devices=cpu/sram",
            "'sram' describes no pool; it begins with one of workspace=NAME, constant=NAME, "
            "state=NAME",
        ),
        (
            "devices=cpu/workspace=sram;access=gpu:rw",
            "pool 'sram' gives rights to 'gpu', which is none of the devices cpu",
        ),
        (
            "devices=cpu/workspace=sram;colour=3",
            "pool 'sram' has no property 'colour'; the properties are access, size, align, start, "
            "base, unit, banks, cost, weight, reserved, section, fill",
        ),
        (
            "devices=cpu/workspace=sram;access=cpu",
            "'access=cpu' of pool 'sram' cannot be read; it is like access=cpu:rw,accel:r",
        ),
        (
            "devices=cpu/workspace=sram;size=big",
            "'size=big' of pool 'sram' cannot be read; it is a number of bytes: size=65536, "
            "size=64K",
        ),
        (
            "devices=cpu/workspace=sram;section",
            "'section' of pool 'sram' cannot be read; it is a name: section=.bss.sram",
        ),
        ("devices=cpu/workspace=a/workspace=a", "target 'options' has the name 'a' twice"),
    ],
)
def test_what_is_no_target_is_refused(text: str, message: str) -> None:
    with pytest.raises(targets.TargetError) as caught:
        targets.load(text)
    assert str(caught.value) == message


def test_annotations_of_a_target_file_are_not_strings(tmp_path: Path) -> None:
    path = tmp_path / "npu.py"
    path.write_text(
        "from forebay.api.target import Device, Pool, Target\n"
        "def target(*, lanes: int = 8):\n"
        "    assert target.__annotations__ == {'lanes': int}\n"
        "    pools = (Pool('ram', 'workspace'), Pool('rom', 'constant'))\n"
        "    return Target('npu', (Device('cpu', kind='cpu', host=True),), pools)\n"
    )
    assert targets.load(str(path)).name == "npu"


def test_bytes_have_units() -> None:
    pools = {pool.name: pool for pool in targets.load("fetch_conv:act_mem=256KiB").pools}
    assert pools["act_mem"].capacity == 262144
    words = "devices=cpu/workspace=sram;size=1M;align=1K;reserved=0-1K,0x800-3K"
    pool = targets.load(words).pools[0]
    assert (pool.capacity, pool.alignment) == (1048576, 1024)
    assert pool.reserved == ((0, 1024), (2048, 3072))


def test_a_fault_in_mlir_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "npu.mlir"
    path.write_text('accel.device @cpu kind "cpu" host\naccel.devise @npu\n', encoding="utf-8")
    with pytest.raises(targets.TargetError, match=r"npu\.mlir:2: .*accel\.devise"):
        targets.load(str(path))


def test_pools_in_words_are_in_order_of_preference() -> None:
    text = targets.text_of_options(
        "accel,cpu",
        {"workspace": "dtcm,sram", "constant": "itcm,flash", "state": None},
        {
            ("workspace", "dtcm"): "access=cpu:rw;size=1000;align=16",
            ("workspace", "sram"): "access=cpu:rw,accel:rw",
            ("constant", "itcm"): "access=cpu:r;size=5000",
        },
    )
    target = targets.load(text)
    assert target.host.name == "cpu"
    assert [device.name for device in target.devices] == ["accel", "cpu"]
    both = ("cpu", "accel")
    assert target.pools == (
        Pool("dtcm", "workspace", 1000, readers=("cpu",), writers=("cpu",)),
        Pool("sram", "workspace", readers=both, writers=both),
        Pool("itcm", "constant", 5000, readers=("cpu",)),
        Pool("flash", "constant"),
        Pool("state", "state", reserved=((0, 16),)),
    )


def test_kinds_without_pools_get_one_of_their_own() -> None:
    pools = targets.load("devices=cpu/constant=workspace").pools
    assert [(pool.name, pool.kind.name) for pool in pools] == [
        ("workspace", "constant"),
        ("workspace_", "workspace"),
        ("state", "state"),
    ]


def test_words_about_a_pool_that_no_list_names_are_refused() -> None:
    with pytest.raises(targets.TargetError) as caught:
        targets.text_of_options("cpu", {"workspace": "sram"}, {("workspace", "srma"): "size=3"})
    assert str(caught.value) == (
        "--workspace-pool-srma describes no pool of --workspace-pools, which lists sram"
    )


@pytest.mark.parametrize(
    ("pools", "expected"),
    [
        (None, (None, None, None, ("own",))),
        ({"out": "a"}, (None, ("a",), ("a",), ("own",))),
        ({"in": ("a", "b")}, (("a", "b"), None, None, ("own",))),
        ({"all": "a"}, (("a",), ("a",), ("a",), ("own",))),
        ({"all": "a", "out": "b", 2: "c"}, (("a",), ("b",), ("c",), ("own",))),
        ({"all": "a", "x": "b", 0: "c"}, (("b",), ("a",), ("a",), ("own",))),
    ],
)
def test_constraints_reach_the_operands_that_they_name(pools, expected) -> None:
    operands = (
        Operand("x", "in"),
        Operand("y", "out"),
        Operand("z", "inout"),
        Operand("w", "in", ("own",)),
    )
    intrinsic = Intrinsic("f", "f", operands, pools=pools)
    assert tuple(operand.pools for operand in intrinsic.operands) == expected


def test_a_compilation_loads_a_file_once_and_the_next_one_anew(tmp_path: Path) -> None:
    log, path, net = tmp_path / "log", tmp_path / "npu.py", tmp_path / "net.mlir"
    source = (
        "from forebay.targets import Device, Pool, Target\n"
        f"with open({str(log)!r}, 'a') as file:\n    file.write('x')\n"
        "TARGET = Target('npu', (Device('cpu', 'cpu', host=True),),\n"
        "                (Pool('sram', 'workspace', 64), Pool('rom', 'constant')))\n"
    )
    net.write_text(
        "func.func @main(%a: tensor<16xi8>) -> tensor<16xi8> {\n"
        "  %0 = tosa.add %a, %a : (tensor<16xi8>, tensor<16xi8>) -> tensor<16xi8>\n"
        "  return %0 : tensor<16xi8>\n}\n",
        encoding="utf-8",
    )
    capacities: list[int | None] = []
    for capacity in (64, 128):
        own = source.replace("'workspace', 64", f"'workspace', {capacity}")
        path.write_text(own, encoding="utf-8")
        compiled = forebay.compile(net, target=str(path), io="pool")
        capacities.append(compiled.info.pool("sram").capacity)
    assert capacities == [64, 128]
    assert log.read_text() == "xx"
