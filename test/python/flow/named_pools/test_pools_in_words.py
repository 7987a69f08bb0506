"""Pools given on the command line, by capacity, rights and preference, without a target's file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import forebay
from forebay.cli import main as cli

STEP = """
func.func private @{name}(%x: tensor<{size}xi8>, %w: tensor<{size}xi8>) -> tensor<{size}xi8>
    {attributes} {{
  %e = tensor.empty() : tensor<{size}xi8>
  %y = linalg.generic {{indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]}}
      ins(%x, %w : tensor<{size}xi8>, tensor<{size}xi8>) outs(%e : tensor<{size}xi8>) {{
  ^bb0(%p: i8, %q: i8, %o: i8):
    %s = arith.addi %p, %q : i8
    linalg.yield %s : i8
  }} -> tensor<{size}xi8>
  return %y : tensor<{size}xi8>
}}
"""

DOUBLE = """
  %e = tensor.empty() : tensor<{size}xi8>
  %y = linalg.generic {{indexing_maps = [#same, #same], iterator_types = ["parallel"]}}
      ins(%s{last} : tensor<{size}xi8>) outs(%e : tensor<{size}xi8>) {{
  ^bb0(%p: i8, %o: i8):
    %s = arith.addi %p, %p : i8
    linalg.yield %s : i8
  }} -> tensor<{size}xi8>
  return %y : tensor<{size}xi8>
}}
"""

POOLS = [
    "--workspace-pools",
    "dtcm,sram",
    "--workspace-pool-dtcm",
    "access=cpu:rw;size=1000;align=16",
    "--workspace-pool-sram",
    "access=cpu:rw,accel:rw",
    "--constant-pools",
    "itcm,flash",
    "--constant-pool-itcm",
    "access=cpu:r;size=5000",
    "--constant-pool-flash",
    "access=cpu:r,accel:r",
]
"""Both kinds in order of preference: the small fast one first."""

DEVICES = ["--target", "accel,cpu", *POOLS]


def chain(size: int, constants: tuple[int, ...] = (3, 4), devices: tuple[str, ...] = ()) -> str:
    """Adds each constant in a function of its own, then doubles: a buffer between any two."""
    lines = [
        "#same = affine_map<(d) -> (d)>",
        f'func.func @main(%x: tensor<{size}xi8> {{accel.name = "x"}})',
        f'    -> (tensor<{size}xi8> {{accel.name = "y"}}) {{',
    ]
    functions: list[str] = []
    for index, value in enumerate(constants):
        source = f"%s{index - 1}" if index else "%x"
        lines += [
            f"  %w{index} = arith.constant dense<{value}> : tensor<{size}xi8>",
            f"  %s{index} = func.call @step{index}({source}, %w{index})",
            f"    : (tensor<{size}xi8>, tensor<{size}xi8>) -> tensor<{size}xi8>",
        ]
        on = f"attributes {{accel.on = @{devices[index]}}}" if devices else ""
        functions.append(STEP.format(name=f"step{index}", size=size, attributes=on))
    lines.append(DOUBLE.format(last=len(constants) - 1, size=size))
    return "\n".join([*lines, *functions])


def compiled_map(text: str, tmp_path: Path, *options: str) -> dict[str, list[int]]:
    """The sizes of what is in each pool, in order of execution, as the memory map has them."""
    model, out = tmp_path / "chain.mlir", tmp_path / "out"
    model.write_text(text)
    assert cli.main(["compile", str(model), "-o", str(out), *options]) == 0
    memory_map = json.loads((out / "chain.json").read_text())
    found: dict[str, list[int]] = {}
    for buffer in memory_map["buffers"]:
        found.setdefault(buffer["pool"], []).append(buffer["size"])
    return found


def test_a_buffer_that_fits_takes_the_preferred_pool(tmp_path: Path):
    found = compiled_map(chain(1000, (3,)), tmp_path, *DEVICES)
    assert found == {"dtcm": [1000], "itcm": [1000]}


def test_a_byte_more_falls_back_to_the_next_pool(tmp_path: Path):
    found = compiled_map(chain(1001, (3,)), tmp_path, *DEVICES)
    assert found == {"sram": [1001], "itcm": [1001]}


def test_a_byte_more_with_no_other_pool_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    model = tmp_path / "chain.mlir"
    model.write_text(chain(1001, (3,)))
    options = ["--target", "cpu", "--workspace-pools", "dtcm", "--constant-pools", "flash"]
    status = cli.main(["compile", str(model), "-o", str(tmp_path / "out"), *options, *POOLS[2:4]])
    assert status == 1
    assert "pool 'dtcm' needs 1,001 bytes" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_what_the_accelerator_uses_is_never_where_only_the_host_reaches(tmp_path: Path):
    found = compiled_map(chain(16, (3, 4, 5), ("cpu", "accel", "cpu")), tmp_path, *DEVICES)
    # The accelerator reads and writes the first two buffers, the host alone the third; of the
    # constants it reads the second.
    assert found == {"sram": [16, 16], "dtcm": [16], "itcm": [16, 16], "flash": [16]}


def test_constants_fill_the_preferred_pool_before_the_next(tmp_path: Path):
    # 5000 bytes hold four of 1200.
    found = compiled_map(chain(1200, (1, 2, 3, 4, 5, 6)), tmp_path, *DEVICES)
    assert found["itcm"] == [1200] * 4
    assert found["flash"] == [1200] * 2


def test_a_part_of_a_larger_region_begins_at_its_offset(tmp_path: Path):
    model, out = tmp_path / "chain.mlir", tmp_path / "out"
    model.write_text(chain(64, (3,)))
    options = ["--target", "cpu", "--workspace-pools", "sram", "--constant-pools", "flash"]
    start = ["--workspace-pool-sram", "start=256"]
    assert cli.main(["compile", str(model), "-o", str(out), *options, *start]) == 0
    buffers = json.loads((out / "chain.json").read_text())["buffers"]
    assert [b["offset"] for b in buffers if b["pool"] == "sram"] == [256]
    assert "#define CHAIN_SRAM_SIZE 320" in (out / "chain.h").read_text()


def test_inputs_and_outputs_get_the_pools_that_are_named_for_them(tmp_path: Path):
    named = ["--input-pool", "x=sram", "--output-pool", "y=dtcm"]
    found = compiled_map(chain(100, (3,)), tmp_path, *DEVICES, *named)
    assert found == {"sram": [100], "dtcm": [100, 100], "itcm": [100]}
    header = (tmp_path / "out" / "chain.h").read_text()
    assert "\nint8_t *chain_x(const chain_pools *pools);" in header
    assert "\nconst int8_t *chain_y(const chain_pools *pools);" in header
    assert "no run overwrites them" in header


def test_the_header_says_when_a_run_overwrites_an_input(tmp_path: Path):
    # The input's bytes are the only ones where the second buffer fits.
    tight = ["--target", "cpu", "--workspace-pools", "sram", "--constant-pools", "flash"]
    tight += ["--workspace-pool-sram", "size=224", "--input-pool", "x=sram"]
    compiled_map(chain(100, (3, 4)), tmp_path, *tight)
    header = (tmp_path / "out" / "chain.h").read_text()
    assert "no run overwrites them" not in header
    assert "a run overwrites them" in header


def test_an_input_that_the_accelerator_alone_reads_is_where_it_reaches(tmp_path: Path):
    found = compiled_map(
        chain(16, (3,), ("accel",)), tmp_path, *DEVICES, "--input-pool", "x=dtcm+sram"
    )
    assert found["sram"] == [16, 16]
    assert "dtcm" not in found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--input-pool", "z=sram"], "there is no input 'z'; inputs: 'x'"),
        (["--input-pool", "x=dram"], "input 'x' cannot live in 'dram', which is no pool; pools:"),
        (["--workspace-pool-dtcn", "size=1"], "--workspace-pool-dtcn describes no pool of"),
        (["--workspace-pool-dtcm", "sise=1"], "pool 'dtcm' has no property 'sise'"),
        (["--workspace-pool-dtcm", "access=gpu:rw"], "gives rights to 'gpu', which is none of"),
    ],
)
def test_mistakes_name_what_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
):
    model = tmp_path / "chain.mlir"
    model.write_text(chain(16))
    given = ["--target", "accel,cpu", "--workspace-pools", "dtcm,sram", "--constant-pools", "flash"]
    assert cli.main(["compile", str(model), "-o", str(tmp_path / "out"), *given, *options]) == 1
    assert message in capsys.readouterr().err


OVERLAPPING = """
def plan(buffers, pools):
    return {buffer.name: (buffer.candidates[0], 0) for buffer in buffers}
"""

STACKED = """
def plan(buffers, pools):
    ends, places = {}, {}
    for buffer in buffers:
        pool = buffer.candidates[0]
        at = -(-ends.get(pool, 0) // buffer.alignment) * buffer.alignment
        places[buffer.name] = (pool, at)
        ends[pool] = at + buffer.size
    return places
"""


def test_a_planner_of_ones_own_plans_the_network(tmp_path: Path):
    model, planner = tmp_path / "chain.mlir", tmp_path / "mine.py"
    model.write_text(chain(100, (3, 4, 5)))
    planner.write_text(STACKED)
    compiled = forebay.compile(model, planner=str(planner))
    # Stacked, not shared: twice 100 rounded to 16, then 100.
    assert compiled.plan.peak("workspace") == 324
    data = np.arange(40, dtype=np.int8)
    assert np.array_equal(compiled.run(np.resize(data, 100)), np.resize((data + 12) * 2, 100))


def test_an_overlapping_answer_is_refused(tmp_path: Path):
    model, planner = tmp_path / "chain.mlir", tmp_path / "mine.py"
    model.write_text(chain(100, (3, 4, 5)))
    planner.write_text(OVERLAPPING)
    with pytest.raises(forebay.Error, match="share bytes"):
        forebay.compile(model, planner=str(planner))
