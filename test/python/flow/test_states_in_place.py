"""Variables whose new values are computed in the place of the old ones, in the state pool."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import forebay

HEAD = """
#id = affine_map<(d0) -> (d0)>
tosa.variable @a = dense<1> : tensor<4xi8>
tosa.variable @b = dense<2> : tensor<4xi8>
func.func @main(%x: tensor<4xi8> {accel.name = "x"}) -> (tensor<4xi8> {accel.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %a = tosa.variable_read @a : tensor<4xi8>
  %b = tosa.variable_read @b : tensor<4xi8>
"""


def sum_of(name: str, value: str, place: str, *, into: str) -> str:
    """Return `into = place + value`, computed in the place of `place`."""
    return f"""
  {into} = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
      ins({value} : tensor<4xi8>) outs({place} : tensor<4xi8>) {{
  ^bb0(%{name}_v: i8, %{name}_p: i8):
    %{name}_s = arith.addi %{name}_v, %{name}_p : i8
    linalg.yield %{name}_s : i8
  }} -> tensor<4xi8>
"""


LOOP = (
    "  %r:2 = scf.for %i = %c0 to END step %c1 iter_args(%p = %a, %q = %b)"
    " -> (tensor<4xi8>, tensor<4xi8>) {"
)
SUMS = (
    LOOP.replace("END", "%c3")
    + sum_of("one", "%x", "%p", into="%p1")
    + sum_of("two", "%p1", "%q", into="%q1")
    + "    scf.yield %p1, %q1 : tensor<4xi8>, tensor<4xi8>\n  }\n"
)


def swap(end: str) -> str:
    return LOOP.replace("END", end) + "    scf.yield %q, %p : tensor<4xi8>, tensor<4xi8>\n  }\n"


def results(program: str, tmp_path: Path, engine: str) -> tuple[list[int], int]:
    """Return an element of the result of each run, and the bytes of the workspace."""
    (tmp_path / "net.mlir").write_text(program)
    model = forebay.compile(tmp_path / "net.mlir")
    model.reset(engine=engine)
    runs = [model.run(np.full(4, x, np.int8), engine=engine) for x in (5, 7, 9)]
    return [int(y[0]) for y in runs], model.plan.peak("workspace")


def write(a: str, b: str, result: str) -> str:
    return f"""
  tosa.variable_write @a, {a} : tensor<4xi8>
  tosa.variable_write @b, {b} : tensor<4xi8>
  return {result} : tensor<4xi8>
}}
"""


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_a_loop_computes_in_the_state_pool(tmp_path: Path, engine: str) -> None:
    program = HEAD + SUMS + write("%r#0", "%r#1", "%r#1")
    assert results(program, tmp_path, engine) == (reference(3), 0)


def reference(steps: int) -> list[int]:
    a, b, found = 1, 2, list[int]()
    for x in (5, 7, 9):
        for _ in range(steps):
            a = (a + x + 128) % 256 - 128
            b = (b + a + 128) % 256 - 128
        found.append(b)
    return found


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_operations_in_place_compute_in_the_state_pool(tmp_path: Path, engine: str) -> None:
    sums = sum_of("one", "%x", "%a", into="%a1") + sum_of("two", "%a1", "%b", into="%b1")
    program = HEAD + sums + write("%a1", "%b1", "%b1")
    assert results(program, tmp_path, engine) == (reference(1), 0)


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (sum_of("one", "%x", "%a", into="%n") + write("%n", "%a", "%b"), [2, 1, 6]),
        (sum_of("one", "%x", "%a", into="%n") + write("%n", "%n", "%a"), [1, 6, 13]),
        (sum_of("one", "%x", "%a", into="%n") + write("%b", "%n", "%b"), [2, 6, 9]),
        (SUMS + write("%r#1", "%r#0", "%r#0"), [16, 56, -66]),
        (SUMS + write("%r#0", "%r#0", "%a"), [1, 16, 37]),
        (swap("%c1") + write("%r#0", "%r#1", "%r#1"), [1, 2, 1]),
        (swap("%c3") + write("%r#0", "%r#1", "%r#1"), [1, 2, 1]),
    ],
    ids=[
        "old value stored",
        "old value returned",
        "stored crosswise",
        "loop stored crosswise",
        "old value returned behind a loop",
        "swapped once",
        "swapped three times",
    ],
)
def test_old_values_that_are_needed_are_kept(
    body: str, expected: list[int], tmp_path: Path, engine: str
) -> None:
    assert results(HEAD + body, tmp_path, engine)[0] == expected
