"""Variables whose rows the program shifts: they hold the window of old and new rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import forebay
from forebay.driver.compiled import EngineName

Array = NDArray[Any]
ENGINES: tuple[EngineName, ...] = ("c", "llvm", "emulator")
TYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "f32": np.float32}


class Stream:
    """A network that keeps the last rows along an axis, as a program and in NumPy.

    The window is the state and the new rows; if `is_whole`, it has as many rows as the state. The
    network returns twice the window, and three times the old state. `rows` are the rows of the
    state and the new ones of each run.
    """

    def __init__(
        self, rows: tuple[int, int], axis: int, element: str, *, is_whole: bool, reads_old: bool
    ) -> None:
        self.rows, self.axis, self.element = rows, axis, element
        self.is_whole, self.reads_old = is_whole, reads_old
        old, new = rows
        self.window = old if is_whole else old + new
        self.shape = [2, 3, 4] if axis else [1, 3, 4]
        self.random = np.random.default_rng(old * 100 + new * 10 + axis)
        self.initial = self._drawn(old)

    def program(self) -> str:
        """Return the module."""
        old, new, window = (self._type(n) for n in (*self.rows, self.window))
        values = self.initial.tolist()
        rest = self._type(self.rows[0] - self.rows[1])
        taken = self._slice("%old", old, self.rows[1], rest) if self.is_whole else ""
        part, type_ = ("%kept", rest) if self.is_whole else ("%old", old)
        kept = "" if self.is_whole else self._slice("%w", window, self.rows[1], old)
        stored = "%w" if self.is_whole else "%kept"
        return f"""
tosa.variable @s = dense<{values}> : {old}
func.func @main(%x: {new} {{accel.name = "x"}}) -> ({window}, {old}) {{
  %old = tosa.variable_read @s : {old}
  {taken}
  %z = tosa.add {", ".join(["%old" if self.reads_old else "%zero"] * 2)} : ({old}, {old}) -> {old}
  %w = tosa.concat {part}, %x {{axis = {self.axis} : i32}} : ({type_}, {new}) -> {window}
  {kept}
  tosa.variable_write @s, {stored} : {old}
  %y = tosa.add %w, %w : ({window}, {window}) -> {window}
  return %y, %z : {window}, {old}
}}
""".replace("%z = tosa.add %zero", f"%zero = {self._zero(old)}\n  %z = tosa.add %zero")

    def runs(self, count: int) -> Iterator[tuple[Array, Array, Array]]:
        """Yield the input and both outputs of each run."""
        state = self.initial
        for _ in range(count):
            x = self._drawn(self.rows[1])
            from_ = self.rows[1] if self.is_whole else 0
            window = np.concatenate([self._from(state, from_), x], self.axis)
            yield x, window + window, state + state if self.reads_old else state * 0
            state = self._from(window, self.window - self.rows[0])

    def _from(self, array: Array, first: int) -> Array:
        return np.take(array, range(first, array.shape[self.axis]), self.axis)

    def _drawn(self, rows: int) -> Array:
        shape = [rows if n == self.axis else size for n, size in enumerate(self.shape)]
        return self.random.integers(-20, 21, shape).astype(TYPES[self.element])

    def _type(self, rows: int) -> str:
        shape = [rows if n == self.axis else size for n, size in enumerate(self.shape)]
        return f"tensor<{'x'.join(map(str, shape))}x{self.element}>"

    def _zero(self, type_: str) -> str:
        zero = "0.0" if self.element == "f32" else "0"
        return f'"tosa.const"() <{{values = dense<{zero}> : {type_}}}> : () -> {type_}'

    def _slice(self, value: str, type_: str, first: int, part: str) -> str:
        begin = [first if n == self.axis else 0 for n in range(3)]
        sizes = part.removeprefix("tensor<").split("x")[:3]
        return f"""
  %begin = tosa.const_shape {{values = dense<{begin}> : tensor<3xindex>}} : () -> !tosa.shape<3>
  %size = tosa.const_shape {{values = dense<[{", ".join(sizes)}]> : tensor<3xindex>}}
      : () -> !tosa.shape<3>
  %kept = tosa.slice {value}, %begin, %size
      : ({type_}, !tosa.shape<3>, !tosa.shape<3>) -> {part}
