"""The kernels of a module that take fewer instructions on padded copies of their sources."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct, structs

from forebay.cpus.cpu import Cpu
from forebay.dialects.accel import ReduceOp
from forebay.ir.machine.devices import device_of, host_of
from forebay.ir.machine.pools import bytes_of, candidates_of, pools_in
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.nested import ops_of
from forebay.lowering.padding.constants import Constants
from forebay.lowering.padding.float_zeros import zeros_add_nothing
from forebay.lowering.padding.folded import fold, folding_of
from forebay.lowering.padding.gain import (
    PaddingChange,
    bytes_of_source_element,
    cost_of_copy,
    gains_of,
)
from forebay.lowering.padding.padded_op import pad_source
from forebay.lowering.padding.padding import SOURCE, source_padding_of
from forebay.lowering.padding.strips import Strips, run_in_strips, strips_of
from forebay.lowering.padding.widened import Widening, widen_windows, widening_of
from forebay.pools import Pool, PoolKind

_WEIGHTS = SOURCE + 1
_STEP = 30
"""Instructions of a step of the loop over strips, without those that move and copy rows."""
_LEAST_GAIN = 0.02
"""The least part of a kernel's instructions that strips save: estimates are not more exact."""


class PaddedSource(Struct, frozen=True, eq=False):
    """How the source of a kernel is padded, where the copy is, and the instructions that it saves.

    The copy is whole, or a strip of rows. The instructions are those of an inference, with a price
    for each instruction of code. The kernel without padding has `executed` instructions.
    """

    change: PaddingChange
    space: ir.Attribute | None
    executed: float
    gain: float
    strips: Strips | None = None

    @property
    def elements(self) -> int:
        """The number of elements of the copy."""
        return math.prod(self._type_of(ir.IntegerType.get_signless(8)).shape)

    @property
    def pools(self) -> tuple[str, ...]:
        """The candidate pools of the copy."""
        return candidates_of(self._type_of(ir.IntegerType.get_signless(8)))

    def bytes_for(self, kernel: ReduceOp) -> int:
        """Return the bytes of the copy for a kernel."""
        return bytes_of(self._type_of(ir.MemRefType(kernel.inputs[SOURCE].type).element_type))

    def apply(self, kernel: ReduceOp) -> ReduceOp:
        """Let a kernel read the copy, in a loop over strips if it comes in strips; return it."""
        if self.strips is not None:
            return run_in_strips(kernel, self.strips, self.space)
        pad_source(kernel, self.change.padding, self.space)
        return kernel

    def _type_of(self, element: ir.Type) -> ir.MemRefType:
        return (self.strips or self.change.padding).type_of(element, self.space)


