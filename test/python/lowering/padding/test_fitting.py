"""Copies are made where the plan gets no more bytes, or where a budget allows them."""

from __future__ import annotations

from pathlib import Path

import pytest
from common.conv_layer import Layer
from common.padded_layers import text_of

import forebay

WIDE = Layer(size=(16, 16), depth=3, channels=8)
PEAK = Layer(size=(16, 16), depth=8, channels=8)
NARROW = Layer(size=(16, 16), depth=8, channels=2)
LATE = Layer(size=(16, 16), depth=2, channels=2)
NETWORK = (WIDE, PEAK, NARROW, LATE)
BYTES = 2 * 16 * 16 * 8
"""Source and result of the layer at the peak."""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "net.mlir").write_text(text_of(*NETWORK))
    return tmp_path / "net.mlir"


def copies_in(compiled: forebay.Compiled) -> int:
    return str(compiled.planned).count("memref.copy")


def peak_of(compiled: forebay.Compiled) -> int:
    return next(p.peak for p in compiled.memory_map.pools if p.name == "workspace")


def test_copies_take_no_bytes_of_the_plan(model: Path) -> None:
    compiled = forebay.compile(model)
    # Beside the sources with 8 channels is no room for a copy.
    assert copies_in(compiled) == 2 and peak_of(compiled) == BYTES
    assert peak_of(forebay.compile(model, optimize="size")) == BYTES


def test_a_budget_allows_more_bytes(model: Path) -> None:
    compiled = forebay.compile(model, budget=BYTES + 1024)
    assert copies_in(compiled) == 4 and BYTES < peak_of(compiled) <= BYTES + 1024


def test_a_budget_may_forbid_copies(model: Path) -> None:
    assert copies_in(forebay.compile(model, budget="min")) == 0


def test_code_for_size_has_no_copies(model: Path) -> None:
    assert copies_in(forebay.compile(model, optimize="size")) == 0
