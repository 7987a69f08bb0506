"""Candidate pools that suit every user of a buffer, and the ops that leave only one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.dialects.accel import CallOp
from forebay.ir.liveness.liveness import Liveness
from forebay.ir.locations import operator_of
from forebay.ir.machine.devices import host_of, intrinsic_of
from forebay.ir.machine.pools import Pools
from forebay.ir.memory.access_constraints import (
    AccessConstraint,
    AccessConstraints,
    AllowedPools,
)
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer
from forebay.ir.nested import memory_ops_in
from forebay.ir.refused import RefusedError
from forebay.planning import Kind


class CandidatePools(Struct, frozen=True):
    """The candidate pools of a buffer that suit all its users, in order of preference.

    `pinned_by` names the ops that reduce several pools to one. `alignment`, in bytes, is what
    devices require of its address.
    """

    pools: tuple[str, ...]
    pinned_by: tuple[str, ...]
    alignment: int


class _PoolConstraint(Struct, frozen=True):
    """A user of a buffer, and the pools in which it can access the buffer."""

    what: str
    by: str
    location: ir.Location
    pools: tuple[str, ...]
    alignment: int = 1


def candidate_pools_of(liveness: Liveness, module: ModuleOp, pools: Pools) -> list[CandidatePools]:
    """Return the candidate pools of every root, in the order of the roots.

    Raises `RefusedError` where no candidate suits all users, with the claims that exclude each
    other.
    """
    host = host_of(module.operation)
    claims: list[list[_PoolConstraint]] = [
        list(_of_application(root, host, pools)) for root in liveness.buffers
    ]
    constraints, allowed = AccessConstraints(module), AllowedPools(pools)
    for op in memory_ops_in(module):
        name = ""
        for constraint in constraints.of(op):
            name = name or _name(op)
            numbers = liveness.aliases.get(constraint.value)
            if numbers:
                claim = _of_access(constraint, name, allowed)
                for number in numbers:
                    claims[number].append(claim)
    return [
        _candidate_pools(root, own, pools)
        for root, own in zip(liveness.buffers, claims, strict=True)
    ]


def _of_access(constraint: AccessConstraint, name: str, allowed: AllowedPools) -> _PoolConstraint:
    return _PoolConstraint(
        constraint.what,
        name,
        constraint.op.location,
        allowed.of(constraint),
        constraint.alignment,
    )


def _of_application(root: UnderlyingBuffer, host: str, pools: Pools) -> Iterator[_PoolConstraint]:
    """Yield the claims of the application: on the host, it writes inputs and reads outputs."""
    if root.kind is Kind.INPUT:
        found = tuple(name for name, pool in pools.items() if pool.lets_write(host))
        yield _PoolConstraint(
            f"the application on @{host}, which writes it,", "", root.location, found
        )
    elif root.kind is Kind.OUTPUT:
        found = tuple(name for name, pool in pools.items() if pool.lets_read(host))
        yield _PoolConstraint(
            f"the application on @{host}, which reads it,", "", root.location, found
        )


def _name(op: ir.OpView) -> str:
    """Return the name for messages: an intrinsic's C function, an operator, or an op's name."""
    if isinstance(op, CallOp):
        return intrinsic_of(op).symbol.value
    operator = operator_of(op.location)
    return op.operation.name if operator is None else str(operator)


def _candidate_pools(
    root: UnderlyingBuffer, claims: Sequence[_PoolConstraint], pools: Pools
) -> CandidatePools:
    found = _common(root.candidates, claims)
    if not found:
        raise _refusal(root, claims)
    alignment = max((claim.alignment for claim in claims), default=1)
    return CandidatePools(found, _pinning(root, found, claims, pools), alignment)


def _common(candidates: Sequence[str], claims: Sequence[_PoolConstraint]) -> tuple[str, ...]:
    return tuple(pool for pool in candidates if all(pool in claim.pools for claim in claims))


def _pinning(
    root: UnderlyingBuffer, found: Sequence[str], claims: Sequence[_PoolConstraint], pools: Pools
) -> tuple[str, ...]:
    """Return the users that reduce several pools of the kind to one.

    If no user does so alone, return all users that exclude a pool.
    """
    kind = pools[root.candidates[0]].kind
    alike = [name for name, pool in pools.items() if pool.kind is kind]
    if len(found) > 1 or len(alike) == 1:
        return ()
    narrow = [claim for claim in claims if claim.by and not set(alike) <= set(claim.pools)]
    alone = [claim for claim in narrow if set(alike) & set(claim.pools) == set(found)]
    return tuple(dict.fromkeys(claim.by for claim in alone or narrow))


def _refusal(root: UnderlyingBuffer, claims: Sequence[_PoolConstraint]) -> RefusedError:
    """Return the error with the fewest claims that leave no candidate: one, a pair, or all."""
    conflicting = next(
        (
            group
            for count in (1, 2)
            for group in combinations(claims, count)
            if not _common(root.candidates, group)
        ),
        tuple(claims),
    )
    wants = " and ".join(f"{claim.what} can be in {_listed(claim.pools)}" for claim in conflicting)
    return RefusedError(
        root.location,
        f"buffer '{root.name}' may live in {_listed(root.candidates)}, but {wants}; widen what "
        "they can reach, or let memref-pool-assign part them by a copy",
        [(claim.location, f"{claim.what} is here") for claim in conflicting],
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"@{name}" for name in names) or "no pool"
