"""Drawn `accel.reduce` ops, and what they compute by the op's description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from common.host_jit import run_host


@dataclass(frozen=True)
class Case:
    """Extents and, for each operand, a shape and (coefficients, constant) for each of its axes."""

    parallel: tuple[int, ...]
    reduction: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]
    forms: tuple[tuple[tuple[tuple[int, ...], int], ...], ...]

    element: str = "i32"
    offset: int = 0

    @property
    def extents(self) -> tuple[int, ...]:
        return (*self.parallel, *self.reduction)

    def map_of(self, operand: int) -> str:
        names = [f"d{i}" for i in range(len(self.extents))]
        terms = [
            " + ".join([*(f"{n} * {c}" for n, c in zip(names, cs, strict=True)), str(constant)])
            for cs, constant in self.forms[operand]
        ]
        return f"affine_map<({', '.join(names)}) -> ({', '.join(terms)})>"


def source(
    case: Case,
    blocks: Sequence[int] = (),
    words: Sequence[int] = (),
    cpu: str | None = None,
    *,
    row: int | None = None,
    peeled: Sequence[int] = (),
    partial_sums: int = 1,
) -> str:
    """The sum of products, times 1000, plus the count; of small elements the sum of products.

    With `row` the op computes one position of this dimension in each step of a loop.
    """
    kinds = [f"tensor<{'x'.join([*map(str, shape), case.element])}>" for shape in case.shapes]
    result = f"tensor<{'x'.join([*map(str, case.parallel), 'i32'])}>"
    names = [f"%x{i}" for i in range(len(kinds))]
    outer = ", ".join(f"d{i}" for i in range(len(case.parallel)))
    maps = [*(case.map_of(i) for i in range(len(kinds))), f"affine_map<({outer}) -> ({outer})>"]
    scalars = ", ".join(f"%s{i}: {case.element}" for i in range(len(kinds)))
    product = "%s0" if len(kinds) == 1 else "%product"
    line = "" if len(kinds) == 1 else "%product = arith.muli %s0, %s1 : i32"
    end = """%thousand = arith.constant 1000 : i32
            %high = arith.muli %acc, %thousand : i32
            %both = arith.addi %high, %count : i32"""
    if case.element != "i32":
        line = f"""%offset = arith.constant {case.offset} : i32
            %w0 = arith.extsi %s0 : {case.element} to i32
            %w1 = arith.extsi %s1 : {case.element} to i32
            %z0 = arith.addi %w0, %offset : i32
            %product = arith.muli %z0, %w1 : i32"""
        end = """%zero = arith.constant 0 : i32
            %both = arith.addi %acc, %zero : i32"""
    arguments = ", ".join(f"{n}: {k}" for n, k in zip(names, kinds, strict=True))
    maps_text = ", ".join(maps)
    clause = f"blocks [{', '.join(map(str, blocks))}]" if blocks else ""
    clause += f" words [{', '.join(map(str, words))}]" if words else ""
    clause += f" partial_sums {partial_sums}" if partial_sums > 1 else ""
    clause += f" peeled [{', '.join(map(str, peeled))}]" if peeled else ""
    scheduled = "" if cpu is None else f'attributes {{accel.cpu = "{cpu}"}} '
    domain = " | ".join(", ".join(map(str, part)) for part in (case.parallel, case.reduction))
    box, before, behind = "", "", ""
    if row is not None:
        height, heights = case.parallel[row], list(case.parallel)
        zeros = (
            ["%y" if d == row else "0" for d in range(len(heights))],
            ["0"] * len(case.reduction),
        )
        heights[row] = 1
        sizes = map(str, heights), map(str, case.reduction)
        starts, lengths = (" | ".join(", ".join(part) for part in own) for own in (zeros, sizes))
        box = f" at [{starts}] sizes [{lengths}]"
        before = f"""%first = arith.constant 0 : index
        %step = arith.constant 1 : index
        %end = arith.constant {height} : index
        %rows = scf.for %y = %first to %end step %step iter_args(%own = %e) -> ({result}) {{"""
        behind = f"""scf.yield %r : {result}
        }}"""
    destination, returned = ("%own", "%rows") if row is not None else ("%e", "%r")
    return f"""
      func.func @main({arguments}) -> {result} {scheduled}{{
        %e = tensor.empty() : {result}
        {before}
        %r = accel.reduce [{domain}]{box}
          ins({", ".join(names)} : {", ".join(kinds)}) outs({destination} : {result})
          maps [{maps_text}] {clause}
          init {{
            %zero = arith.constant 0 : i32
            accel.yield %zero : i32
          }} body {{
          ^bb0(%acc: i32, {scalars}):
            {line}
            %sum = arith.addi %acc, {product} : i32
            accel.yield %sum : i32
          }} finish {{
          ^bb0(%acc: i32, %count: i32):
            {end}
            accel.yield %both : i32
          }} -> {result}
        {behind}
        return {returned} : {result}
      }}"""


def expected(case: Case, inputs: list[np.ndarray]) -> np.ndarray:
    """At every point, as the description of the op says."""
    points = np.indices(case.extents).reshape(len(case.extents), -1)
    inside = np.ones(points.shape[1], np.bool_)
    indices = []
    for x, axes in zip(inputs, case.forms, strict=True):
        index = [np.dot(cs, points) + constant for cs, constant in axes]
        for i, n in zip(index, x.shape, strict=True):
            inside &= (i >= 0) & (i < n)
        indices.append(index)
    factors = [
        x[tuple(i[inside] for i in index)].astype(np.int64)
        for x, index in zip(inputs, indices, strict=True)
    ]
    factors[0] += case.offset
    products = np.prod(factors, axis=0)
    out = np.zeros(case.parallel, np.int64)
    results = tuple(points[: len(case.parallel), inside])
    np.add.at(out, results, 1000 * products + 1 if case.element == "i32" else products)
    return out


def check(
    case: Case,
    blocks: Sequence[int] = (),
    words: Sequence[int] = (),
    cpu: str | None = None,
    *,
    row: int | None = None,
    peeled: Sequence[int] = (),
    partial_sums: int = 1,
) -> None:
    """Compare the lowered op with the description."""
    rng = np.random.default_rng(0)
    most, type_ = (9, np.int32) if case.element == "i32" else (127, np.int8)
    inputs = [rng.integers(-most, most + 1, shape).astype(type_) for shape in case.shapes]
    expanded = ("memref-pool-lower-to-llvm",) if words else ()
    if row is not None:
        # The loop over rows hands the same buffer from step to step.
        expanded = (*expanded, "canonicalize", "func.func(convert-linalg-to-loops)")
    text = source(case, blocks, words, cpu, row=row, peeled=peeled, partial_sums=partial_sums)
    found = run_host(text, *inputs, expanded=expanded)[0]
    np.testing.assert_array_equal(found, expected(case, inputs))
