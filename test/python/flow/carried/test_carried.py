"""What loops carry may change places: right in every engine, against NumPy."""

from itertools import permutations
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from common.programs.carried_programs import SIZE, TYPE, drawn

import forebay

Engine = Literal["c", "llvm", "emulator"]
ENGINES: tuple[Engine, ...] = ("c", "llvm", "emulator")


def inputs(count: int) -> list[np.ndarray]:
    return [np.arange(SIZE, dtype=np.int32) + 10 * i for i in range(1, count + 1)]


def compiled(text: str, folder: Path) -> forebay.Compiled:
    (folder / "net.mlir").write_text(text)
    return forebay.compile(folder / "net.mlir")


def permuted(order: tuple[int, ...], trips: int) -> str:
    """Loops of `trips` rounds in which value `i` becomes value `order[i]`, around one another."""
    count = len(order)
    ports = ", ".join(f"%a{i}: {TYPE}" for i in range(count))
    types = ", ".join([TYPE] * count)

    def start(name: str, source: str) -> str:
        return ", ".join(f"%{name}{i} = %{source}{i}" for i in range(count))

    inner = ", ".join(f"%q{i}" for i in order)
    outer = ", ".join(f"%r#{i}" for i in order)
    return f"""func.func @main({ports}) -> ({types}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {trips} : index
  %s:{count} = scf.for %i = %c0 to %n step %c1 iter_args({start("p", "a")}) -> ({types}) {{
    %r:{count} = scf.for %j = %c0 to %n step %c1 iter_args({start("q", "p")}) -> ({types}) {{
      scf.yield {inner} : {types}
    }}
    scf.yield {outer} : {types}
  }}
  return {", ".join(f"%s#{i}" for i in range(count))} : {types}
}}
"""


@pytest.mark.parametrize("order", [p for n in (2, 3, 4) for p in permutations(range(n))])
def test_every_permutation_of_up_to_four_values_in_nested_loops(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    given = inputs(len(order))
    expected = given
    for _ in range(3 * 3 + 3):  # three rounds of three and then one
        expected = [expected[i] for i in order]
    found = compiled(permuted(order, 3), tmp_path).run(*given, engine="emulator")
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["pure_swap", "three_rotate", "while_swap_cond"])
def test_programs_that_change_places_in_all_engines(name: str, engine: Engine) -> None:
    model = forebay.compile(Path(__file__).parent / f"{name}.mlir")
    a, b = (np.arange(8, dtype=np.int32) + i for i in (10, 100))
    if name == "pure_swap":  # five times
        np.testing.assert_array_equal(model.run(a, b, engine=engine), [b, a])
    elif name == "three_rotate":  # p, q, t = q, t, p with a 1 in front; twice
        found = model.run(a, b, np.array([2], np.int32), engine=engine)
        np.testing.assert_array_equal(found, [a + b, [1, *a[1:]], [1, *b[1:]]])
    else:  # swapped four times, the counter in front of p three times behind a swap
        found = model.run(a[:4], b[:4], engine=engine)
        np.testing.assert_array_equal(found, [[1, *a[1:4]], [2, *b[1:4]]])


@pytest.mark.parametrize("seed", range(40))
def test_drawn_loops(tmp_path: Path, seed: int) -> None:
    program = drawn(seed)
    given = inputs(program.count)
    found = compiled(program.text, tmp_path).run(*given, engine="emulator")
    results = found if isinstance(found, tuple) else (found,)
    np.testing.assert_array_equal(results, program.expected(given))
