"""Products of matrices in tiles give NumPy's sums, in whatever memory there is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlir.dialects import scf

import forebay
from forebay.dialects import accel
from forebay.ir.nested import ops_nested_in

TARGET = Path(__file__).parents[3] / "common" / "machines" / "tiled_product.py"


def product(m: int, k: int, n: int) -> str:
    """One product of int8 matrices."""
    return f"""
func.func @main(%a: tensor<1x{m}x{k}xi8> {{accel.name = "a"}},
                %b: tensor<1x{k}x{n}xi8> {{accel.name = "b"}})
    -> (tensor<1x{m}x{n}xi32> {{accel.name = "c"}}) {{
  %z = "tosa.const"() {{values = dense<0> : tensor<1xi8>}} : () -> tensor<1xi8>
  %c = tosa.matmul %a, %b, %z, %z : (tensor<1x{m}x{k}xi8>, tensor<1x{k}x{n}xi8>, tensor<1xi8>,
    tensor<1xi8>) -> tensor<1x{m}x{n}xi32>
  return %c : tensor<1x{m}x{n}xi32>
}}
"""


def compiled(folder: Path, sizes: tuple[int, int, int], parameters: str) -> forebay.Compiled:
    """A product for the device with these parameters."""
    model = folder / "product.mlir"
    model.write_text(product(*sizes), encoding="utf-8")
    return forebay.compile(model, target=f"{TARGET}:{parameters}")


def check(found: forebay.Compiled, sizes: tuple[int, int, int]) -> None:
    """The device's sums are NumPy's."""
    m, k, n = sizes
    random = np.random.default_rng(3)
    a = random.integers(-128, 128, (1, m, k), dtype=np.int8)
    b = random.integers(-128, 128, (1, k, n), dtype=np.int8)
    expected = a.astype(np.int32) @ b.astype(np.int32)
    np.testing.assert_array_equal(found.run(a, b, engine="emulator"), expected)
    np.testing.assert_array_equal(found.run(a, b, engine="llvm"), expected)


def count(found: forebay.Compiled, name: str) -> int:
    """The number of calls of an intrinsic."""
    ops = ops_nested_in(found.planned)
    return sum(isinstance(op, accel.CallOp) and op.callee.value == f"npu.{name}" for op in ops)


SIZES = (13, 24, 10)
WHOLE = "spad=560,acc=528"
"""312 and 240 bytes, and 520 of sums, in multiples of 16: just enough for one tile."""


def test_what_fits_is_one_call(tmp_path: Path) -> None:
    found = compiled(tmp_path, SIZES, WHOLE)
    assert (count(found, "multiply"), count(found, "multiply_add")) == (1, 0)
    check(found, SIZES)


@pytest.mark.parametrize("begins", [0, 1])
@pytest.mark.parametrize("through", [0, 1])
@pytest.mark.parametrize("memories", ["spad=559,acc=528", "spad=200,acc=128", "spad=48,acc=64"])
def test_tiles_of_any_size_give_the_sums(
    memories: str, through: int, begins: int, tmp_path: Path
) -> None:
    found = compiled(tmp_path, SIZES, f"{memories},through={through},begins={begins}")
    sizes = dict(entry.split("=") for entry in memories.split(","))
    for pool, size in sizes.items():
        assert found.plan.peak(pool) <= int(size)
    assert count(found, "multiply") + count(found, "multiply_add") > 1
    check(found, SIZES)


def test_a_reduction_is_cut_where_a_row_does_not_fit(tmp_path: Path) -> None:
    """A row and a column have 48 bytes, the smallest tiles 2: sums of more than one part."""
    found = compiled(tmp_path, SIZES, "spad=48,acc=64")
    assert count(found, "multiply") > 0
    assert count(found, "multiply_add") > 0
    check(found, SIZES)


def test_a_result_in_place_is_written_run_by_run(tmp_path: Path) -> None:
    """All of the result is in `acc`: each call writes one contiguous range of it."""
    found = compiled(tmp_path, SIZES, "spad=400,acc=528,cuts=0,near=1")
    whole = compiled(tmp_path, SIZES, "spad=560,acc=528,cuts=0,near=1")
    assert count(whole, "multiply") == 1
    assert count(found, "multiply") > 1
    check(found, SIZES)


LARGE = (40, 50, 30)
MEMORIES = [
    "spad=208,acc=128",  # a reduction in two parts
    "spad=48,acc=64",  # in many, in a loop between the first and the last part
    "spad=208,acc=1008,cuts=0",
    "spad=96,acc=256,begins=1,through=1",
]


@pytest.mark.parametrize("memories", MEMORIES)
def test_many_tiles_are_loops_between_borders(memories: str, tmp_path: Path) -> None:
    found = compiled(tmp_path, LARGE, f"{memories},loops=1")
    assert count(found, "multiply") + count(found, "multiply_add") <= 8
    assert any(isinstance(op, scf.ForOp) for op in ops_nested_in(found.planned))
    check(found, LARGE)


def test_few_tiles_are_straight_code(tmp_path: Path) -> None:
    found = compiled(tmp_path, SIZES, "spad=208,acc=128,loops=1")
    assert not any(isinstance(op, scf.ForOp) for op in ops_nested_in(found.planned))


@pytest.mark.parametrize("reserved", [32, 240, 288, 528])
def test_tiles_are_placed_around_reserved_bytes(reserved: int, tmp_path: Path) -> None:
    """Tiles of 312 and 240 bytes have enough bytes in all, but each must be in one range."""
    found = compiled(tmp_path, SIZES, f"spad=576,acc=528,reserved={reserved}")
    assert found.plan.peak("spad") <= 576
    check(found, SIZES)


def test_less_than_the_smallest_tiles_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        forebay.Error,
        match="smallest tile of this operator needs 32 bytes of spad, but 31 are free",
    ):
        compiled(tmp_path, SIZES, "spad=31,acc=64")
    check(compiled(tmp_path, (2, 3, 2), "spad=32,acc=16"), (2, 3, 2))
