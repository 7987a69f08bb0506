"""Instructions per inference by processor: the schedules, the smallest code, and kernel libraries.

`python benchmarks/instructions.py [--networks NAME ...] [--processors NAME ...]` counts in QEMU for
microcontrollers, and with valgrind's cachegrind on x86-64 (two inferences minus one). The outputs
are checked. `reference` is the same network by the kernel library in `library`, on the same
processor with the same compiler: CMSIS-NN under TFLite Micro, and XNNPACK limited to AVX2.
"""

import argparse
import platform
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from measurement.networks import Network, networks
from measurement.table import figures

import forebay
from forebay.mcu import boards, measure
from forebay.mcu.tools import missing
from forebay.network.model import GoldenStep
from forebay.reports.table import show

HEAD = ["network", "processor", "speed", "size", "reference", "library"]
NETWORKS = ("kws_dscnn_int8", "ad01_int8", "person_detect_int8", "resnet8_int8")
GCC = ("gcc", "-std=c99", "-O3", "-march=x86-64-v3", "-ffp-contract=off")


@dataclass(frozen=True)
class Processor:
    """A processor with its board, and the millions of instructions that a kernel library takes.

    Without a board it is this machine. `library` has one figure for each of `NETWORKS`.
    """

    board: str | None
    cpu: str
    name: str
    library: tuple[float, ...]


PROCESSORS = {
    "m4": Processor("mps2-an386", "generic", "CMSIS-NN, DSP", (7.83, 0.579, 23.52, 30.29)),
    "m4-dsp": Processor("mps2-an386", "cortex-m4", "CMSIS-NN, DSP", (7.83, 0.579, 23.52, 30.29)),
    "m55": Processor("mps3-an547", "cortex-m55", "CMSIS-NN, MVE", (1.780, 0.147, 6.373, 4.808)),
    "rv32": Processor("riscv-virt", "rv32imc", "CMSIS-NN, C", (17.73, 1.474, 50.53, 63.64)),
    "x86-64-v3": Processor(None, "x86-64-v3", "XNNPACK, AVX2", (1.726, 0.141, 3.161, 4.029)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", nargs="+", default=NETWORKS, metavar="NAME")
    parser.add_argument("--processors", nargs="+", default=[*PROCESSORS], choices=[*PROCESSORS])
    args = parser.parse_args()
    chosen = [name for name in args.processors if is_here(name, PROCESSORS[name])]
    rows = [row(network, name) for network in networks([*args.networks]) for name in chosen]
    show([figures(HEAD, rows)])


def is_here(name: str, processor: Processor) -> bool:
    """Return whether the tools for a processor are installed; say what is not."""
    if processor.board is not None:
        packages = [tool.package for tool in missing(boards.load(processor.board))]
    else:
        packages = [tool for tool in ("gcc", "valgrind") if shutil.which(tool) is None]
        if platform.machine() != "x86_64":
            packages.append("an x86-64 machine")
    if packages:
        print(f"{name} left out: it needs {' '.join(packages)}")
    return not packages


def row(network: Network, name: str) -> list[str]:
    processor = PROCESSORS[name]
    found = [millions(network, processor, optimize) for optimize in ("speed", "size")]
    known = dict(zip(NETWORKS, processor.library, strict=True)).get(network.name)
    reference = "-" if known is None else f"{known:.3f}"
    return [network.name, name, *(f"{own:.3f}" for own in found), reference, processor.name]


def millions(network: Network, processor: Processor, optimize: str) -> float:
    compiled = forebay.compile(network.path, optimize=optimize, cpu=processor.cpu)
    if processor.board is not None:
        return measure(compiled, boards.load(processor.board)).instructions[0] / 1e6
    steps = list(compiled.expected_outputs(steps=2).steps)
    return (on_this_machine(compiled, steps) - on_this_machine(compiled, steps[:1])) / 1e6


def on_this_machine(compiled: forebay.Compiled, steps: list[GoldenStep]) -> int:
    """Return the instructions of the self-test with these inferences."""
    with tempfile.TemporaryDirectory() as directory:
        project = compiled.write(Path(directory) / "project", golden=steps)
        sources = sorted(project.glob("*.c"))
        program = Path(directory) / "selftest"
        subprocess.run([*GCC, *sources, "-o", program, "-lm"], check=True)
        command = ["valgrind", "--tool=cachegrind", "--cachegrind-out-file=/dev/null", program]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(re.findall(r"I +refs: +([\d,]+)", done.stderr)[0].replace(",", ""))


if __name__ == "__main__":
    main()
