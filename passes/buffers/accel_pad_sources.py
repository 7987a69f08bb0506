"""accel-pad-sources: give convolutions padded copies of their sources where that costs less."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.cpus import schedule_of
from forebay.dialects.accel import ReduceOp
from forebay.ir.machine.devices import device_of, host_of
from forebay.ir.machine.pools import candidates_of, element_bytes, pools_in
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.lowering.padding.constants import Constants
from forebay.lowering.padding.fitting import PaddedCopy, fitting
from forebay.lowering.padding.folded import Folding, fold, folding_of
from forebay.lowering.padding.gain import gain_of
from forebay.lowering.padding.padded_op import pad_source
from forebay.lowering.padding.padding import SOURCE, SourcePadding, source_padding_of
from forebay.passes._pass import Pass, option
from forebay.pools import PoolKind
from forebay.support.records import record


@record
class AccelPadSources(Pass):
    """Copy the source of a convolution with its padding, so that its kernel has no borders.

    The padded copy is a buffer in a pool. Its borders have the zero point, which becomes part of
    the bias where the constants are known. So all windows are inside, and the kernel has one loop
    nest instead of one for each kind of border.

    A source is copied only where the kernel then takes fewer instructions by the model that chooses
    its schedule, those that make the copy included. The plan gets no more bytes in any pool, except
    in one with a budget, and no other buffer gets into another pool.
    """

    name: ClassVar[str] = "accel-pad-sources"
    dialects: ClassVar[tuple[str, ...]] = ("arith", "linalg", "memref", "memref_pool")
    needs: ClassVar[tuple[str, ...]] = ("accel.reduce",)

    cpu: str = option("generic", "the processor that runs the kernels")
    planner: str = option("auto", "name of the planner of the trial plans")

    def run(self, op: ir.Operation) -> None:
        """Pad the sources of kernels in the entry functions."""
        module, cpu = module_of(op), schedule_of(self.cpu)
        constants = Constants(module)
        pads: dict[int, _Pad] = {}
        copies: list[PaddedCopy] = []
        for number, kernel, padding, space in _paddable(module):
            folding = folding_of(kernel, constants, cpu.offset)
            if gain_of(kernel, padding, folding, cpu) <= 0:
                continue
            element = ir.MemRefType(kernel.inputs[SOURCE].type).element_type
            bytes_ = padding.elements * element_bytes(element)
            pads[number] = _Pad(padding, space, folding)
            copies.append(
                PaddedCopy(kernel, number, bytes_, candidates_of(padding.type_of(element, space)))
            )

        def pad(module: ModuleOp, numbers: Sequence[int]) -> list[ReduceOp]:
            kernels = _kernels(module)
            return [pad_source(kernels[n], pads[n].padding, pads[n].space) for n in numbers]

        chosen = fitting(module, copies, pad, self.planner) if copies else ()
        for number, kernel in zip(chosen, pad(module, chosen), strict=True):
            folding = pads[number].folding
            if folding is not None:
                fold(kernel, folding, constants)


class _Pad(Struct, frozen=True, eq=False):
    """How a kernel is padded: the padding, the pool of the copy, and the new bias."""

    padding: SourcePadding
    space: ir.Attribute | None
    folding: Folding | None


def _kernels(module: ModuleOp) -> list[ReduceOp]:
    return [kernel for function in entry_functions(module) for kernel in ops_of(function, ReduceOp)]


def _paddable(
    module: ModuleOp,
) -> Iterator[tuple[int, ReduceOp, SourcePadding, ir.Attribute | None]]:
    """Yield number, kernel, padding and memory space of the copy of each kernel of the host."""
    host, pools = host_of(module.operation), pools_in(module.operation)
    for number, kernel in enumerate(_kernels(module)):
        padding = source_padding_of(kernel)
        if padding is None or device_of(kernel, host) != host:
            continue
        for value in (kernel.output, kernel.inputs[SOURCE]):
            names = candidates_of(value.type)
            if names and all(pools[name].kind is PoolKind.workspace for name in names):
                space = ir.MemRefType(value.type).memory_space
                yield number, kernel, padding, space
                break
