"""Operators of users, from files and objects, through every engine; and what is refused."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, single
from common.tflite_engines import ENGINES

import forebay
from forebay.api.tflite import Node, OperatorLowering
from forebay.frontends.tflite.custom.load import UserOperatorError, load_operators

PAGE = (Path(__file__).parents[5] / "docs" / "operators.md").read_text(encoding="utf-8")
CODE = re.search(r"^```python\n# (softsign\.py)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = re.findall(r"^\$ (.*)$", PAGE, re.MULTILINE)
X = np.linspace(-6, 6, 24, dtype=np.float32).reshape(2, 12)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the operator of the page, and a network between two other operators."""
    assert CODE is not None
    (tmp_path / CODE[1]).write_text(CODE[2])
    tensors = [T((2, 12), "float32", name=name) for name in ("x", "a", "b", "y")]
    operators = [
        Op("NEG", [0], [1]),
        Op("Softsign", [1], [2], custom={"scale": 0.5}),
        Op("NEG", [2], [3]),
    ]
    network = build(Graph(tensors, [0], [3], operators))
    (tmp_path / "softsign.tflite").write_bytes(network)
    return tmp_path


def test_the_operator_of_the_page_runs_on_every_engine(folder: Path) -> None:
    network, file = folder / "softsign.tflite", folder / "softsign.py"
    compiled = forebay.compile(network, operators=[file])
    for engine in ENGINES:
        found = compiled.run(X, engine=engine)
        np.testing.assert_allclose(found, 0.5 * X / (1 + np.abs(X)), rtol=1e-6)


@pytest.mark.slow  # two commands, one with the self-test of the written project
def test_the_commands_of_the_page_run(folder: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    assert len(COMMANDS) == 2
    for command in COMMANDS:
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_an_object_is_an_operator_as_well(tmp_path: Path) -> None:
    (tmp_path / "n.tflite").write_bytes(single(Op("Same", [0], [1]), [T((4,), "uint8")] * 2))
    same = OperatorLowering("Same", lambda node: [node.value(0)], reference=lambda _, x: x)
    x = np.array([0, 1, 128, 255], np.uint8)
    compiled = forebay.compile(tmp_path / "n.tflite", operators=same)
    np.testing.assert_array_equal(compiled.run(x), x)  # uint8 keeps its values


def loaded(folder: Path, text: str) -> tuple[OperatorLowering, ...]:
    file = folder / "mine.py"
    file.write_text("from forebay.api.tflite import OperatorLowering\n" + text)
    return load_operators([file])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no operator: no forebay.api.tflite.OperatorLowering"),
        ("1 / 0", r"mine.py:2: ZeroDivisionError: division by zero"),
        ("x = OperatorLowering('CONV_2D', print)", "'CONV_2D' is an operator that Forebay imports"),
        ("x = OperatorLowering('A', 3)", "with a text and a function, not 'A' and 3"),
        ("x, y = (OperatorLowering('A', f) for f in (id, abs))", "there are two operators 'A'"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserOperatorError, match=message):
        loaded(tmp_path, text)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserOperatorError, match=r"none\.py: No such file"):
        load_operators(tmp_path / "none.py")
    with pytest.raises(UserOperatorError, match="3 is no operator: give a Python file"):
        load_operators([3])  # pyright: ignore[reportArgumentType]


def test_without_its_file_the_operator_is_refused(folder: Path) -> None:
    with pytest.raises(forebay.Error, match=r"operator 1 \(Softsign\).*--operators"):
        forebay.compile(folder / "softsign.tflite")


def test_operators_are_for_tflite_files(tmp_path: Path) -> None:
    (tmp_path / "n.mlir").write_text("func.func @main() { return }")
    with pytest.raises(forebay.Error, match=r"operators are for a \.tflite file"):
        forebay.compile(tmp_path / "n.mlir", operators=[OperatorLowering("A", _nothing)])


def _nothing(_: Node) -> list[object]:
    return []
