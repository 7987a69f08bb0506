"""The conditions of a pattern, as they follow from the operands and scalars of intrinsics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from forebay.computations.computation import ComputedOperator
from forebay.computations.condition import Condition
from forebay.computations.layout import OperandLayout, common_blocks, rounded
from forebay.targets.declared.group import IntrinsicGroup
from forebay.targets.declared.storage import OperandStorages
from forebay.targets.description.pool import Pool
from forebay.tiling import TileLimit

OperatorOf = Callable[[Any], ComputedOperator]
"""A function that returns the operator of a view."""


def conditions_of(
    group: IntrinsicGroup, operator_of: OperatorOf, pools: Sequence[Pool]
) -> tuple[Condition, ...]:
    """Return the computation's conditions, and those on what the intrinsics do not take."""
    return (
        *group.computation.conditions,
        *_on_operands(group, operator_of),
        *_on_scalars(group, operator_of),
        *_on_dimensions(group, operator_of),
        *_on_granules(group, operator_of, pools),
    )


def _on_operands(group: IntrinsicGroup, operator_of: OperatorOf) -> Iterator[Condition]:
    """Yield the conditions on operands that are not taken: they are zeros."""
    computation = group.computation
    for name in computation.usual_operands():
        if name not in group.operands:

            def is_zero(view: Any, name: str = name) -> bool:
                given = operator_of(view).operands.get(name)
                return given is None or (isinstance(given, np.ndarray) and not given.any())

            yield f"no {name}", is_zero


def _on_scalars(group: IntrinsicGroup, operator_of: OperatorOf) -> Iterator[Condition]:
    computation, scalars = group.computation, group.computation.scalars()
    replaced = {computation.tables[n] for n in group.operands if n in computation.tables}
    single = set(computation.tables.values()) - replaced
    for name, default in scalars.items():
        allowed = group.main.limits.get(name)
        if name in single:
            yield (
                f"one {name} for all channels",
                lambda view, name=name: name in operator_of(view).scalars,
            )
        if name in replaced or name in computation.parallel:
            continue
        if name not in group.scalars:
            yield (
                f"{name} {default}",
                lambda view, name=name, default=default: (
                    operator_of(view).scalars.get(name, default) == default
                ),
            )
        elif allowed is not None and not isinstance(allowed, TileLimit):
            yield (
                f"{name} in {allowed}",
                lambda view, name=name, allowed=allowed: operator_of(view).scalars[name] in allowed,
            )


def _on_dimensions(group: IntrinsicGroup, operator_of: OperatorOf) -> Iterator[Condition]:
    """Yield the conditions on dimensions that are not cut."""
    for name in (*group.computation.parallel, *group.computation.reduction):
        limit = group.limit_of(name)
        is_cut = not limit.is_whole and (name in group.computation.parallel or group.cuts_reduction)
        if limit.most is not None and not is_cut and name in group.scalars:
            yield (
                f"{name} of at most {limit.most}",
                lambda view, name=name, most=limit.most: operator_of(view).scalars[name] <= most,
            )


def _on_granules(
    group: IntrinsicGroup, operator_of: OperatorOf, pools: Sequence[Pool]
) -> Iterator[Condition]:
    """Yield the conditions that operands have whole granules of the transfers that move them."""
    storages = OperandStorages(group, pools, {})
    blocks = common_blocks(list(group.layouts.values()))
    for name in group.operands:
        transfer = storages.transfer_of(name)
        if transfer is None or not transfer.granule:
            continue
        layout, bits = group.layouts[name], group.computation.elements()[name].width

        def is_whole(
            view: Any,
            layout: OperandLayout = layout,
            bits: int = bits,
            granule: int = transfer.granule,
        ) -> bool:
            scalars = rounded(operator_of(view).scalars, blocks)
            return math.prod(layout.shape(scalars)) * bits // 8 % granule == 0

        yield f"{name} of a multiple of {transfer.granule} bytes ({transfer.name})", is_whole
