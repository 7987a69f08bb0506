"""The base class of computations, which say what an intrinsic computes.

A computation names everything: operands, the axes of operands, and scalars. A dimension of its loop
nest is an axis of some operands and a scalar with the number of its points. A matrix product::

    parallel ("rows", "columns"), reduction ("depth",)
    x ("rows", "depth"), weights ("columns", "depth"), y ("rows", "columns")

An intrinsic takes some of the operands and scalars. What it does not take has the default value of
the reference's parameter, and the device runs no operator that needs another value.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from mlir import ir
from numpy.typing import NDArray

from forebay.computations.condition import Condition
from forebay.ir.fused import Fused
from forebay.tracing.integers import Integer
from forebay.tracing.reference import element_of_operand, is_operand

ConstantElements = NDArray[np.generic]
"""The elements of a constant."""


@dataclass(frozen=True, eq=False)
class ComputedOperator:
    """An operator of a program, as a computation sees it.

    `operands` are tensors, or elements of constants, with the axes of the computation's operands;
    `scalars` are numbers by name. What depends on the operator may be missing: one multiplier of a
    layer that has one per channel.
    """

    operands: Mapping[str, ir.Value | ConstantElements]
    scalars: Mapping[str, int]


@dataclass(frozen=True)
class SlidingAxis:
    """An axis of an operand along which a window slides; all fields are names of scalars.

    The element is `position * stride + offset * dilation - before`; where it is outside of the
    axis, the point is skipped. `position` and `offset` are dimensions.
    """

    position: str
    offset: str
    stride: str
    dilation: str
    before: str


class Computation(ABC):
    """A computation on operands and scalars.

    `reference` is a traced function: operands are parameters annotated as `TypedPointer`, or
    `TypedPointer | None` with the default None if an intrinsic may lack them; all others are
    scalars. `axes` has the axes of each operand, the last one contiguous. An axis is a dimension of
    `parallel` or `reduction`, or one of `sliding`. `sums` is the operand of partial sums, if the
    reduction may be cut. `tables` has, for operands with a number per channel, the scalar with one
    number for all in their place. `fills` has what must fill incomplete blocks of an operand if it
    matters: a scalar's name, or a number.

    `of` are the operators that it implements, as in a `Pattern`, under `conditions`, which are
    tried in order and may rely on those before.
    """

    title: ClassVar[str]
    parallel: ClassVar[tuple[str, ...]]
    reduction: ClassVar[tuple[str, ...]] = ()
    axes: ClassVar[Mapping[str, tuple[str, ...]]]
    sliding: ClassVar[Mapping[str, SlidingAxis]] = {}
    outputs: ClassVar[tuple[str, ...]] = ("y",)
    sums: ClassVar[str | None] = None
    tables: ClassVar[Mapping[str, str]] = {}
    fills: ClassVar[Mapping[str, int | str]] = {}
    of: ClassVar[tuple[type[Fused] | type[ir.OpView], ...]]
    conditions: ClassVar[tuple[Condition, ...]] = ()
    reference: ClassVar[Callable[..., None]]

    @abstractmethod
    def operator(self, view: Any) -> ComputedOperator:
        """Return the operands and scalars of an operator that meets all conditions."""

    @classmethod
    def elements(cls) -> Mapping[str, type[Integer]]:
        """Return the type of the elements of each operand."""
        return {name: element_of_operand(cls.reference, name) for name in cls.axes}

    @classmethod
    def scalars(cls) -> Mapping[str, int | None]:
        """Return the scalars with their values where an intrinsic does not take them.

        None is for those that every intrinsic takes.
        """
        empty = inspect.Parameter.empty
        return {
            name: None if parameter.default is empty else parameter.default
            for name, parameter in inspect.signature(cls.reference).parameters.items()
            if not is_operand(cls.reference, name)
        }

    @classmethod
    def usual_operands(cls) -> tuple[str, ...]:
        """Return the operands of an intrinsic that names none: no partial sums, no tables."""
        return tuple(name for name in cls.axes if name != cls.sums and name not in cls.tables)

    @classmethod
    def reduced_operands(cls) -> tuple[str, ...]:
        """Return the inputs of the reduction: with an axis along which it runs."""
        if cls.sums is None:
            return ()
        reduced = {
            *cls.reduction,
            *(a for a, s in cls.sliding.items() if s.offset in cls.reduction),
        }
        return tuple(name for name, axes in cls.axes.items() if reduced.intersection(axes))

    @classmethod
    def needed_operands(cls) -> tuple[str, ...]:
        """Return the operands that every intrinsic takes."""
        parameters = inspect.signature(cls.reference).parameters
        return tuple(n for n in cls.axes if parameters[n].default is inspect.Parameter.empty)
