"""Activation memory of every network: the plan, other memory of the C code, and the best packing.

python benchmarks/memory.py [--rows] [--vela PATH] [NETWORK ...]

`--rows` adds, for `--budget min`: the live rows, the plan with inputs and outputs in pools, and the
plan with the caller's, in bytes; and the SRAM of Vela's smallest schedule (`--optimise Size`), if
`vela` is in PATH or named by `--vela PATH`. A network must not need more bytes with a budget than
without.

Planned is the peak of the workspace with inputs and outputs in pools, alignment 16. Other memory is
local objects above 16 bytes and static scratch of the emitted C. Their sum must not exceed the best
known packing of the tensors between operators plus 1,024 bytes. A sum below that packing means that
fusion removed tensors. State is listed separately, because it keeps its content from run to run.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from measurement.c_memory import CObject, extra_memory
from measurement.networks import Network, networks
from measurement.table import count, figures
from measurement.vela import find_vela, smallest_sram

import forebay
from forebay.reports.table import show

SLACK = 1024
HEAD = [
    "network",
    "planned",
    "local",
    "static",
    "total",
    "bound",
    "gap",
    "best",
    "TFLM",
    "state",
    "",
]


@dataclass(frozen=True)
class Memory:
    """Bytes of a network's activations, and numbers to compare them with."""

    planned: int
    local: int
    static: int
    bound: int
    state: int

    @property
    def total(self) -> int:
        """All bytes that count against the best packing."""
        return self.planned + self.local + self.static


@dataclass(frozen=True)
class Rows:
    """Bytes of the smallest plans: live rows, all ports in pools, all ports of the caller."""

    live: int
    pool: int
    caller: int


def main() -> int:
    """Print the table; return 1 if a network exceeds its limit or a required one is refused."""
    parser = argparse.ArgumentParser(description="activation memory of networks")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--vela", metavar="PATH")
    parser.add_argument("networks", nargs="*")
    arguments = parser.parse_args()
    by_rows, vela = arguments.rows, find_vela(arguments.vela) if arguments.rows else None
    rows, refusals, failures = [], [], 0
    for network in networks(arguments.networks):
        try:
            memory = measure(network.path)
            smallest = measure_rows(network.path) if by_rows else None
        except forebay.Error as reason:
            refusals.append(f"refused: {str(reason).partition(';')[0]}")
            failures += network.required
            continue
        verdict = _verdict(network, memory)
        failures += verdict == "FAIL"
        row = _row(network, memory, verdict)
        if smallest is not None:
            failures += smallest.pool > memory.planned
            floor = smallest_sram(vela, network.path) if vela else None
            row[-1:-1] = map(count, (smallest.live, smallest.pool, smallest.caller, floor))
        rows.append(row)
    more = ["live rows", "by rows", "caller's", "Vela"] if by_rows else []
    show([figures([*HEAD[:-1], *more, HEAD[-1]], rows)])
    print("\n".join(["", *refusals]))
    print(f"pass: total is at most best + {SLACK:,} bytes")
    return 1 if failures else 0


def measure(model: Path) -> Memory:
    """Compile the model, write its C and measure both."""
    compiled = forebay.compile(model, target="host", io="pool")
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        compiled.write(project, golden=())
        memory_map = project / f"{compiled.info.name}.json"
        pools = json.loads(memory_map.read_text())["pools"]
        writable = [CObject(x["name"], max(x["peak"], 1)) for x in pools if x["kind"] != "constant"]
        local, static = extra_memory(sorted(project.glob("*.c")), writable, Path(folder))
    return Memory(
        planned=_total(pools, "workspace", "peak"),
        local=sum(x.size for x in local),
        static=sum(x.size for x in static),
        bound=_total(pools, "workspace", "lower_bound"),
        state=_total(pools, "state", "peak"),
    )


def measure_rows(model: Path) -> Rows:
    """Compile the model with the smallest budget."""
    pool = forebay.compile(model, target="host", io="pool", budget="min").plan
    caller = forebay.compile(model, target="host", budget="min").plan
    return Rows(pool.lower_bound("workspace"), pool.peak("workspace"), caller.peak("workspace"))


def _total(pools: list[dict], kind: str, figure: str) -> int:
    return sum(pool[figure] or 0 for pool in pools if pool["kind"] == kind)


def _verdict(network: Network, memory: Memory) -> str:
    if network.best_packing is None:
        return "no packing known"
    return "pass" if memory.total <= network.best_packing + SLACK else "FAIL"


def _row(network: Network, memory: Memory, verdict: str) -> list[str]:
    gap = f"{memory.planned / memory.bound - 1:.1%}" if memory.bound else "-"
    figures = [memory.planned, memory.local, memory.static, memory.total, memory.bound]
    others = [network.best_packing, network.tflm_arena, memory.state]
    return [network.name, *map(count, figures), gap, *map(count, others), verdict]


if __name__ == "__main__":
    sys.exit(main())
