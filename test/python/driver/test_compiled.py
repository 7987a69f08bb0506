"""The Python API: what it returns, and what it says to wrong input."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from common import networks

import forebay
from forebay.formats.memory_map import MemoryMap
from forebay.formats.reading import read_file

LINALG = """
#id = affine_map<(i) -> (i)>
func.func @twice(%x: tensor<4xf32> {accel.name = "x"}) -> (tensor<4xf32> {accel.name = "y"}) {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
"""
TOSA = """
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = tosa.exp %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
"""


def model(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "net.mlir"
    path.write_text(text)
    return path


@pytest.mark.parametrize("engine", ["c", "llvm"])
def test_linalg_on_tensors_compiles(tmp_path: Path, engine: str) -> None:
    compiled = forebay.compile(model(tmp_path, LINALG))
    assert [port.name for port in (*compiled.inputs, *compiled.outputs)] == ["x", "y"]
    x = np.array([1, -2, 0.5, 3], np.float32)
    np.testing.assert_array_equal(compiled.run(x, engine=engine), 2 * x)


def test_functions_name_the_operators_that_they_compute(digits: Path) -> None:
    functions = networks.compiled(digits).functions
    (operator,) = functions["conv_2d_0"]
    assert str(operator).startswith("0 CONV_2D ")
    assert all(functions.values()) and "main" not in functions


def test_a_dynamic_shape_is_planned_at_its_bound(tmp_path: Path) -> None:
    compiled = forebay.compile(model(tmp_path, TOSA), shapes={"arg0": [3, 4]})
    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_allclose(compiled.run(x), np.exp(x), rtol=1e-6)


def test_a_bound_may_stand_in_the_ir(tmp_path: Path) -> None:
    text = TOSA.replace(
        "%x: tensor<?x4xf32>", "%x: tensor<?x4xf32> {accel.bound = array<i64: 2, 4>}"
    )
    assert forebay.compile(model(tmp_path, text)).inputs[0].shape == (2, 4)


@pytest.mark.parametrize(
    ("text", "shapes", "message"),
    [
        (
            TOSA,
            {},
            r"argument 'arg0' of @main is tensor<\?x4xf32>: its dynamic shape needs a bound",
        ),
        (TOSA, {"arg0": [3, 5]}, r"shape 3x5 does not fit input 'arg0', tensor<\?x4xf32>"),
        (TOSA, {"arg7": [3, 4]}, r"needs a bound"),
        (LINALG, {"y": [4]}, r"there is no input 'y'; inputs: x"),
        ("func.func @f(", {}, r"net.mlir:1:13: expected non-function type"),
        ("func.func private @f()", {}, r"needs one public function to compile; .*: none"),
        (LINALG + LINALG.replace("@twice", "@other").split("\n", 2)[2], {}, r"@twice, @other"),
    ],
)
def test_wrong_ir_is_refused(
    tmp_path: Path, text: str, shapes: dict[str, list[int]], message: str
) -> None:
    with pytest.raises(forebay.Error, match=message):
        forebay.compile(model(tmp_path, text), shapes=shapes)


def test_wrong_names_list_the_known_ones(digits: Path) -> None:
    with pytest.raises(forebay.Error, match="no target 'hoist'; known targets: "):
        forebay.compile(digits, target="hoist")
    with pytest.raises(forebay.Error, match=r"greedy-by-size"):
        forebay.compile(digits, planner="clever")
    compiled = networks.compiled(digits)
    with pytest.raises(forebay.Error, match=r"there is no pool 'sram'; pools: workspace, weights"):
        compiled.plan.peak("sram")
    with pytest.raises(forebay.Error, match="there is no engine 'gpu'; engines: c, emulator, llvm"):
        compiled.run(np.zeros((1, 8, 8, 1), np.int8), engine="gpu")


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "1 input"),
        ([np.zeros((8, 8, 1), np.int8)], r"int8\[1, 8, 8, 1\], int8\[8, 8, 1\] was given"),
        ([np.zeros((1, 8, 8, 1), np.float32)], "float32"),
    ],
)
def test_wrong_arrays_are_refused(digits: Path, inputs: list[np.ndarray], message: str) -> None:
    with pytest.raises(forebay.Error, match=message):
        networks.compiled(digits).run(*inputs)


def test_inputs_may_be_given_by_name(digits: Path) -> None:
    compiled = networks.compiled(digits)
    x = np.ones((1, 8, 8, 1), np.int8)
    np.testing.assert_array_equal(compiled.run({"image": x}), compiled.run(x))
    with pytest.raises(forebay.Error, match="takes the inputs image; given are: picture"):
        compiled.run({"picture": x})
    with pytest.raises(forebay.Error, match="either in order or by their names, not both"):
        compiled.run({"image": x}, x)


def test_two_compilations_give_the_same_bytes(digits: Path, tmp_path: Path) -> None:
    script = "import forebay, sys; forebay.compile(sys.argv[1]).write(sys.argv[2])"
    written: list[dict[str, bytes]] = []
    for number, (seed, locale) in enumerate([("1", "C"), ("2", "de_DE.UTF-8")]):
        folder = tmp_path / f"somewhere{number}"
        folder.mkdir()
        (folder / digits.name).write_bytes(digits.read_bytes())
        subprocess.run(
            [sys.executable, "-c", script, digits.name, "out"],
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "LANG": locale},
            check=True,
        )
        files = sorted((folder / "out").rglob("*"))
        written.append({p.name: p.read_bytes() for p in files if p.is_file()})
    assert len(written[0]) >= 7
    assert written[0] == written[1]


def test_importing_the_planner_loads_no_mlir() -> None:
    script = "import sys, forebay.planning; sys.exit('mlir' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_notebook_shows_pools_and_plan(digits: Path) -> None:
    compiled = networks.compiled(digits)
    shown = compiled._repr_html_()
    assert "<table>" in shown
    assert "<td>workspace</td>" in shown
    assert "<svg" in shown
    assert repr(compiled).startswith("<Compiled 'digits_int8': 14 operators; workspace ")
    assert repr(compiled.plan).startswith("<PlanReport by 'auto': workspace ")


def test_the_memory_map_is_that_of_the_project(digits: Path, tmp_path: Path) -> None:
    compiled = networks.compiled(digits)
    written = compiled.write(tmp_path / "out", golden=()) / "digits_int8.json"
    found, expected = compiled.memory_map, read_file(written, MemoryMap)
    assert (found.pools, found.buffers) == (expected.pools, expected.buffers)
    assert found.steps == expected.steps