class PaddingCandidates:
    """The candidates of a module on a processor.

    Kernels are numbered in the order of the module, before it has padded copies. Clones of the
    module have the same numbers.
    """

    def __init__(self, module: ModuleOp, cpu: Cpu) -> None:
        self._module, self._constants, self._cpu = module, Constants(module), cpu
        self.choices = dict(_candidates(module, self._constants, cpu))
        """The ways to pad each kernel, those that save most first."""

    def in_strips(
        self, numbers: Iterable[int], least: int, *, has_row_lifetimes: bool
    ) -> dict[int, PaddedSource]:
        """Return the ways to pad kernels in strips for `least` rows of their results or more.

        With `has_row_lifetimes` each row of their sources has a lifetime of its own in the plan.
        Kernels without strips, and those that save too little in strips, are left out.
        """
        kernels, found = kernels_in(self._module), dict[int, PaddedSource]()
        for number in numbers:
            best = self.choices[number][0]
            strips = strips_of(kernels[number], best.change.padding, least)
            if strips is not None:
                moved = strips.moved * bytes_of_source_element(kernels[number])
                gain = best.gain - cost_of_copy(moved, strips.count, self._cpu)
                gain -= _STEP * strips.count
                if gain > _LEAST_GAIN * best.executed:
                    strips = structs.replace(strips, has_row_lifetimes=has_row_lifetimes)
                    found[number] = structs.replace(best, gain=gain, strips=strips)
        return found

    def pad(self, clone: ModuleOp, sources: Mapping[int, PaddedSource]) -> list[ReduceOp]:
        """Pad sources in a clone of the module, for a trial: its constants stay as they are.

        Return the kernels in the order of `sources`.
        """
        kernels = kernels_in(clone)
        return [source.apply(kernels[number]) for number, source in sources.items()]

    def apply(self, sources: Mapping[int, PaddedSource]) -> None:
        """Pad sources in the module."""
        kernels = kernels_in(self._module)
        for number, source in sources.items():
            self._set_constants(source.apply(kernels[number]), source.change)

    def _set_constants(self, kernel: ReduceOp, change: PaddingChange) -> None:
        """Change the bias and the weights of a kernel that reads its padded copy."""
        if change.folding is not None:
            fold(kernel, change.folding, self._constants)
        if change.widening is not None:
            weights, widening = kernel.inputs[_WEIGHTS], change.widening
            values = self._constants.values(weights)
            assert values is not None, "only windows with known weights become wider"
            type_, wide = widening.type_of(weights), widening.values_of(values)
            resized = self._constants.resized(kernel, weights, type_, wide)
            widen_windows(kernel, widening, resized)
            if not any(True for _ in weights.uses):
                weights.owner.erase()


def kernels_in(module: ModuleOp) -> list[ReduceOp]:
    """Return the kernels of the entry functions, in order."""
    return [kernel for function in entry_functions(module) for kernel in ops_of(function, ReduceOp)]


def _candidates(
    module: ModuleOp, constants: Constants, cpu: Cpu
) -> Iterator[tuple[int, list[PaddedSource]]]:
    """Yield the kernels of the host, by number, that cost less with padded copies, best first."""
    host, pools = host_of(module.operation), pools_in(module.operation)
    for number, kernel in enumerate(kernels_in(module)):
        paddings = [
            (padding, widening)
            for widening in (None, *_widenings(kernel, constants, pools, cpu))
            if (padding := source_padding_of(kernel, widening)) is not None
        ]
        if not paddings or device_of(kernel, host) != host:
            continue
        if not zeros_add_nothing(kernel, constants):
            continue
        space = _workspace_of(kernel, pools)
        if space is None:
            continue
        folding = folding_of(kernel, constants, cpu.offset)
        changes = [PaddingChange(padding, folding, widening) for padding, widening in paddings]
        gains = gains_of(kernel, changes, cpu)
        sources = [
            PaddedSource(change, space, gains.executed, saved)
            for change, saved in zip(changes, gains.saved, strict=True)
            if saved > 0
        ]
        if sources:
            yield number, sorted(sources, key=lambda source: -source.gain)


def _widenings(
    kernel: ReduceOp, constants: Constants, pools: Mapping[str, Pool], cpu: Cpu
) -> Iterator[Widening]:
    """Yield wider windows for the words of a processor.

    The weights must be known, and in pools of constants that may get larger.
    """
    for word in sorted({unit.dot_length for unit in cpu.sums} - {1}):
        widening = widening_of(kernel, word)
        if widening is None or constants.values(kernel.inputs[_WEIGHTS]) is None:
            continue
        names = candidates_of(kernel.inputs[_WEIGHTS].type)
        of_weights = [pools[name] for name in names]
        if of_weights and all(
            p.kind is PoolKind.constant and p.capacity is None for p in of_weights
        ):
            yield widening


def _workspace_of(kernel: ReduceOp, pools: Mapping[str, Pool]) -> ir.Attribute | None:
    """Return the memory space of the result if it is a workspace, else of the source, or None."""
    for value in (kernel.output, kernel.inputs[SOURCE]):
        names = candidates_of(value.type)
        if names and all(pools[name].kind is PoolKind.workspace for name in names):
            return ir.MemRefType(value.type).memory_space
    return None
