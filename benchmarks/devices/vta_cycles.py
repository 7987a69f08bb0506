"""Cycles of ResNet-18's convolutions on VTA, beside the published number of its simulator.

python benchmarks/devices/vta_cycles.py [--latency 16] [--alu 1]

Each layer is compiled as a network of its own, with a shift as its requantisation, and becomes a
program as in the emission `vta`. Its cycles are those of three cores that wait for tokens
(`forebay.isa.vta.timing`). `array` is the share of the cycles in which the array multiplies; with
the layer's own products alone it would be 100 %. The first convolution, with 3 input channels, is
left out: TVM runs it on the host, too.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import forebay
from forebay.emissions.commands import DeviceCommand, commands_of
from forebay.isa.vta.programs.micro_op_memory import MicroOpMemory
from forebay.isa.vta.programs.order import with_tokens
from forebay.isa.vta.timing import InstructionTimes, ProgramCycles, cycles_of_program
from forebay.reports.table import show
from forebay.targets.vta.program import ProgramWriter

sys.path.append(str(Path(__file__).parents[1]))
from layers import BY_SHIFT, LayerShape, model_of, resnet18
from measurement.table import count, figures

PUBLISHED = 7_729_601
"""Cycles of ResNet-18 v1 in the cycle-accurate simulator of VTA (apache/tvm-vta, issue 30)."""
_WORKSPACE = 1 << 28
_ARRAY = 16 * 16
"""The products of the array in a cycle."""


def layer_cycles(layer: LayerShape, times: InstructionTimes) -> tuple[ProgramCycles, int]:
    """Return the cycles of a layer, and the number of its instructions."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "layer.mlir"
        model.write_text(model_of(layer, rescaling=BY_SHIFT, before=layer.kernel // 2), "utf-8")
        compiled = forebay.compile(model, target="vta")
        module = compiled._module
        commands = [one for one in commands_of(module) if isinstance(one, DeviceCommand)]
    bases = {"weights": 0x1000, "dram": _WORKSPACE}
    writer = ProgramWriter(bases, MicroOpMemory(2 * _WORKSPACE))
    program = with_tokens(writer.steps(commands))
    return cycles_of_program(program, times), len(program)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--latency", type=int, default=16, help="cycles before the first element")
    parser.add_argument("--alu", type=int, default=1, help="cycles of an ALU operation")
    parser.add_argument("--layers", type=int, nargs="*", help="numbers of layers, from 0")
    arguments = parser.parse_args()
    times = InstructionTimes(arguments.latency, arguments.alu)
    layers = list(resnet18())
    chosen = arguments.layers or range(len(layers))
    rows: list[list[str]] = []
    total = products = 0
    for layer in (layers[number] for number in chosen):
        found, instructions = layer_cycles(layer, times)
        steps = layer.macs // _ARRAY
        total += layer.count * found.total
        products += layer.count * steps
        busy = [f"{cycles / found.total:.0%}" for cycles in (found.gemm, *found.busy.values())]
        numbers = [count(n) for n in (layer.count, steps, found.total)]
        rows.append([layer.sizes, *numbers, *busy, count(instructions)])
    share = f"{products / total:.0%}"
    rows.append(["all", "", count(products), count(total), share, "", "", "", ""])
    shares = ["array", "load", "compute", "store"]
    head = ["layer", "times", "products", "cycles", *shares, "instructions"]
    show([figures(head, rows)])
    print(f"published: {PUBLISHED:,} cycles; these are {total / PUBLISHED:.2f} times as many")
    return 0


if __name__ == "__main__":
    sys.exit(main())
