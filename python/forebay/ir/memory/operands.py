"""Check that a memref is in a pool and of a layout that its user accepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir

from forebay.ir.machine.pools import candidates_of, element_bytes
from forebay.ir.machine.transfers import INSTRUCTIONS
from forebay.ir.memory.access_constraints import AccessConstraint, pools_allowed
from forebay.ir.memory.offsets import offset_multiple
from forebay.ir.refused import RefusedError
from forebay.ir.views.layouts import is_contiguous, offset_of
from forebay.pools import Pool


def check_operand(constraint: AccessConstraint, pools: Mapping[str, Pool], host: str) -> None:
    """Raise `RefusedError` at the op if no candidate pool or the layout suits the constraint.

    The layout matters for operands that are passed as pointers. Memory of the caller is in no pool,
    and only the host can access it.
    """
    if not isinstance(constraint.value.type, ir.MemRefType):
        return
    candidates = candidates_of(constraint.value.type)
    if candidates:
        _check_inside(constraint, candidates, pools)
        _check_pools(constraint, candidates, pools_allowed(constraint, pools))
    elif constraint.device != host or constraint.pools is not None:
        raise RefusedError(
            constraint.op.location,
            f"{constraint.what} is memory of the caller, in no pool that @{constraint.device} "
            "reaches; "
            "give the input or output a pool, or copy it into one",
        )
    if constraint.contiguous:
        _check_pointer(constraint, ir.MemRefType(constraint.value.type))


def _check_inside(
    constraint: AccessConstraint, candidates: Sequence[str], pools: Mapping[str, Pool]
) -> None:
    if isinstance(constraint.op, INSTRUCTIONS) or not all(pools[name].local for name in candidates):
        return
    devices = dict.fromkeys(d for name in candidates for d in pools[name].readers or ())
    raise RefusedError(
        constraint.op.location,
        f"{constraint.what} is in {_listed(candidates)}, inside {_listed(list(devices))}, which "
        "only "
        "its transfers and intrinsics reach; move the bytes into a pool that the host can address",
    )


def _check_pools(
    constraint: AccessConstraint, candidates: Sequence[str], allowed: Sequence[str]
) -> None:
    if not set(candidates) & set(allowed):
        raise RefusedError(
            constraint.op.location,
            f"{constraint.what} may be in {_listed(candidates)}, but can be in {_listed(allowed)} "
            f"for @{constraint.device}; copy it there by a memref_pool.copy",
        )


def _check_pointer(constraint: AccessConstraint, type_: ir.MemRefType) -> None:
    if not is_contiguous(type_):
        raise RefusedError(
            constraint.op.location,
            f"{constraint.what} is {type_}, which has gaps or no known size, but is handed over as "
            "the "
            "address of contiguous bytes; copy it into a buffer of its own",
        )
    if constraint.alignment == 1:
        return
    offset = offset_of(type_)
    if offset_multiple(constraint.value) * element_bytes(type_.element_type) % constraint.alignment:
        begins = "anywhere" if offset is None else f"{offset} elements"
        raise RefusedError(
            constraint.op.location,
            f"{constraint.what} is {type_}, which begins {begins} into its buffer, but must be at "
            "a "
            f"multiple of {constraint.alignment} bytes; copy it into a buffer of its own",
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"@{name}" for name in names) or "no pool"