"""


def drawn() -> Iterator[Stream]:
    """Yield streams of all forms; shapes and types vary with the number."""
    elements = list(TYPES)
    shapes = [(1, 1), (3, 1), (2, 3), (4, 4), (5, 2)]
    forms = product(shapes, range(3), (False, True), (False, True))
    for number, (rows, axis, is_whole, reads_old) in enumerate(forms):
        if not is_whole or rows[0] > rows[1]:
            element = elements[number % 4]
            yield Stream(rows, axis, element, is_whole=is_whole, reads_old=reads_old)


def compiled(program: str, tmp_path: Path, **options: str) -> forebay.Compiled:
    (tmp_path / "net.mlir").write_text(program)
    return forebay.compile(tmp_path / "net.mlir", **options)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("number", range(6))
def test_drawn_streams_compute_what_numpy_does(tmp_path: Path, number: int) -> None:
    for stream in list(drawn())[number::6]:
        model = compiled(stream.program(), tmp_path)
        for engine in ENGINES:
            model.reset(engine=engine)
            stream.random = np.random.default_rng(number)
            for x, y, z in stream.runs(4):
                results = model.run(x, engine=engine)
                np.testing.assert_array_equal(results[0], y)
                np.testing.assert_array_equal(results[1], z)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_reset_restores_the_initial_rows(tmp_path: Path, engine: EngineName) -> None:
    stream = Stream((3, 1), 0, "i8", is_whole=False, reads_old=True)
    model = compiled(stream.program(), tmp_path)
    for _ in range(2):
        model.reset(engine=engine)
        for x, y, z in stream.runs(3):
            results = model.run(x, engine=engine)
            np.testing.assert_array_equal(results[0], y)
            np.testing.assert_array_equal(results[1], z)


def test_a_window_is_no_buffer_of_the_workspace(tmp_path: Path) -> None:
    # The variable has the 4 rows of the window, of 12 bytes each, behind the 16 of the marker.
    part = Stream((3, 1), 0, "i8", is_whole=False, reads_old=False)
    model = compiled(part.program(), tmp_path)
    assert (model.plan.peak("workspace"), model.plan.peak("state")) == (0, 16 + 4 * 12)
    # The variable has 3 rows, and so has the window.
    whole = Stream((3, 1), 0, "i8", is_whole=True, reads_old=False)
    model = compiled(whole.program(), tmp_path)
    assert (model.plan.peak("workspace"), model.plan.peak("state")) == (0, 16 + 3 * 12)


def test_a_variable_does_not_grow_where_all_bytes_together_would(tmp_path: Path) -> None:
    # 5 new rows of 12 bytes would last; instead the window is in the workspace, where another
    # buffer of the network is as large.
    stream = Stream((1, 5), 0, "i8", is_whole=False, reads_old=False)
    large = "tensor<1x6x12xi8>"
    program = (
        stream.program()
        .replace(
            "  return",
            f"""
  %shape = tosa.const_shape {{values = dense<[1, 6, 12]> : tensor<3xindex>}} : () -> !tosa.shape<3>
  %r = tosa.reshape %y, %shape : (tensor<6x3x4xi8>, !tosa.shape<3>) -> {large}
  %p = tosa.reverse %r {{axis = 1 : i32}} : ({large}) -> {large}
  %q = tosa.reverse %p {{axis = 2 : i32}} : ({large}) -> {large}
  %back = tosa.const_shape {{values = dense<[6, 3, 4]> : tensor<3xindex>}} : () -> !tosa.shape<3>
  %t = tosa.reshape %q, %back : ({large}, !tosa.shape<3>) -> tensor<6x3x4xi8>
  return""",
        )
        .replace("return %y", "return %t")
    )
    model = compiled(program, tmp_path)
    assert model.plan.peak("state") == 16 + 12
    stream.random = np.random.default_rng(0)
    model.reset(engine="emulator")
    for x, y, _ in stream.runs(3):
        wanted = y.reshape(6, 12)[::-1, ::-1].reshape(6, 3, 4)
        np.testing.assert_array_equal(model.run(x, engine="emulator")[0], wanted)


@pytest.mark.parametrize(
    ("optimize", "workspace", "state"),
    # Three of four variables hold their windows for fewer bytes. The fourth has three new rows of
    # 40 bytes, for a workspace that is smaller by 104: for speed it holds its window, too.
    [("size", 200, 1264), ("speed", 96, 1384)],
)
def test_the_variables_of_a_network_hold_its_windows(
    optimize: str, workspace: int, state: int, shared_models: Path
) -> None:
    model = forebay.compile(shared_models / "mww_vad_int8.tflite", optimize=optimize)  # pyright: ignore[reportArgumentType]
    # With windows in the workspace: 672 and 1136.
    assert (model.plan.peak("workspace"), model.plan.peak("state")) == (workspace, state)


def test_equal_kernels_still_share_a_function(shared_models: Path, tmp_path: Path) -> None:
    """One of them computes new rows of a window; the other one has no window to write to."""
    forebay.compile(shared_models / "mww_vad_int8.tflite").write(tmp_path)
    source = (tmp_path / "mww_vad_int8.c").read_text()
    assert "conv_2d_23(" in source
    assert "conv_2d_28(" not in source


def test_the_memory_map_has_the_rows_and_the_quantisation(
    shared_models: Path, tmp_path: Path
) -> None:
    forebay.compile(shared_models / "mww_vad_int8.tflite").write(tmp_path)
    listed = json.loads((tmp_path / "mww_vad_int8.json").read_text())
    found = [buffer for buffer in listed["buffers"] if buffer["kind"] == "state"]
    assert sorted(buffer["shape"] for buffer in found) == [
        [1, 5, 1, 32],
        [1, 5, 1, 40],
        [1, 8, 1, 48],
        [1, 13, 1, 48],
    ]
    assert all("scale" in buffer for buffer in found)


@pytest.mark.parametrize("is_whole", [False, True])
def test_the_rows_that_last_are_those_before(tmp_path: Path, is_whole: bool) -> None:
    """The program is run before and after each pass, and its state is compared."""
    stream = Stream((3, 1), 1, "i16", is_whole=is_whole, reads_old=True)
    (tmp_path / "net.mlir").write_text(stream.program())
    forebay.compile(tmp_path / "net.mlir", verify_each=True)
