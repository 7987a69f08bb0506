"""CPU time and memory of a compilation, phase by phase, beside Vela and another Forebay.

python benchmarks/compile_time.py [--rounds N] [--vela PATH] [--against PYTHON] [NETWORK ...]

Every measurement is a fresh process. The runs of this Forebay, of the other one and of Vela
alternate, so that a machine that is slow for a while is slow for all. All times are CPU seconds of
all threads and child processes, user and system. A time is the lowest of the rounds, because other
load only adds to it; a ratio divides such times.
"""

import argparse
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from measurement.compile_runs import (
    PHASES,
    STARTS,
    STREAMED,
    OurRun,
    RefusedError,
    compiled,
    start_up,
)
from measurement.networks import Network, networks
from measurement.table import figures, seconds
from measurement.vela import MISSING, VelaRun, compile_with_vela, find_vela

from forebay.reports.table import ReportPart, show

LARGE = {"mobilenetv2_tf2_int8", "movenet_lightning_int8", "dtln_int8"}
STREAMED_NETWORK = "mobilenetv2_tf2_int8"
AIM_COMPILATION, AIM_LARGE, AIM_BUILD, AIM_MIB = 2.0, 5.0, 2.0, 1024.0
AIM_START, AIM_VELA = 1.5, 2.0
AIM_SMALLEST, AIM_SMALLEST_LARGE = 5.0, 60.0
HEAD = [*PHASES, "all", "C build", "command", "min", "vela", "ratio", "MiB", "C MiB", "vela MiB"]
LEGEND = """
CPU seconds. start: Python, and loading the compiler; import: .tflite to TOSA; passes: to loops in
pools; emission: C files without the self-test; all: these four; C build: gcc -O2; command: the
process of `forebay compile -o`, with the self-test and the check of its values; min: the same with
`--budget min --io pool`; vela: Vela's process, .tflite to a command stream; ratio: command/vela.
*: Vela put no operator on its accelerator, so it planned nothing. MiB: peaks.
"""
AGAINST = """
This Forebay's CPU seconds divided by those of {python}.
"""


@dataclass(frozen=True)
class Case:
    """A network and the target that it is compiled for."""

    network: Network
    target: str = "host"

    @property
    def name(self) -> str:
        """The network's name, and the target if it is not the host."""
        name = self.network.name
        return name if self.target == "host" else f"{name} streamed"


@dataclass(frozen=True)
class Round:
    """A compilation, directly followed by one of the other Forebay and one by Vela."""

    ours: OurRun
    other: OurRun | None
    vela: VelaRun | None


def main() -> int:
    """Measure, print the tables and the aims; return 1 if an aim is missed or a network refused."""
    options = _options()
    vela, other = find_vela(options.vela), options.against
    if not vela:
        print(MISSING)
    starts = _starts(options.rounds, other)
    measured: dict[Case, list[Round]] = {}
    refused: list[Case] = []
    for case in _cases(networks(options.networks)):
        print(f"{case.name} ...", file=sys.stderr, flush=True)
        try:
            measured[case] = [_round(case, vela, other) for _ in range(options.rounds)]
        except RefusedError as reason:
            print(f"{case.name}: refused: {reason}")
            refused += [case] if case.network.required else []
    show(["", *_start_table(starts), LEGEND, _table(measured)])
    if other:
        show([AGAINST.format(python=other), _ratios(measured)])
    missed = [*_slow_starts(starts[sys.executable])]
    missed += [line for case, rounds in measured.items() for line in _missed(case, rounds)]
    print("\n".join(["", *_aims(missed)]))
    return 1 if missed or refused else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="compile times, beside Vela's")
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help="all that are there")
    parser.add_argument("--rounds", type=int, default=3, help="measurements each (3)")
    parser.add_argument("--vela", metavar="PATH", help="the vela command; else the one on PATH")
    parser.add_argument(
        "--against", metavar="PYTHON", help="the Python of an environment with another Forebay"
    )
    options = parser.parse_args()
    if options.against and not shutil.which(options.against):
        parser.error(f"--against {options.against}: no such command")
    return options


def _cases(found: list[Network]) -> list[Case]:
    streamed = [Case(it, STREAMED) for it in found if it.name == STREAMED_NETWORK]
    return [*map(Case, found), *streamed]


def _round(case: Case, vela: str | None, other: str | None) -> Round:
    path = case.network.path
    return Round(
        compiled(sys.executable, path, case.target),
        compiled(other, path, case.target) if other else None,
        compile_with_vela(vela, path) if vela and case.target == "host" else None,
    )


def _starts(rounds: int, other: str | None) -> dict[str, dict[str, float]]:
    """Return the lowest times of each start by the Python; a first round writes bytecode."""
    pythons = [sys.executable, *([other] if other else [])]
    found = [{python: start_up(python) for python in pythons} for _ in range(rounds + 1)]
    return {
        python: {name: min(it[python][name] for it in found[1:]) for name in STARTS}
        for python in pythons
    }


