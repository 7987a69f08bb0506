"""The conditions of a pattern, as they follow from the operands and scalars of intrinsics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from mlir import ir

from forebay.computations.computation import ComputedOperator, ConstantElements
from forebay.computations.condition import Condition
from forebay.computations.layout import OperandLayout, common_blocks, rounded
from forebay.ir.fused import element_type, shape_of
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
        *_on_sizes(group, operator_of),
        *_on_operands(group, operator_of),
        *_on_scalars(group, operator_of),
        *_on_dimensions(group, operator_of),
        *_on_granules(group, operator_of, pools),
    )


def _on_sizes(group: IntrinsicGroup, operator_of: OperatorOf) -> Iterator[Condition]:
    """Yield the conditions that operands have the elements of their axes: calls rely on that."""
    computation = group.computation
    for name in group.operands:
        axes, width = computation.axes[name], computation.elements()[name].width

        def has_elements(
            view: Any, name: str = name, axes: tuple[str, ...] = axes, width: int = width
        ) -> bool:
            operator = operator_of(view)
            given = view.result if name in computation.outputs else operator.operands.get(name)
            count = math.prod(operator.scalars.get(axis, 0) for axis in axes)
            return given is not None and _elements(given) == (count, width)

        yield f"{name} of {' x '.join(axes)} elements of {width} bits", has_elements


def _elements(given: ir.Value | ConstantElements) -> tuple[int, int]:
    """Return the number of elements, and the bits of each."""
    if isinstance(given, np.ndarray):
        return given.size, given.itemsize * 8
    element = element_type(given)
    width = element.width if isinstance(element, ir.IntegerType | ir.FloatType) else 0
    return math.prod(shape_of(given)), width


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
