"""Trial plans with sources that are padded within the bytes of a plan.

A kernel that reads strips of padded rows may write its result into the buffer of its source. So
such a program can have a smaller plan than the program without copies.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.ir.cascade.padded_plans import PaddingChoices
from forebay.ir.cascade.trial_plans import peak_of
from forebay.ir.machine.pools import pool_ops
from forebay.ir.module import module_of


class PaddingTrial(Struct, frozen=True, eq=False):
    """Pads the sources of kernels in programs, and plans a pool of these."""

    choices: PaddingChoices
    pool: str
    planner: str

    def least(self, peak: int) -> int:
        """Return a lower bound of the peak with copies, in bytes, of a plan with this peak.

        A copy saves at most the smaller one of a source and a result, which are live together.
        """
        return peak // 2

    def peak(self, module: ModuleOp) -> int:
        """Return the peak of a clone of a module with padded sources, in bytes."""
        clone = module_of(module.operation.clone().operation)
        self.pad(clone)
        peak = peak_of(clone, self.pool, self.planner)
        clone.operation.erase()
        return peak

    def pad(self, module: ModuleOp) -> None:
        """Pad sources in a module where its plan, without a capacity, then has no more bytes."""
        with _without_capacity(module, self.pool):
            self.choices.pad_within_plan(module, self.planner)


@contextmanager
def _without_capacity(module: ModuleOp, pool: str) -> Generator[None]:
    """Let plans inside the `with` block give a pool all the bytes that they need.

    A pool in banks keeps its capacity, of which the banks are parts.
    """
    (op,) = (op for op in pool_ops(module.operation) if op.sym_name.value == pool)
    capacity, attributes = op.capacity, op.operation.attributes
    if capacity is None or op.banks is not None:
        yield
        return
    del attributes["capacity"]
    try:
        yield
    finally:
        attributes["capacity"] = capacity
