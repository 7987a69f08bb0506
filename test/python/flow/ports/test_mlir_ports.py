"""Ports of `.mlir` models: named by the IR or by index, each once."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import forebay

SWAP = """
func.func @main(%a: tensor<4xi8> ARG0, %b: tensor<4xi8> ARG1)
    -> (tensor<4xi8> RES0, tensor<4xi8> RES1, tensor<4xi8>) {
  return %b, %a, %b : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}
"""


def model(folder: Path, *names: str | None) -> Path:
    text = SWAP
    for slot, name in zip(("ARG0", "ARG1", "RES0", "RES1"), names, strict=True):
        text = text.replace(slot, "" if name is None else f'{{accel.name = "{name}"}}')
    path = folder / "net.mlir"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ((None,) * 4, ["arg0", "arg1", "result0", "result1", "result2"]),
        (("x", None, "x", "y"), ["x", "arg1", "x_2", "y", "result2"]),
        (("x", "x", "x", "x_2"), ["x", "x_3", "x_4", "x_2", "result2"]),
        (("", "a\\09b", "größe", "*/"), ["arg0", "a_b", "größe", "*/", "result2"]),
        (("for", "arg0", "arg0", "入力"), ["for", "arg0", "arg0_2", "入力", "result2"]),
    ],
)
def test_names(names: tuple[str | None, ...], expected: list[str], tmp_path: Path) -> None:
    compiled = forebay.compile(model(tmp_path, *names))
    assert [port.name for port in (*compiled.inputs, *compiled.outputs)] == expected


@pytest.mark.parametrize("io", ["caller", "pool"])
def test_what_is_handed_through_changes_places(
    io: Literal["caller", "pool"], tmp_path: Path
) -> None:
    compiled = forebay.compile(model(tmp_path, "x", "x", "x", "x"), io=io)
    a, b = np.arange(4, dtype=np.int8), np.arange(4, 8, dtype=np.int8)
    for engine in ("c", "llvm", "emulator"):
        np.testing.assert_array_equal(compiled.run(a, b, engine=engine), [b, a, b])
        np.testing.assert_array_equal(compiled.run(x_2=b, x=a, engine=engine), [b, a, b])


def test_shapes_go_by_the_unique_names(tmp_path: Path) -> None:
    path = tmp_path / "net.mlir"
    path.write_text(
        'func.func @main(%a: tensor<?xf32> {accel.name = "x"}, %b: tensor<?xf32> '
        '{accel.name = "x"}) -> (tensor<?xf32>, tensor<?xf32>) {\n'
        "  %0 = tosa.abs %a : (tensor<?xf32>) -> tensor<?xf32>\n"
        "  %1 = tosa.abs %b : (tensor<?xf32>) -> tensor<?xf32>\n"
        "  return %0, %1 : tensor<?xf32>, tensor<?xf32>\n}\n"
    )
    compiled = forebay.compile(path, shapes={"x": [3], "x_2": [5]})
    assert [port.shape for port in compiled.outputs] == [(3,), (5,)]