def _start_table(starts: Mapping[str, Mapping[str, float]]) -> list[ReportPart]:
    rows = [
        [name, *(text for times in starts.values() for text in _beside(times, name))]
        for name in STARTS
    ]
    head = ["start-up", "seconds", "ratio", *(["against", "ratio"] if len(starts) > 1 else [])]
    return [figures(head, rows)]


def _beside(times: Mapping[str, float], name: str) -> list[str]:
    return [seconds(times[name]), f"{times[name] / times['import mlir.ir']:.2f}"]


def _slow_starts(times: Mapping[str, float]) -> list[str]:
    limit = AIM_START * times["import mlir.ir"]
    return [
        f"{name}: {times[name]:.3f} s, aim {limit:.3f} s" for name in times if times[name] > limit
    ]


def _table(measured: Mapping[Case, list[Round]]) -> ReportPart:
    return figures(["network", *HEAD], [[it.name, *_cells(measured[it])] for it in measured])


def _cells(rounds: list[Round]) -> list[str]:
    ours, vela = [x.ours for x in rounds], [x.vela for x in rounds if x.vela]
    times = [*_phases(ours).values(), _process(ours), _build(ours), _command(ours)]
    least = _smallest(ours)
    peaks = [max(x.peak_mib for x in ours), max(x.build_peak_mib for x in ours)]
    beside = [seconds(_vela(vela)), f"{_command(ours) / _vela(vela):.1f}"] if vela else ["-", "-"]
    if vela and not vela[0].npu_operators:
        beside[0] += "*"
    vela_peak = f"{max(x.peak_mib for x in vela):.0f}" if vela else "-"
    shown = [*map(seconds, times), "-" if least is None else seconds(least)]
    return [*shown, *beside, *(f"{peak:.0f}" for peak in peaks), vela_peak]


def _ratios(measured: Mapping[Case, list[Round]]) -> ReportPart:
    rows: list[list[str]] = []
    for case, rounds in measured.items():
        ours, other = [x.ours for x in rounds], [x.other for x in rounds if x.other]
        pairs = [*zip(_phases(ours).values(), _phases(other).values(), strict=True)]
        pairs += [(lowest(ours), lowest(other)) for lowest in (_process, _build, _command)]
        rows.append([case.name, *(f"{new / old:.2f}" for new, old in pairs)])
    return figures(["network", *HEAD[: len(PHASES) + 3]], rows)


def _phases(runs: list[OurRun]) -> dict[str, float]:
    return {phase: min(x.phases[phase] for x in runs) for phase in PHASES}


def _compilation(runs: list[OurRun]) -> float:
    return min(x.compilation for x in runs)


def _process(runs: list[OurRun]) -> float:
    return min(x.process for x in runs)


def _build(runs: list[OurRun]) -> float:
    return min(x.build for x in runs)


def _command(runs: list[OurRun]) -> float:
    return min(x.command for x in runs)


def _smallest(runs: list[OurRun]) -> float | None:
    return min((x.smallest for x in runs if x.smallest is not None), default=None)


def _vela(runs: list[VelaRun]) -> float:
    return min(x.cpu_seconds for x in runs)


def _missed(case: Case, rounds: list[Round]) -> list[str]:
    ours, vela = [x.ours for x in rounds], [x.vela for x in rounds if x.vela]
    other = [x.other for x in rounds if x.other]
    peak = max(max(x.peak_mib, x.build_peak_mib) for x in ours)
    allowed = AIM_LARGE if case.network.name in LARGE else AIM_COMPILATION
    limits = [
        ("import, passes and emission", _compilation(ours), allowed, "s"),
        ("C build", _build(ours), AIM_BUILD, "s"),
        ("peak memory", peak, AIM_MIB, "MiB"),
    ]
    least = _smallest(ours)
    if least is not None:
        most = AIM_SMALLEST_LARGE if case.network.name in LARGE else AIM_SMALLEST
        limits.append(("the command under --budget min", least, most, "s"))
    if vela and case.network.name not in LARGE:
        limits.append(("the command", _command(ours), AIM_VELA * _vela(vela), "s"))
    if other:
        limits.append(("all phases, as before", _process(ours), _process(other), "s"))
    return [
        f"{case.name}: {what}: {found:.2f} {unit}, aim {limit:.2f} {unit}"
        for what, found, limit, unit in limits
        if found >= limit
    ]


def _aims(missed: list[str]) -> list[str]:
    aims = (
        f"Aims: start-up at most {AIM_START} times that of mlir.ir; import, passes and emission "
        f"under {AIM_COMPILATION:.0f} s ({AIM_LARGE:.0f} s for large networks), with the start "
        f"lower than before; C build under {AIM_BUILD:.0f} s; the command on a small network "
        f"within {AIM_VELA:.0f} times Vela's, and under {AIM_SMALLEST:.0f} s with --budget min "
        f"({AIM_SMALLEST_LARGE:.0f} s for large networks); peak memory under {AIM_MIB:,.0f} MiB"
    )
    return [f"{aims}: {'missed:' if missed else 'met'}", *(f"  {line}" for line in missed)]


if __name__ == "__main__":
    sys.exit(main())
