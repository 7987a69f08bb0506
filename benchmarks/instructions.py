"""Instructions per inference by processor: the schedules, the smallest code, and kernel libraries.

`python benchmarks/instructions.py [--networks NAME ...] [--processors NAME ...]` counts in QEMU for
microcontrollers, and two inferences minus one with valgrind's cachegrind on x86-64 and in QEMU for
AArch64. The outputs are checked. `reference` is the same network by the kernel library in
`library`, on the same processor with the same compiler: CMSIS-NN under TFLite Micro, and XNNPACK
limited to AVX2.
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
FLAGS = ("-std=c99", "-O3", "-ffp-contract=off")
X86 = ("gcc", "-march=x86-64-v3")
AARCH64 = ("aarch64-linux-gnu-gcc", "-march=armv8.2-a+dotprod", "-static")
QEMU = "qemu-aarch64"


@dataclass(frozen=True)
class Processor:
    """A processor with its board, and the millions of instructions that a kernel library takes.

    Without a board its programs are made by `compiler` and run on this machine, or in QEMU for
    AArch64. `library` has one figure for each of `NETWORKS`, or none.
    """

    board: str | None
    cpu: str
    name: str
    library: tuple[float, ...]
    compiler: tuple[str, ...] = X86


PROCESSORS = {
    "m4": Processor("mps2-an386", "generic", "CMSIS-NN, DSP", (7.83, 0.579, 23.52, 30.29)),
    "m4-dsp": Processor("mps2-an386", "cortex-m4", "CMSIS-NN, DSP", (7.83, 0.579, 23.52, 30.29)),
    "m55": Processor("mps3-an547", "cortex-m55", "CMSIS-NN, MVE", (1.780, 0.147, 6.373, 4.808)),
    "rv32": Processor("riscv-virt", "rv32imc", "CMSIS-NN, C", (17.73, 1.474, 50.53, 63.64)),
    "x86-64-v3": Processor(None, "x86-64-v3", "XNNPACK, AVX2", (1.726, 0.141, 3.161, 4.029)),
    "aarch64": Processor(None, "generic", "-", (), AARCH64),
    "a76": Processor(None, "cortex-a76", "-", (), AARCH64),
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
        tools = (processor.compiler[0], "valgrind" if processor.compiler == X86 else QEMU)
        packages = [tool for tool in tools if shutil.which(tool) is None]
        if processor.compiler == X86 and platform.machine() != "x86_64":
            packages.append("an x86-64 machine")
    if packages:
        print(f"{name} left out: it needs {' '.join(packages)}")
    return not packages


def row(network: Network, name: str) -> list[str]:
    processor = PROCESSORS[name]
    found = [millions(network, processor, optimize) for optimize in ("speed", "size")]
    known = dict(zip(NETWORKS, processor.library, strict=False)).get(network.name)
    reference = "-" if known is None else f"{known:.3f}"
    return [network.name, name, *(f"{own:.3f}" for own in found), reference, processor.name]


def millions(network: Network, processor: Processor, optimize: str) -> float:
    compiled = forebay.compile(network.path, optimize=optimize, cpu=processor.cpu)
    if processor.board is not None:
        return measure(compiled, boards.load(processor.board)).instructions[0] / 1e6
    steps = list(compiled.expected_outputs(steps=2).steps)
    both, one = (of_self_test(compiled, own, processor.compiler) for own in (steps, steps[:1]))
    return (both - one) / 1e6


def of_self_test(
    compiled: forebay.Compiled, steps: list[GoldenStep], compiler: tuple[str, ...]
) -> int:
    """Return the instructions of the self-test with these inferences."""
    with tempfile.TemporaryDirectory() as directory:
        project = compiled.write(Path(directory) / "project", golden=steps)
        sources = sorted(project.glob("*.c"))
        program = Path(directory) / "selftest"
        subprocess.run([*compiler, *FLAGS, *sources, "-o", program, "-lm"], check=True)
        if compiler == AARCH64:
            return in_qemu(program)
        command = ["valgrind", "--tool=cachegrind", "--cachegrind-out-file=/dev/null", program]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(re.findall(r"I +refs: +([\d,]+)", done.stderr)[0].replace(",", ""))


def in_qemu(program: Path) -> int:
    """Return the instructions of a program for AArch64; QEMU logs a line for each of them."""
    command = [QEMU, "-cpu", "max", "-singlestep", "-d", "nochain,exec", program]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None, "the log is a pipe"
        lines = sum(own.count(b"\n") for own in iter(lambda: process.stderr.read(1 << 20), b""))
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return lines


if __name__ == "__main__":
    main()
