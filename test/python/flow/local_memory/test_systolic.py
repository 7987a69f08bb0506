"""Tiles that a stage cuts, of a device that the host reaches by its transfers only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import forebay

from .systolic import product

TARGET = Path(__file__).parent / "systolic.py"
M, K, N = 48, 32, 32
WEIGHTS = np.random.default_rng(2).integers(-128, 128, (K, N), np.int8)
X = np.random.default_rng(3).integers(-128, 128, (1, M, K), np.int8)
WANTED = X.astype(np.int32) @ WEIGHTS.astype(np.int32)


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
@pytest.mark.parametrize(
    "options", ["", "loops=1", "queues=1", "loops=1,queues=1", "queues=2", "loops=1,queues=2"]
)
def test_what_a_function_stores_for_its_caller_is_kept(
    tmp_path: Path, engine: str, options: str
) -> None:
    program = tmp_path / "product.mlir"
    program.write_text(product(M, K, N, WEIGHTS))
    model = forebay.compile(program, target=f"{TARGET}:{options}" if options else str(TARGET))
    assert np.array_equal(model.run(X, engine=engine), WANTED)


@pytest.mark.parametrize("options", ["", "loops=1,queues=1"])
def test_every_pass_keeps_what_tiles_compute(tmp_path: Path, options: str) -> None:
    """Parts of matrices are no contiguous operands, and no pool holds them, until both are made."""
    program = tmp_path / "product.mlir"
    program.write_text(product(M, K, N, WEIGHTS))
    target = f"{TARGET}:{options}" if options else str(TARGET)
    model = forebay.compile(program, target=target, verify_each=True)
    assert np.array_equal(model.run(X, engine="emulator"), WANTED)


def test_a_register_of_two_queues_is_free_at_the_end_of_an_iteration(tmp_path: Path) -> None:
    """The loop is pipelined all the same: the tiles of the next iteration load meanwhile."""
    program = tmp_path / "product.mlir"
    program.write_text(product(M, K, N, WEIGHTS))
    model = forebay.compile(program, target=f"{TARGET}:loops=1,queues=2")
    planned = str(model.planned)
    assert "use the same memory" not in planned  # the reason why it would not be pipelined
    assert planned.count("memref_pool.alloc at <@array.pe") == 1
    assert "accel.launch @array.preload" in planned and "accel.start @array.mvin" in planned
    model.run(X, engine="emulator")
