"""Changes of what is done: ops that are gone, views and calls with other numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from mlir import ir
from mlir.dialects import memref

from common.injection.edit import erase
from common.injection.mutants import Change, Wrong
from common.injection.plans import shuffled
from common.injection.right import Right
from forebay.dialects import accel
from forebay.ir.nested import ops_nested_in


def without(
    right: Right, wanted: Callable[[ir.OpView], bool], rng: random.Random
) -> Iterator[Wrong]:
    """The program without one of the ops that are wanted."""
    for number, op in shuffled(right.numbered(wanted), rng):
        yield f"op {number}, {op.operation.name}", _erased(number)


def views_changed(right: Right, attribute: str, steps: Sequence[int]) -> Iterator[Wrong]:
    """Parts of images that lie elsewhere: the first axis that is longer than 1, changed."""
    for number, op in right.numbered(lambda op: isinstance(op, memref.SubViewOp)):
        axis = next((n for n, size in enumerate(op.static_sizes) if size > 1), 0)
        for step in steps:
            numbers = list(getattr(op, attribute))
            numbers[axis] += step
            if numbers[axis] >= 0:
                what = f"{attribute} {numbers} of op {number}"
                yield what, _with(number, attribute, numbers)


def scalars_changed(right: Right, names: Sequence[str], steps: Sequence[int]) -> Iterator[Wrong]:
    """Calls with other numbers, all of them positive."""
    for number, op in right.numbered(lambda op: isinstance(op, accel.CallOp | accel.LaunchOp)):
        config = {named.name: named.attr for named in op.config or ()}
        for name in names:
            for step in steps:
                if name in config and config[name].value + step > 0:
                    what = f"{name} {step:+} of op {number}"
                    yield what, _with_number(number, name, step)


def _erased(number: int) -> Change:
    return lambda module: erase(ops_nested_in(module)[number])


def _with(number: int, attribute: str, numbers: list[int]) -> Change:
    def change(module: ir.Operation) -> None:
        with module.context:
            wrong = ir.DenseI64ArrayAttr.get(numbers)
            ops_nested_in(module)[number].operation.attributes[attribute] = wrong

    return change


def _with_number(number: int, name: str, step: int) -> Change:
    def change(module: ir.Operation) -> None:
        op = ops_nested_in(module)[number]
        config = {named.name: named.attr for named in op.config}
        with module.context:
            wrong = ir.IntegerAttr.get(config[name].type, config[name].value + step)
            op.operation.attributes["config"] = ir.DictAttr.get({**config, name: wrong})

    return change
