"""accel-check-grants: verify that no device's stage uses more memory than was free."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from mlir import ir
from mlir.dialects import func

from forebay.device_stages.grants import granted
from forebay.dialects.memref_pool import AllocOp
from forebay.ir.liveness.liveness import Liveness, liveness_of
from forebay.ir.machine.pools import bytes_of
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import module_of
from forebay.ir.problem.problem import planned_placement
from forebay.passes._pass import Pass, PassError


class AccelCheckGrants(Pass):
    """Refuse a plan in which a stage allocates more bytes of a pool than its grant.

    Counts the bytes of the buffers that a function with a grant allocates and that are live at the
    same time.
    """

    name: ClassVar[str] = "accel-check-grants"

    def run(self, op: ir.Operation) -> None:
        """Check every function with a grant."""
        module = module_of(op)
        grants = [(function, granted(function)) for function in functions_in(module)]
        if all(free is None for _, free in grants):
            return
        liveness = liveness_of(module)
        for function, free in grants:
            if free is not None:
                _check(function, free, liveness)


def _check(function: func.FuncOp, grant: Mapping[str, int], liveness: Liveness) -> None:
    grants: dict[str, list[int]] = {}
    for number, root in enumerate(liveness.buffers):
        if isinstance(root.op, AllocOp) and _is_inside(root.op, function):
            grants.setdefault(planned_placement(root).pool, []).append(number)
    for pool, numbers in grants.items():
        if pool not in grant:
            continue
        free, taken = grant[pool], _peak(numbers, liveness)
        if taken > free:
            sizes = ", ".join(f"{bytes_of(liveness.buffers[n].type):,}" for n in numbers)
            raise PassError(
                function.location,
                f"the stage's buffers in @{pool} take {taken:,} bytes together, but {free:,} are "
                f"free while @{function.sym_name.value} runs; its buffers: {sizes}. Let the stage "
                "use smaller tiles, or give the pool more",
                [(liveness.buffers[number].location, "one of them") for number in numbers],
            )


def _is_inside(op: AllocOp, function: func.FuncOp) -> bool:
    around = op.operation.parent
    while around is not None and around.operation != function.operation:
        around = around.operation.parent
    return around is not None


def _peak(numbers: list[int], liveness: Liveness) -> int:
    """Return the largest number of bytes of these buffers that are live at one program point."""
    starts = {interval.start for number in numbers for interval in liveness.lifetimes[number]}
    return max(
        sum(
            bytes_of(liveness.buffers[number].type)
            for number in numbers
            if any(start <= tick < end for start, end in liveness.lifetimes[number])
        )
        for tick in starts
    )
