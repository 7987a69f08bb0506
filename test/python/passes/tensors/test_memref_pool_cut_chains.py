"""Chains of boxes that are cut become the same memrefs as chains that are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.boxed_reduce import Window, straight
from mlir import ir

import forebay
from forebay.options import Options
from forebay.pipelines import run_pipeline, stages

CUT = "memref-pool-cut-chains"
ROWS, TILES = 4, 40
WINDOW = Window(rows=ROWS * TILES, channels=8, kernel=3, depth=4, height=ROWS * TILES, before=1)


def program() -> str:
    tiles = [((ROWS * tile, ROWS), (0, 8)) for tile in range(TILES)]
    return straight(WINDOW, tiles, [((0, 3), (0, 4))])


def bufferized(length: int) -> str:
    """The program on memrefs, after cuts every `length` writes."""
    options = Options(target="host")
    passes = [*stages.lowering_passes(options), *stages.bufferization_passes(options)]
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(program())
        for text in passes:
            options_of_cut = f"{{length={length}}}" if text == CUT else ""
            run_pipeline(module, f"builtin.module({text}{options_of_cut})")
        return str(module)


@pytest.mark.parametrize("length", [1, 5, 23])
def test_cut_chains_become_the_same_memrefs(length: int) -> None:
    assert bufferized(length) == bufferized(1000)


def test_cut_chains_have_the_right_bits(tmp_path: Path) -> None:
    """More tiles than the default length; each pass runs before and after."""
    assert TILES > 32
    text = program()
    (tmp_path / "boxes.mlir").write_text(text, "utf-8")
    compiled = forebay.compile(tmp_path / "boxes.mlir", verify_each=True)
    inputs = WINDOW.inputs(0)
    np.testing.assert_array_equal(compiled.run(*inputs), WINDOW.expected(*inputs))
