"""Time and memory of a compilation, phase by phase, compared with Vela on the same models.

python benchmarks/compile_time.py [--rounds N] [--vela PATH] [NETWORK ...]

Every measurement is a fresh process. Forebay's and Vela's runs alternate, so that a machine that is
slow for a while is slow for both. Times are medians, and the ratio is the median of each round's
ratio. The aims apply to processor time, which other load on the machine hardly changes.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from networks import Network, networks
from process import run
from table import figures, seconds
from vela import MISSING, VelaRun, compile_with_vela, find_vela

from forebay.reports.table import show

REFUSED = 2  # exit code of compile_once.py when the compiler refuses the model
ONCE = Path(__file__).with_name("compile_once.py")
PHASES = ("start", "import", "passes", "emission")
LARGE = {"mobilenetv2_tf2_int8"}
AIM_SECONDS, AIM_SECONDS_LARGE, AIM_MIB = 2.0, 10.0, 1024.0
HEAD = [
    *PHASES,
    "CPU",
    "C build",
    "ours",
    "ours+C",
    "vela",
    "ours/vela",
    "MiB",
    "C MiB",
    "vela MiB",
]
LEGEND = """
Seconds, medians. start: Python and its imports; import: .tflite to TOSA; passes: to loops in pools;
emission: C files without the self-test; CPU: processor time of those three, all threads;
ours: that whole process; C build: gcc -O2; ours+C: both.
vela: its whole process, .tflite to a command stream; ours/vela is without our C build, which Vela
has no equal of. *: Vela put no operator on its accelerator, so it planned nothing. MiB: peaks.
"""


@dataclass(frozen=True)
class OurRun:
    """One compilation by Forebay: seconds per phase, the C build after it, and peak memory of both.

    `cpu_seconds` is the processor time of import, passes and emission on all threads.
    """

    phases: dict[str, float]
    cpu_seconds: float
    seconds: float
    peak_mib: float
    build_seconds: float
    build_peak_mib: float


@dataclass(frozen=True)
class Round:
    """A compilation by Forebay and, directly after it, one by Vela."""

    ours: OurRun
    vela: VelaRun | None


class RefusedError(Exception):
    """The compiler refused the model; the text says why."""


def main() -> int:
    """Measure, print the table and the aims; return 1 if an aim is missed or a network refused."""
    options = _options()
    vela = find_vela(options.vela)
    if not vela:
        print(MISSING)
    measured: dict[Network, list[Round]] = {}
    refused: list[Network] = []
    for network in networks(options.networks):
        print(f"{network.name} ...", file=sys.stderr, flush=True)
        try:
            measured[network] = [_round(network.path, vela) for _ in range(options.rounds)]
        except RefusedError as reason:
            print(f"{network.name}: refused: {reason}")
            refused += [network] if network.required else []
    _print_table(measured)
    missed = [line for network in measured for line in _missed(network.name, measured[network])]
    print("\n".join(["", *_aims(missed)]))
    return 1 if missed or refused else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="compile times, beside Vela's")
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help="all that are there")
    parser.add_argument("--rounds", type=int, default=3, help="measurements each (3)")
    parser.add_argument("--vela", metavar="PATH", help="the vela command; else the one on PATH")
    return parser.parse_args()


def _round(model: Path, vela: str | None) -> Round:
    return Round(_compile(model), compile_with_vela(vela, model) if vela else None)


def _compile(model: Path) -> OurRun:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        done = run([sys.executable, str(ONCE), str(model), str(project)])
        if done.code == REFUSED:
            raise RefusedError(done.output.strip())
        if done.code:
            raise SystemExit(f"compiling {model} crashed:\n{done.output}")
        phases = json.loads(done.output.splitlines()[-1])
        peak, cpu = phases.pop("peak_mib"), phases.pop("cpu")
        phases["start"] = done.seconds - sum(phases.values())
        sources = sorted(str(path) for path in project.rglob("*.c"))
        build = run(
            ["gcc", "-std=c99", "-O2", "-fPIC", "-shared", *sources, "-o", f"{folder}/net.so"]
        )
        if build.code:
            raise SystemExit(f"gcc refuses the C of {model}:\n{build.output}")
    return OurRun(phases, cpu, done.seconds, peak, build.seconds, build.peak_mib)


def _print_table(measured: dict[Network, list[Round]]) -> None:
    print(LEGEND)
    rows = [[network.name, *_cells(rounds)] for network, rounds in measured.items()]
    show([figures(["network", *HEAD], rows)])


def _cells(rounds: list[Round]) -> list[str]:
    ours, vela = [x.ours for x in rounds], [x.vela for x in rounds if x.vela]
    times = [median(x.phases[phase] for x in ours) for phase in PHASES]
    times += [median(x.cpu_seconds for x in ours), median(x.build_seconds for x in ours)]
    times += [median(x.seconds for x in ours), median(x.seconds + x.build_seconds for x in ours)]
    peaks = [max(x.peak_mib for x in ours), max(x.build_peak_mib for x in ours)]
    beside = [seconds(median(x.seconds for x in vela)), _ratio(rounds)] if vela else ["-", "-"]
    if vela and not vela[0].npu_operators:
        beside[0] += "*"
    vela_peak = f"{max(x.peak_mib for x in vela):.0f}" if vela else "-"
    return [*map(seconds, times), *beside, *(f"{peak:.0f}" for peak in peaks), vela_peak]


def _ratio(rounds: list[Round]) -> str:
    return f"{median(x.ours.seconds / x.vela.seconds for x in rounds if x.vela):.1f}"


def _missed(name: str, rounds: list[Round]) -> list[str]:
    ours = [x.ours for x in rounds]
    spent = median(x.cpu_seconds for x in ours)
    allowed = AIM_SECONDS_LARGE if name in LARGE else AIM_SECONDS
    peak = max(max(x.peak_mib, x.build_peak_mib) for x in ours)
    lines = []
    if spent >= allowed:
        lines.append(f"{name}: import, passes, emission {spent:.2f} s, aim {allowed:.0f} s")
    if peak >= AIM_MIB:
        lines.append(f"{name}: peak memory {peak:,.0f} MiB, aim {AIM_MIB:,.0f} MiB")
    return lines


def _aims(missed: list[str]) -> list[str]:
    aims = (
        f"Aims: import, passes and emission under {AIM_SECONDS:.0f} s of processor time "
        f"({AIM_SECONDS_LARGE:.0f} s for {', '.join(LARGE)}), "
        f"peak memory under {AIM_MIB:,.0f} MiB"
    )
    return [f"{aims}: {'missed:' if missed else 'met'}", *(f"  {line}" for line in missed)]


if __name__ == "__main__":
    sys.exit(main())
