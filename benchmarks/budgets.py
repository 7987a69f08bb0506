"""Budgets between the smallest and the layer-wise plan: each is met, or refused truthfully.

python benchmarks/budgets.py [--steps 12] [--io caller] [NETWORK ...]

The steps are at equal distances from the smallest plan to the layer-wise one. Columns:

    smallest   bytes of the workspace under `--budget min`
    layers     bytes of the layer-wise plan
    peaks      bytes of the plans of the steps, ascending budgets
    refused    the smallest budget that works, as the refusal of one byte less says

The exit code is 1 if a plan is above its budget, if a budget at or above the smallest is refused,
if a larger budget has a smaller peak, or if one byte less than the smallest is not refused with a
budget that works. Networks without a plan by rows are left out.
"""

import argparse
import re
import sys
from itertools import pairwise
from pathlib import Path

from measurement.networks import Network, networks
from measurement.table import count, figures

import forebay
from forebay.errors import Error
from forebay.options.choices import Io
from forebay.pools import PoolKind
from forebay.reports.table import show

HEAD = ["network", "smallest", "layers", "refused", "failures"]
WORKS = re.compile(r"the smallest budget that works is ([\d,]+)")


def main() -> int:
    """Print a line and the peaks of each network; return 1 for a broken promise."""
    parser = argparse.ArgumentParser(description="budgets in equal steps")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--io", choices=("caller", "pool"), default="caller")
    parser.add_argument("networks", nargs="*")
    arguments = parser.parse_args()
    failures = 0
    for network in networks(arguments.networks):
        failures += _swept(network, arguments.io, arguments.steps)
        sys.stdout.flush()
    return int(failures > 0)


def peak_within(path: Path, budget: int | str | None, io: Io) -> int | None:
    """Return the bytes of all workspaces with a budget for each, or None if it is refused."""
    try:
        compiled = forebay.compile(path, io=io, budget=() if budget is None else budget)
    except Error:
        return None
    spaces = [p.name for p in compiled.info.pools if p.kind is PoolKind.workspace]
    return max((compiled.plan.peak(name) for name in spaces), default=0)


def failures_of(budgets: list[int], peaks: list[int | None]) -> list[str]:
    """Return what is wrong with the peaks of ascending budgets, all of which should be met."""
    found = [f"{b:,} is refused" for b, p in zip(budgets, peaks, strict=True) if p is None]
    known = [(b, p) for b, p in zip(budgets, peaks, strict=True) if p is not None]
    found += [f"{peak:,} is above {budget:,}" for budget, peak in known if peak > budget]
    for (small, before), (large, after) in pairwise(known):
        if after < before:
            found.append(f"{large:,} has {after:,}, and {small:,} has {before:,}")
    return found


def budgets_between(smallest: int, layers: int, steps: int) -> list[int]:
    """Return so many budgets at equal distances, both ends among them."""
    return [smallest + (layers - smallest) * n // (steps - 1) for n in range(steps)]


def _swept(network: Network, io: Io, steps: int) -> int:
    layers, smallest = (peak_within(network.path, budget, io) for budget in (None, "min"))
    if layers is None or smallest is None or smallest == layers:
        return 0
    budgets = budgets_between(smallest, layers, steps)
    peaks = [peak_within(network.path, budget, io) for budget in budgets]
    named = _named_by_refusal(network.path, smallest - 1, io)
    found = failures_of(budgets, peaks)
    if named is None or (peak_within(network.path, named, io) or named + 1) > named:
        found.append(f"{smallest - 1:,} is not refused with a budget that works")
    show([figures(HEAD, [[network.name, *map(count, (smallest, layers, named, len(found)))]])])
    print("peaks:", " ".join(map(count, peaks)))
    print(*found, sep="\n", end="\n\n" if found else "\n")
    return len(found)


def _named_by_refusal(path: Path, budget: int, io: Io) -> int | None:
    try:
        forebay.compile(path, io=io, budget=budget)
    except Error as error:
        match = WORKS.search(str(error))
        return None if match is None else int(match[1].replace(",", ""))
    return None


if __name__ == "__main__":
    sys.exit(main())
