"""Which collapses bufferization copies, against bufferization itself, on drawn chains of views."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from math import prod

from mlir import ir
from mlir.dialects import func, memref, tensor

import forebay.passes  # noqa: F401  (registers)
from forebay.ir.assign.strides import is_copied
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.pipelines import run_pipeline

BUFFERIZE = (
    "builtin.module(one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map})"
)
Shape = tuple[int, ...]


def type_of(shape: Shape) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}i8>"


def groups_of(draw: random.Random, rank: int) -> list[list[int]]:
    cuts = sorted(draw.sample(range(1, rank), draw.randint(0, rank - 1)))
    return [list(range(begin, end)) for begin, end in pairwise([0, *cuts, rank])]


def sliced(draw: random.Random, shape: Shape) -> tuple[str, Shape]:
    sizes, steps = [], []
    for extent in shape:
        step = draw.choice([1, 1, 1, 2])
        most = (extent + step - 1) // step
        sizes.append(draw.choice([1, most, most, draw.randint(1, most), draw.randint(1, most)]))
        steps.append(step)
    offsets = [
        draw.randint(0, extent - (size - 1) * step - 1)
        for extent, size, step in zip(shape, sizes, steps, strict=True)
    ]
    ones = [axis for axis, size in enumerate(sizes) if size == 1]
    # All or none: which of several was dropped, upstream's inference of layouts does not find out.
    dropped = ones if len(sizes) > len(ones) and draw.random() < 0.5 else ()
    kept = tuple(size for axis, size in enumerate(sizes) if axis not in dropped)
    return f"tensor.extract_slice $ {offsets} {sizes} {steps} : {type_of(shape)} to ", kept


def collapsed(draw: random.Random, shape: Shape) -> tuple[str, Shape]:
    groups = groups_of(draw, len(shape))
    result = tuple(prod(shape[axis] for axis in group) for group in groups)
    return f"tensor.collapse_shape $ {groups} : {type_of(shape)} into ", result


def expanded(draw: random.Random, shape: Shape) -> tuple[str, Shape]:
    result: list[int] = []
    groups: list[list[int]] = []
    for size in shape:
        parts = draw.choice([[size], [1, size], [size, 1], [2, size // 2]])
        parts = parts if prod(parts) == size else [size]
        groups.append(list(range(len(result), len(result) + len(parts))))
        result += parts
    text = f"tensor.expand_shape $ {groups} output_shape {result} : {type_of(shape)} into "
    return text, tuple(result)


def program(number: int) -> str:
    draw = random.Random(number)
    shape = start = tuple(draw.choice([2, 3, 4, 6]) for _ in range(draw.randint(2, 4)))
    lines = [f"func.func @f{number}(%v0: {type_of(start)}) -> i8 {{"]
    for index in range(draw.randint(3, 8)):
        form, result = draw.choice([sliced, sliced, collapsed, expanded])(draw, shape)
        if len(result) > 6:
            continue
        value = f"v{index + 1}_{len(lines)}"
        source = lines[-1].split(" ", 1)[0] if index and len(lines) > 1 else "%v0"
        lines.append(f"%{value} = {form.replace('$', source)}{type_of(result)}")
        shape = result
    last = lines[-1].split(" ", 1)[0] if len(lines) > 1 else "%v0"
    indices = ", ".join(["%zero"] * len(shape))
    lines += [
        "%zero = arith.constant 0 : index",
        f"%e = tensor.extract {last}[{indices}] : {type_of(shape)}",
        "return %e : i8",
        "}",
    ]
    return "\n".join(lines)


def counted(module: ir.Module, wanted: type[ir.OpView]) -> Iterator[tuple[str, int]]:
    for function in module_of(module).body.operations:
        assert isinstance(function, func.FuncOp)
        found = [
            op
            for op in ops_nested_in(function)
            if isinstance(op, wanted)
            and (not isinstance(op, tensor.CollapseShapeOp) or is_copied(op))
        ]
        yield function.sym_name.value, len(found)


def test_collapses_are_copied_where_bufferization_copies_them() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse("\n".join(map(program, range(600))))
        ours = dict(counted(module, tensor.CollapseShapeOp))
        run_pipeline(module, BUFFERIZE)
        theirs = dict(counted(module, memref.AllocOp))
    assert ours == theirs
    assert sum(ours.values()) > 40
