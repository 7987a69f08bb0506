"""The kernels whose sources may be padded in a pool with a budget, where they run row by row."""

from __future__ import annotations

from collections.abc import Sequence

from mlir.dialects.builtin import ModuleOp

from forebay.cpus.cpu import Cpu
from forebay.dialects.accel import ReduceOp
from forebay.lowering.padding.candidates import PaddedSource, PaddingCandidates, kernels_in
from forebay.lowering.padding.choice import pad_within_plan


class RowPadding:
    """The candidates of a module whose copies prefer a pool; see `PaddingChoices`."""

    def __init__(self, module: ModuleOp, cpu: Cpu, pool: str) -> None:
        self._cpu, self._candidates = cpu, PaddingCandidates(module, cpu)
        self._kernels = kernels_in(module)
        found = {number: choice[0] for number, choice in self._candidates.choices.items()}
        self._sources = {n: source for n, source in found.items() if source.pools[:1] == (pool,)}
        self.gains = {number: source.gain for number, source in self._sources.items()}

    def row_bytes(self, number: int) -> int:
        """Return the bytes of a row of a copy."""
        source = self._sources[number]
        rows = next((n for n in source.change.padding.padded if n > 1), 1)
        return source.bytes_for(self._kernels[number]) // rows

    def pad(self, clone: ModuleOp, numbers: Sequence[int]) -> list[ReduceOp]:
        """Pad the sources of these kernels in a clone of the module; return the kernels."""
        return self._candidates.pad(clone, self._of(numbers))

    def apply(self, numbers: Sequence[int]) -> None:
        """Pad the sources of these kernels in the module."""
        self._candidates.apply(self._of(numbers))

    def pad_within_plan(self, module: ModuleOp, planner: str) -> None:
        """Pad sources in a module, or in a clone of it, where its plan then has no more bytes."""
        pad_within_plan(module, self._cpu, {}, planner)

    def _of(self, numbers: Sequence[int]) -> dict[int, PaddedSource]:
        return {number: self._sources[number] for number in numbers}
