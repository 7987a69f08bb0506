"""Networks on emulated microcontrollers: instructions, code, memory and stack, as a table and JSON.

`python benchmarks/mcu.py [--networks NAME ...] [--boards NAME ...] [--json FILE]` runs each network
freestanding in QEMU, on its golden inputs if there are any. Instruction counts are exact and of the
first inference; they are not cycles.
"""

import argparse
import json
from pathlib import Path

from measurement.networks import Network, networks, shared_models
from measurement.table import count, figures

import forebay
from forebay.mcu import McuReport, boards, measure
from forebay.mcu.tools import missing
from forebay.network.arrays import read_golden
from forebay.reports.table import show

DEFAULT = ["digits_int8", "kws_dscnn_int8", "ad01_int8", "person_detect_int8", "resnet8_int8"]
HEAD = ["network", "board", "instructions", "per MAC", "code", "constants", "pools", "stack"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", nargs="+", metavar="NAME")
    parser.add_argument("--boards", nargs="+", default=boards.names(), metavar="NAME")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    reports = [
        report for network in wanted(args.networks) for report in reports_of(network, args.boards)
    ]
    known = macs()
    rows = [row(report, known.get(report.model)) for report in reports]
    show([figures(HEAD, rows)])
    if args.json is not None:
        args.json.write_text(json.dumps([it.json() for it in reports], indent=2) + "\n")


def wanted(names: list[str] | None) -> list[Network]:
    if names is not None:
        return networks(names)
    return [network for network in networks() if network.name in DEFAULT]


def reports_of(network: Network, names: list[str]) -> list[McuReport]:
    compiled = forebay.compile(network.path)
    path = shared_models() / "golden" / "tflm" / f"{network.name}.npz"
    golden = ()
    if path.exists():
        golden = read_golden(path, compiled.inputs, compiled.outputs)[:1]
    found = []
    for name in names:
        board = boards.load(name)
        packages = " ".join(tool.package for tool in missing(board))
        if packages:
            print(f"{name} left out: apt-get install {packages}")
            continue
        found.append(measure(compiled, board, golden=golden))
    return found


def macs() -> dict[str, int]:
    """Return the multiply-accumulates of each network from the manifest of the shared networks."""
    manifest = shared_models() / "manifest.json"
    if not manifest.exists():
        return {}
    entries = json.loads(manifest.read_text())["models"]
    return {entry["name"]: entry["nn_macs"] for entry in entries if "nn_macs" in entry}


def row(report: McuReport, multiplications: int | None) -> list[str]:
    sizes = {True: 0, False: 0}
    for pool in report.pools:
        sizes[pool.kind == "constant"] += pool.size
    instructions = report.instructions[0]
    return [
        report.model,
        report.board,
        count(instructions),
        f"{instructions / multiplications:.1f}" if multiplications else "-",
        count(report.code),
        count(sizes[True]),
        count(sizes[False]),
        count(report.stack.bound),
    ]


if __name__ == "__main__":
    main()
