"""Modelled cycles of Gemmini beside published ones: products, and the layers of ResNet-50.

python benchmarks/devices/gemmini_cycles.py [--target gemmini] [--batch 4]

Each layer is compiled and run in the emulator, which models the time of the device; the host's work
takes no time. Layers of 1x1 take the whole batch at once, the others an image at a time. The
published number is of a whole network in hardware simulation, with other software.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from layers import LayerShape, model_of, resnet50

import forebay
from forebay.emulator.machine.operator_times import operator_times
from forebay.emulator.machine.timeline import HOST
from forebay.reports.table import show

sys.path.append(str(Path(__file__).parents[1]))
from measurement.table import count, figures

_PEAK = 256
"""MACs of the array per cycle."""

_PUBLISHED = 153_709_356
"""Cycles of ResNet-50 at batch 4: https://github.com/ucb-bar/gemmini/issues/69."""

_PUBLISHED_UTILISATION = "40 % of that run; 51 % in https://github.com/ucb-bar/gemmini/issues/90"
_PRODUCTS = (16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class LayerCycles:
    """Cycles and MACs of the device for a layer, and the lane that bounds it."""

    cycles: int
    macs: int
    bound: str

    def times(self, number: int) -> LayerCycles:
        """Return what several equal layers take, one after the other."""
        return LayerCycles(self.cycles * number, self.macs * number, self.bound)


def measure(layer: LayerShape, target: str, batch: int, folder: Path) -> LayerCycles:
    """Return the modelled cycles of a batch of one layer."""
    is_joined = layer.kernel == 1 and layer.stride == 1
    images = batch if is_joined else 1
    path = folder / "layer.mlir"
    path.write_text(model_of(layer, images), encoding="utf-8")
    emulator = forebay.compile(path, target=target).emulator()
    emulator.run([np.zeros((images, layer.size, layer.size, layer.inputs), np.int8)])
    report = emulator.report
    bounds = [found.bound for found in operator_times(report.timeline) if found.bound != HOST]
    found = LayerCycles(report.cycles, layer.macs * images, bounds[0])
    return found.times(batch // images)


def products(target: str, folder: Path) -> Iterator[list[str]]:
    """Yield a row of the table for square products."""
    for size in _PRODUCTS:
        layer = LayerShape("product", 1, size, size)
        found = measure(layer, target, size, folder)
        yield row(f"{size} x {size} x {size}", 1, found)


def row(name: str, number: int, found: LayerCycles) -> list[str]:
    """Return a row: layers, MACs, cycles, the share of the peak, and what bounds it."""
    share = f"{found.macs / _PEAK / found.cycles:.0%}"
    return [name, count(number), count(found.macs), count(found.cycles), share, found.bound]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--target", default="gemmini", help="Gemmini with its parameters")
    parser.add_argument("--batch", type=int, default=4, help="images at a time")
    arguments = parser.parse_args()
    head = ["layers", "number", "MACs", "cycles", "of the peak", "bound by"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        show([figures(["product", *head[1:]], list(products(arguments.target, folder))), ""])
        kinds: dict[str, list[LayerCycles]] = defaultdict(list)
        numbers: dict[str, int] = defaultdict(int)
        for layer in resnet50():
            found = measure(layer, arguments.target, arguments.batch, folder)
            kinds[layer.kind].append(found.times(layer.count))
            numbers[layer.kind] += layer.count
    totals = {
        kind: LayerCycles(sum(f.cycles for f in all_), sum(f.macs for f in all_), all_[0].bound)
        for kind, all_ in kinds.items()
    }
    rows = [row(kind, numbers[kind], total) for kind, total in totals.items()]
    cycles = sum(total.cycles for total in totals.values())
    macs = sum(total.macs for total in totals.values())
    rows.append(row("ResNet-50", sum(numbers.values()), LayerCycles(cycles, macs, "")))
    show([figures(head, rows), ""])
    print(f"published: {_PUBLISHED:,} cycles; modelled {cycles / _PUBLISHED:.2f} of them")
    print(f"published utilisation: {_PUBLISHED_UTILISATION}")


if __name__ == "__main__":
    main()
