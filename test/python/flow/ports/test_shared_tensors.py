"""Ports that share a tensor or a name are distinguished by index everywhere."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from common.sweep import sweep
from common.tflite_reference import micro
from common.toolchain import require

import forebay
from forebay.driver.compiled import EngineName
from forebay.network.names import naming_of

from .graphs import CONSTANT, GRAPHS, drawn, written

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-pedantic", "-Werror")
ENGINES: tuple[EngineName, ...] = ("c", "llvm", "emulator")
every_graph = pytest.mark.parametrize("kind", GRAPHS)
every_io = pytest.mark.parametrize("io", ["caller", "pool"])
Io = Literal["caller", "pool"]


def outputs_of(compiled: forebay.Compiled, inputs: list[np.ndarray], engine: EngineName):
    result = compiled.run(*inputs, engine=engine)
    return list(result) if isinstance(result, tuple) else [result]


@every_graph
@every_io
@pytest.mark.parametrize("target", sweep(["host", "fetch_conv"]))
def test_every_engine_has_tflite_micro_s_bits(kind: str, io: Io, target: str, tmp_path: Path):
    graph = GRAPHS[kind]
    path = written(graph, tmp_path)
    compiled = forebay.compile(path, target=target, io=io)
    for seed in range(2):
        inputs = drawn(graph, seed)
        expected = micro(path.read_bytes(), inputs)
        for engine in ENGINES:
            actual = outputs_of(compiled, inputs, engine)
            for number, (one, other) in enumerate(zip(actual, expected, strict=True)):
                np.testing.assert_array_equal(one, other, f"{engine}, output {number}")


@every_graph
@every_io
def test_the_model_s_values_are_compared(kind: str, io: Io, tmp_path: Path):
    graph = GRAPHS[kind]
    compiled = forebay.compile(written(graph, tmp_path), io=io)
    outputs = compiled.emulator(check_values=True).run(drawn(graph))
    assert len(outputs) == len(graph.outputs)


@every_graph
@every_io
@pytest.mark.parametrize("packaging", sweep([{}, {"internal_pools": True}, {"weights_blob": True}]))
def test_self_tests_compile_and_pass(
    kind: str, io: Io, packaging: dict[str, bool], tmp_path: Path
) -> None:
    compiled = forebay.compile(written(GRAPHS[kind], tmp_path), io=io)
    project = compiled.write(tmp_path / "out", **packaging)
    sources = sorted(path.name for path in project.glob("*.c"))
    command = [require("gcc"), *STRICT, *sources, "-lm", "-o", "selftest"]
    subprocess.run(command, cwd=project, check=True)
    done = subprocess.run(["./selftest"], cwd=project, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "net: all outputs are as expected\n")


@every_graph
@every_io
def test_names_are_unique_and_the_same_everywhere(kind: str, io: Io, tmp_path: Path) -> None:
    graph = GRAPHS[kind]
    compiled = forebay.compile(written(graph, tmp_path), io=io)
    ports = [*compiled.inputs, *compiled.outputs]
    names = [port.name for port in ports]
    assert len(set(names)) == len(names) == len(graph.inputs) + len(graph.outputs)
    project = compiled.write(tmp_path / "out")
    layout = json.loads((project / "net.json").read_text())
    assert [port["name"] for port in [*layout["inputs"], *layout["outputs"]]] == names
    header = (project / "net.h").read_text()
    for macro in map(naming_of(compiled.info).port_macro, names):
        assert header.count(f"#define {macro}_ELEMENTS 8\n") == 1
    if io == "pool":
        # An output may take the bytes of an input that was read for the last time.
        for side in (compiled.inputs, compiled.outputs):
            assert len({(port.pool, port.offset) for port in side}) == len(side)


def test_the_first_of_several_keeps_the_name(tmp_path: Path) -> None:
    compiled = forebay.compile(written(GRAPHS["all at once"], tmp_path))
    assert [port.name for port in compiled.inputs] == ["x", "x_2"]
    assert [port.name for port in compiled.outputs] == ["x_3", "x_4", "x_5", "x_6", "x_7", "x_8"]


def test_preserved_inputs_differ_from_overwritten_inputs(tmp_path: Path) -> None:
    graph = GRAPHS["an input that is an output, too"]
    compiled = forebay.compile(written(graph, tmp_path), io="pool")
    header = (compiled.write(tmp_path / "out") / "net.h").read_text()
    assert "NET_T0_ELEMENTS elements inside a pool; no run overwrites them." in header


def test_goldens_are_by_index(tmp_path: Path) -> None:
    graph = GRAPHS["a constant that is an output"]
    path = written(graph, tmp_path)
    (x,) = drawn(graph)
    y, constant = micro(path.read_bytes(), [x])
    np.testing.assert_array_equal(constant, CONSTANT)
    assert not np.array_equal(y, constant)
    compiled = forebay.compile(path)
    np.testing.assert_array_equal(compiled.run({"t0": x})[1], CONSTANT)
