"""Mutants of the instructions that Gemmini's driver issues: how many matter, and who catches them.

python benchmarks/devices/gemmini_mutants.py [--each N]

The network is a small convolution in small memories, so that it is cut into several tiles.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "test"))

from common.conv_layer import Layer  # noqa: E402
from common.drivers.gemmini_process import build_project  # noqa: E402
from common.mutants.gemmini_mutants import MutantDraw, Verdict, judged, stream_of  # noqa: E402

import forebay  # noqa: E402
from forebay.isa.gemmini.geometry import GemminiGeometry  # noqa: E402


def main() -> None:
    """Draw, judge and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=20, help="mutants of each kind")
    arguments = parser.parse_args()
    geometry = GemminiGeometry(scratchpad_kib=8, accumulator_kib=1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "net.mlir").write_text(Layer(size=(5, 6), depth=19, channels=21).text())
        compiled = forebay.compile(path / "net.mlir", target="gemmini:spad=8K,acc=1K")
        library = build_project(compiled, path)
        stream = stream_of(library, geometry)
        draw = MutantDraw(stream, geometry, arguments.each)
        with silent():  # the self-tests of mutants print what differs
            verdicts = [judged(library, geometry, mutant) for mutant in draw.mutants()]
    print(f"{len(stream)} instructions, {len(verdicts)} mutants")
    print("| kind | drawn | matter | by a fault | by outputs only | missed |")
    print("|---|---:|---:|---:|---:|---:|")
    for kind in dict.fromkeys(verdict.mutant.kind for verdict in verdicts):
        print(_row(kind, [verdict for verdict in verdicts if verdict.mutant.kind == kind]))
    print(_row("all", verdicts))


@contextmanager
def silent() -> Iterator[None]:
    """Discard what C code prints."""
    sys.stdout.flush()
    kept = os.dup(1)
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        try:
            yield
        finally:
            ctypes.CDLL(None).fflush(None)
            os.dup2(kept, 1)
            os.close(kept)


def _row(kind: str, verdicts: list[Verdict]) -> str:
    matter = [verdict for verdict in verdicts if verdict.matters]
    by = Counter(verdict.caught_by for verdict in matter)
    faults = len(matter) - by["outputs"] - by[None]
    return f"| {kind} | {len(verdicts)} | {len(matter)} | {faults} | {by['outputs']} | {by[None]} |"


if __name__ == "__main__":
    main()
