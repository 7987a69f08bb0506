"""Pooling in vectors of channels has the elements of pooling one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import forebay
from forebay.mcu import boards, measure
from forebay.mcu.tools import missing

CPUS = ("generic", "cortex-m4", "cortex-m55", "x86-64-v3", "x86-64-v4", "cascadelake", "cortex-a76")


class Pool(NamedTuple):
    """A `tosa.max_pool2d`: extents of the image, window, and padding before and after each axis."""

    channels: int
    size: tuple[int, int] = (7, 6)
    kernel: tuple[int, int] = (3, 2)
    stride: tuple[int, int] = (2, 1)
    pad: tuple[int, int, int, int] = (1, 1, 0, 1)

    @property
    def out(self) -> tuple[int, int]:
        """The extents of the result."""
        (h, w), (ky, kx), (sy, sx) = self.size, self.kernel, self.stride
        top, bottom, left, right = self.pad
        return (h + top + bottom - ky) // sy + 1, (w + left + right - kx) // sx + 1

    def text(self, limit: int | None = None) -> str:
        """Return a program of two pools; the result of the second one may be limited."""
        source = f"tensor<1x{self.size[0]}x{self.size[1]}x{self.channels}xi8>"
        middle = f"tensor<1x{self.out[0]}x{self.out[1]}x{self.channels}xi8>"
        options = ", ".join(
            f"{name} = array<i64: {', '.join(map(str, values))}>"
            for name, values in (
                ("kernel", self.kernel),
                ("stride", self.stride),
                ("pad", self.pad),
            )
        )
        same = "kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, pad = array<i64: 0, 1, 1, 0>"
        clamp = (
            ""
            if limit is None
            else f"%c = tosa.clamp %b {{min_val = -{limit} : i8, max_val = {limit} : i8}} "
            f": ({middle}) -> {middle}"
        )
        return f"""
          func.func @main(%x: {source}) -> {middle} {{
            %a = tosa.max_pool2d %x {{{options}}} : ({source}) -> {middle}
            %b = tosa.max_pool2d %a {{{same}}} : ({middle}) -> {middle}
            {clamp}
            return {"%b" if limit is None else "%c"} : {middle}
          }}
        """


def pooled(
    source: NDArray[np.int8],
    kernel: tuple[int, int],
    stride: tuple[int, int],
    pad: tuple[int, int, int, int],
) -> NDArray[np.int8]:
    """Return the largest elements of the windows of `[h, w, channels]`."""
    padded: NDArray[Any] = np.pad(source, (pad[:2], pad[2:], (0, 0)), constant_values=-128)
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=(0, 1))
    return windows[:: stride[0], :: stride[1]].max(axis=(-2, -1)).astype(np.int8)


def expected(pool: Pool, source: NDArray[np.int8], limit: int | None) -> NDArray[np.int8]:
    first = pooled(source[0], pool.kernel, pool.stride, pool.pad)
    second = pooled(first, (2, 2), (1, 1), (0, 1, 1, 0))
    return second[None] if limit is None else np.clip(second, -limit, limit)[None]


def compiled(folder: Path, text: str, cpu: str, **options: Any) -> forebay.Compiled:
    (folder / "net.mlir").write_text(text)
    return forebay.compile(folder / "net.mlir", cpu=cpu, **options)


def source_of(pool: Pool) -> NDArray[np.int8]:
    rng = np.random.default_rng(pool.channels)
    return rng.integers(-128, 128, (1, *pool.size, pool.channels)).astype(np.int8)


@pytest.mark.parametrize("channels", [1, 3, 4, 5, 8, 15, 16, 20, 21, 24, 37])
def test_pools_of_any_number_of_channels(channels: int, tmp_path: Path) -> None:
    pool, limit = Pool(channels), 90 if channels % 2 else None
    source = source_of(pool)
    for cpu in ("cortex-m4", "cortex-m55", "x86-64-v3"):
        program = compiled(tmp_path, pool.text(limit), cpu)
        np.testing.assert_array_equal(
            program.run(source, engine="llvm"), expected(pool, source, limit)
        )


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("engine", ["c", "emulator"])
def test_pools_on_each_processor(
    cpu: str, engine: Literal["c", "emulator"], tmp_path: Path
) -> None:
    pool = Pool(24)
    source = source_of(pool)
    program = compiled(tmp_path, pool.text(100), cpu)
    np.testing.assert_array_equal(program.run(source, engine=engine), expected(pool, source, 100))
    assert ("forebay_max_i8x" in _text(program, tmp_path)) == (cpu != "generic")


def _text(program: forebay.Compiled, folder: Path) -> str:
    program.write(folder / "project")
    return "".join(path.read_text() for path in (folder / "project").glob("net.c"))


@pytest.mark.parametrize("cpu", ["cortex-m4", "cortex-m55"])
def test_rows_of_a_budget_are_pooled_in_vectors(cpu: str, tmp_path: Path) -> None:
    pool = Pool(18, size=(17, 8))
    source = source_of(pool)
    program = compiled(tmp_path, pool.text(), cpu, budget="min")
    assert program.plan.peak("workspace") < 18 * pool.out[0] * pool.out[1]
    for engine in ("llvm", "c"):
        np.testing.assert_array_equal(
            program.run(source, engine=engine), expected(pool, source, None)
        )


def averaged(pool: Pool, source: NDArray[np.int8], zero: int, zero_out: int) -> NDArray[Any]:
    """Return the means of the windows of `[h, w, channels]`, with halves away from zero."""
    pads = (pool.pad[:2], pool.pad[2:], (0, 0))
    inside: NDArray[Any] = np.pad(np.ones(source.shape, np.int64), pads)
    values: NDArray[Any] = np.pad(source.astype(np.int64) - zero, pads)
    sums, counts = (
        np.lib.stride_tricks.sliding_window_view(x, pool.kernel, axis=(0, 1)).sum(axis=(-2, -1))[
            :: pool.stride[0], :: pool.stride[1]
        ]
        for x in (values, inside)
    )
    means = np.sign(sums) * ((np.abs(sums) + counts // 2) // counts)
    return np.clip(means + zero_out, -128, 127)


def average_text(pool: Pool, zero: int, zero_out: int) -> str:
    source = f"tensor<1x{pool.size[0]}x{pool.size[1]}x{pool.channels}xi8>"
    result = f"tensor<1x{pool.out[0]}x{pool.out[1]}x{pool.channels}xi8>"
    kernel, stride, pad = (
        f"array<i64: {', '.join(map(str, values))}>"
        for values in (pool.kernel, pool.stride, pool.pad)
    )
    return f"""
      func.func @main(%x: {source}) -> {result} {{
        %i = "tosa.const"() <{{values = dense<{zero}> : tensor<1xi8>}}> : () -> tensor<1xi8>
        %o = "tosa.const"() <{{values = dense<{zero_out}> : tensor<1xi8>}}> : () -> tensor<1xi8>
        %a = tosa.avg_pool2d %x, %i, %o {{
            acc_type = i32, kernel = {kernel}, stride = {stride}, pad = {pad}
        }} : ({source}, tensor<1xi8>, tensor<1xi8>) -> {result}
        return %a : {result}
      }}
    """


@pytest.mark.parametrize("channels", [3, 4, 7, 8, 18])
def test_averages_of_any_number_of_channels(channels: int, tmp_path: Path) -> None:
    pool, (zero, zero_out) = Pool(channels), (7, -9) if channels % 2 else (0, 0)
    source = source_of(pool)
    wanted = averaged(pool, source[0], zero, zero_out)[None]
    for cpu in ("cortex-m55", "x86-64-v3"):
        program = compiled(tmp_path, average_text(pool, zero, zero_out), cpu)
        np.testing.assert_array_equal(program.run(source, engine="llvm"), wanted)


@pytest.mark.parametrize("cpu", ["cortex-m55", "x86-64-v3", "cortex-a76"])
@pytest.mark.parametrize("engine", ["c", "emulator"])
def test_averages_on_each_processor(
    cpu: str, engine: Literal["c", "emulator"], tmp_path: Path
) -> None:
    pool = Pool(18)
    source = source_of(pool)
    program = compiled(tmp_path, average_text(pool, 3, -5), cpu)
    wanted = averaged(pool, source[0], 3, -5)[None]
    np.testing.assert_array_equal(program.run(source, engine=engine), wanted)
    assert "forebay_get_i32x" in _text(program, tmp_path)


@pytest.mark.parametrize(
    ("cpu", "name", "ratio"), [("cortex-m4", "mps2-an386", 3), ("cortex-m55", "mps3-an547", 10)]
)
def test_instructions_of_boards(cpu: str, name: str, ratio: int, tmp_path: Path) -> None:
    board = boards.load(name)
    if absent := missing(board):
        pytest.skip(f"no {absent[0].program}")
    image, result = "tensor<1x24x24x24xi8>", "tensor<1x12x12x24xi8>"
    text = f"""
      func.func @main(%x: {image}) -> {result} {{
        %a = tosa.max_pool2d %x {{
            kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>, pad = array<i64: 0, 1, 0, 1>
        }} : ({image}) -> {result}
        return %a : {result}
      }}
    """
    plain, fast = (measure(compiled(tmp_path, text, own), board) for own in ("generic", cpu))
    assert [it.hash for it in fast.outputs] == [it.expected for it in fast.outputs]
    assert ratio * fast.instructions[0] < plain.instructions[0]
