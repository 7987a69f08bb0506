"""accel-pad-sources: give convolutions padded copies of their sources where that costs less."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.cpus import schedule_of
from forebay.cpus.cpu import Cpu
from forebay.dialects.accel import ReduceOp
from forebay.ir.cascade.pool_budgets import PoolBudget, budgets_in
from forebay.ir.machine.devices import device_of, host_of
from forebay.ir.machine.pools import bytes_of, candidates_of, pools_in
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.lowering.padding.constants import Constants
from forebay.lowering.padding.fitting import PaddedCopy, fitting
from forebay.lowering.padding.folded import fold, folding_of
from forebay.lowering.padding.gain import PaddingChange, gains_of
from forebay.lowering.padding.padded_op import pad_source
from forebay.lowering.padding.padding import SOURCE, source_padding_of
from forebay.lowering.padding.widened import Widening, widen_windows, widening_of
from forebay.passes._pass import Pass, option
from forebay.pools import Pool, PoolKind
from forebay.support.records import record

_WEIGHTS = SOURCE + 1


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
    budget: tuple[tuple[str, str], ...] = option((), "POOL=BYTES: copies may take so many; or min")
    planner: str = option("auto", "name of the planner of the trial plans")

    def run(self, op: ir.Operation) -> None:
        """Pad the sources of kernels in the entry functions."""
        module, cpu = module_of(op), schedule_of(self.cpu)
        constants = Constants(module)
        choices = dict(_worthwhile(module, constants, cpu))
        if not choices:
            return
        budgets = self._budgets(module)
        pads = {number: best for number, (best, *_) in choices.items()}
        chosen = _fitting(module, pads, budgets, self.planner)
        # Where the best copy does not fit, a smaller one may.
        left_out = {n: own for n, own in choices.items() if n not in chosen and len(own) > 1}
        smaller = {number: min(own, key=_Pad.elements) for number, own in left_out.items()}
        if smaller:
            also = _fitting(module, pads | smaller, budgets, self.planner)
            if {*also} > {*chosen}:
                pads, chosen = pads | smaller, also
        kernels = _kernels(module)
        _pad_sources(module, pads, chosen)
        for number in chosen:
            pads[number].set_constants(kernels[number], constants)

    def _budgets(self, module: ModuleOp) -> Mapping[str, int]:
        """Return the bytes of the pools that have a budget in bytes."""
        if not self.budget:
            return {}
        given = tuple(PoolBudget.parse(pool, text) for pool, text in self.budget)
        budgets = (own for own in budgets_in(module, given) if not own.is_capacity)
        return {own.pool: own.bytes for own in budgets if own.bytes is not None}


class _Pad(Struct, frozen=True, eq=False):
    """How a kernel is padded, and the memory space of the copy."""

    change: PaddingChange
    space: ir.Attribute | None

    def elements(self) -> int:
        """Return the elements of the copy."""
        return self.change.padding.elements

    def copy_of(self, kernel: ReduceOp, number: int) -> PaddedCopy:
        """Return the copy for the kernel of this number."""
        element = ir.MemRefType(kernel.inputs[SOURCE].type).element_type
        type_ = self.change.padding.type_of(element, self.space)
        return PaddedCopy(kernel, number, bytes_of(type_), candidates_of(type_))

    def set_constants(self, kernel: ReduceOp, constants: Constants) -> None:
        """Change the bias and the weights of a kernel that reads its padded copy."""
        folding, widening = self.change.folding, self.change.widening
        if folding is not None:
            fold(kernel, folding, constants)
        if widening is not None:
            weights = kernel.inputs[_WEIGHTS]
            values = constants.values(weights)
            assert values is not None, "only windows with known weights become wider"
            type_, wide = widening.type_of(weights), widening.values_of(values)
            widen_windows(kernel, widening, constants.resized(kernel, weights, type_, wide))
            if not any(True for _ in weights.uses):
                weights.owner.erase()


def _fitting(
    module: ModuleOp, pads: Mapping[int, _Pad], budgets: Mapping[str, int], planner: str
) -> tuple[int, ...]:
    """Return the numbers of the kernels whose copies fit."""
    kernels = _kernels(module)
    copies = [pad.copy_of(kernels[number], number) for number, pad in pads.items()]

    def pad(module: ModuleOp, numbers: Sequence[int]) -> None:
        _pad_sources(module, pads, numbers)

    return fitting(module, copies, pad, budgets, planner)


def _pad_sources(module: ModuleOp, pads: Mapping[int, _Pad], numbers: Sequence[int]) -> None:
    """Pad the sources of the kernels with these numbers."""
    kernels = _kernels(module)
    for number in numbers:
        pad_source(kernels[number], pads[number].change.padding, pads[number].space)


def _kernels(module: ModuleOp) -> list[ReduceOp]:
    return [kernel for function in entry_functions(module) for kernel in ops_of(function, ReduceOp)]


def _worthwhile(
    module: ModuleOp, constants: Constants, cpu: Cpu
) -> Iterator[tuple[int, list[_Pad]]]:
    """Yield the kernels of the host, by number, that cost less with padded copies, best first."""
    host, pools = host_of(module.operation), pools_in(module.operation)
    for number, kernel in enumerate(_kernels(module)):
        paddings = [
            (padding, widening)
            for widening in (None, *_widenings(kernel, constants, pools, cpu))
            if (padding := source_padding_of(kernel, widening)) is not None
        ]
        if not paddings or device_of(kernel, host) != host:
            continue
        space = _workspace_of(kernel, pools)
        if space is None:
            continue
        folding = folding_of(kernel, constants, cpu.offset)
        changes = [PaddingChange(padding, folding, widening) for padding, widening in paddings]
        gains = zip(changes, gains_of(kernel, changes, cpu), strict=True)
        ranked = sorted(gains, key=lambda found: -found[1])
        if pads := [_Pad(change, space) for change, gain in ranked if gain > 0]:
            yield number, pads


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
        own = [pools[name] for name in names]
        if own and all(p.kind is PoolKind.constant and p.capacity is None for p in own):
            yield widening


def _workspace_of(kernel: ReduceOp, pools: Mapping[str, Pool]) -> ir.Attribute | None:
    """Return the memory space of the result if it is a workspace, else of the source, or None."""
    for value in (kernel.output, kernel.inputs[SOURCE]):
        names = candidates_of(value.type)
        if names and all(pools[name].kind is PoolKind.workspace for name in names):
            return ir.MemRefType(value.type).memory_space
    return None
