"""Fault injection into the driver's instructions: no mutant that matters is missed."""

from collections import Counter
from pathlib import Path

import pytest
from common.conv_layer import Layer
from common.drivers.gemmini_process import build_project
from common.mutants.gemmini_mutants import MutantDraw, judged, stream_of

import forebay
from forebay.isa.gemmini.geometry import GemminiGeometry

GEOMETRY = GemminiGeometry(scratchpad_kib=8, accumulator_kib=1)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mutants")
    layer = Layer(size=(5, 6), depth=19, channels=21)
    (folder / "net.mlir").write_text(layer.text())
    compiled = forebay.compile(folder / "net.mlir", target="gemmini:spad=8K,acc=1K")
    return build_project(compiled, folder)


@pytest.mark.slow
@pytest.mark.parametrize("each", [1, 3])
def test_every_mutant_that_matters_is_caught(library: Path, each: int) -> None:
    stream = stream_of(library, GEOMETRY)
    verdicts = [judged(library, GEOMETRY, m) for m in MutantDraw(stream, GEOMETRY, each).mutants()]
    missed = [v for v in verdicts if v.matters and v.caught_by is None]
    assert missed == []
    matter = Counter(v.mutant.kind for v in verdicts if v.matters)
    for kind in ("wrong row", "wrong bank", "missing preload", "wrong accumulate bit"):
        assert matter[kind] > 0
    # The flush concerns address translation only.
    assert matter["missing flush"] == 0
