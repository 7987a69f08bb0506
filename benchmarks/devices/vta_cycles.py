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
from dataclasses import dataclass
from pathlib import Path

import forebay
from forebay.emissions.commands import DeviceCommand, commands_of
from forebay.isa.vta.programs.micro_op_memory import MicroOpMemory
from forebay.isa.vta.programs.order import with_tokens
from forebay.isa.vta.timing import InstructionTimes, ProgramCycles, cycles_of_program
from forebay.reports.table import show
from forebay.targets.vta.program import ProgramWriter

sys.path.append(str(Path(__file__).parents[1]))
from table import count, figures

PUBLISHED = 7_729_601
"""Cycles of ResNet-18 v1 in the cycle-accurate simulator of VTA (apache/tvm-vta, issue 30)."""
_WORKSPACE = 1 << 28

MODEL = """
func.func @main(%x: tensor<1x{size}x{size}x{inputs}xi8> {{accel.name = "x"}})
    -> (tensor<1x{out}x{out}x{outputs}xi8> {{accel.name = "y"}}) {{
  %w = "tosa.const"() <{{values = dense<1> : tensor<{weights}xi8>}}> : () -> tensor<{weights}xi8>
  %b = "tosa.const"() <{{values = dense<3> : tensor<{outputs}xi32>}}> : () -> tensor<{outputs}xi32>
  %z = "tosa.const"() <{{values = dense<0> : tensor<1xi8>}}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{{values = dense<0> : tensor<1xi32>}}> : () -> tensor<1xi32>
  %m = "tosa.const"() <{{values = dense<1073741824> : tensor<1xi32>}}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{{values = dense<38> : tensor<1xi8>}}> : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {{acc_type = i32, dilation = array<i64: 1, 1>,
    pad = array<i64: {pad}, {after}, {pad}, {after}>, stride = array<i64: {stride}, {stride}>}} :
    (tensor<1x{size}x{size}x{inputs}xi8>, tensor<{weights}xi8>, tensor<{outputs}xi32>,
    tensor<1xi8>, tensor<1xi8>) -> tensor<1x{out}x{out}x{outputs}xi32>
  %1 = tosa.rescale %0, %m, %s, %zi, %z {{input_unsigned = false, output_unsigned = false,
    per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true}} :
    (tensor<1x{out}x{out}x{outputs}xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>,
    tensor<1xi8>) -> tensor<1x{out}x{out}x{outputs}xi8>
  return %1 : tensor<1x{out}x{out}x{outputs}xi8>
}}
"""


@dataclass(frozen=True)
class ConvShape:
    """A convolution of a square image, and how often the network has it."""

    times: int
    size: int
    inputs: int
    outputs: int
    kernel: int
    stride: int

    @property
    def out(self) -> int:
        """Return the rows of the result."""
        return self.size // self.stride

    @property
    def name(self) -> str:
        """Return the sizes of image, kernel and stride."""
        kernel = f"{self.kernel}x{self.kernel}"
        return f"{self.size}x{self.size}x{self.inputs}, {kernel}/{self.stride}, {self.outputs}"

    @property
    def products(self) -> int:
        """Return the products of a vector and a matrix, each a cycle of the array."""
        taps = self.kernel**2 * (self.inputs // 16)
        return self.out**2 * (self.outputs // 16) * taps

    def text(self) -> str:
        """Return a network of this layer; rows of the image that nothing reads are left out."""
        pad = self.kernel // 2
        used = (self.out - 1) * self.stride + self.kernel
        return MODEL.format(
            size=min(self.size, used - pad),
            out=self.out,
            inputs=self.inputs,
            outputs=self.outputs,
            stride=self.stride,
            pad=pad,
            after=max(0, used - self.size - pad),
            weights=f"{self.outputs}x{self.kernel}x{self.kernel}x{self.inputs}",
        )


RESNET18 = (
    ConvShape(4, 56, 64, 64, 3, 1),
    ConvShape(1, 56, 64, 128, 3, 2),
    ConvShape(1, 56, 64, 128, 1, 2),
    ConvShape(3, 28, 128, 128, 3, 1),
    ConvShape(1, 28, 128, 256, 3, 2),
    ConvShape(1, 28, 128, 256, 1, 2),
    ConvShape(3, 14, 256, 256, 3, 1),
    ConvShape(1, 14, 256, 512, 3, 2),
    ConvShape(1, 14, 256, 512, 1, 2),
    ConvShape(3, 7, 512, 512, 3, 1),
)


def layer_cycles(layer: ConvShape, times: InstructionTimes) -> tuple[ProgramCycles, int]:
    """Return the cycles of a layer, and the number of its instructions."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "layer.mlir"
        model.write_text(layer.text(), "utf-8")
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
    chosen = arguments.layers or range(len(RESNET18))
    rows: list[list[str]] = []
    total = products = 0
    for layer in (RESNET18[number] for number in chosen):
        found, instructions = layer_cycles(layer, times)
        total += layer.times * found.total
        products += layer.times * layer.products
        busy = [f"{cycles / found.total:.0%}" for cycles in (found.gemm, *found.busy.values())]
        numbers = [count(n) for n in (layer.times, layer.products, found.total)]
        rows.append([layer.name, *numbers, *busy, count(instructions)])
    share = f"{products / total:.0%}"
    rows.append(["all", "", count(products), count(total), share, "", "", "", ""])
    shares = ["array", "load", "compute", "store"]
    head = ["layer", "times", "products", "cycles", *shares, "instructions"]
    show([figures(head, rows)])
    print(f"published: {PUBLISHED:,} cycles; these are {total / PUBLISHED:.2f} times as many")
    return 0


if __name__ == "__main__":
    sys.exit(main())
