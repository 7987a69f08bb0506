"""`accel.reduce` as loops computes what the op's description says, for maps of all kinds."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from common.host_jit import run_host


@dataclass(frozen=True)
class Case:
    """Extents and, for each operand, a shape and (coefficients, constant) for each of its axes."""

    parallel: tuple[int, ...]
    reduction: tuple[int, ...]
    shapes: tuple[tuple[int, ...], ...]
    forms: tuple[tuple[tuple[tuple[int, ...], int], ...], ...]

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


def source(case: Case) -> str:
    """The sum of products, times 1000, plus the count."""
    kinds = [f"tensor<{'x'.join([*map(str, shape), 'i32'])}>" for shape in case.shapes]
    result = f"tensor<{'x'.join([*map(str, case.parallel), 'i32'])}>"
    names = [f"%x{i}" for i in range(len(kinds))]
    outer = ", ".join(f"d{i}" for i in range(len(case.parallel)))
    maps = [*(case.map_of(i) for i in range(len(kinds))), f"affine_map<({outer}) -> ({outer})>"]
    scalars = ", ".join(f"%s{i}: i32" for i in range(len(kinds)))
    product = "%s0" if len(kinds) == 1 else "%product"
    line = "" if len(kinds) == 1 else "%product = arith.muli %s0, %s1 : i32"
    arguments = ", ".join(f"{n}: {k}" for n, k in zip(names, kinds, strict=True))
    domain = " | ".join(", ".join(map(str, part)) for part in (case.parallel, case.reduction))
    return f"""
      func.func @main({arguments}) -> {result} {{
        %e = tensor.empty() : {result}
        %r = accel.reduce [{domain}]
          ins({", ".join(names)} : {", ".join(kinds)}) outs(%e : {result}) maps [{", ".join(maps)}]
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
            %thousand = arith.constant 1000 : i32
            %high = arith.muli %acc, %thousand : i32
            %both = arith.addi %high, %count : i32
            accel.yield %both : i32
          }} -> {result}
        return %r : {result}
      }}"""


def expected(case: Case, inputs: list[np.ndarray]) -> np.ndarray:
    """Point by point, as the description of the op says."""
    out = np.zeros(case.parallel, np.int64)
    for point in itertools.product(*map(range, case.extents)):
        indices = [
            tuple(sum(c * p for c, p in zip(cs, point, strict=True)) + k for cs, k in axes)
            for axes in case.forms
        ]
        if all(
            0 <= i < n
            for index, x in zip(indices, inputs, strict=True)
            for i, n in zip(index, x.shape, strict=True)
        ):
            product = np.prod([x[i] for x, i in zip(inputs, indices, strict=True)])
            out[point[: len(case.parallel)]] += 1000 * product + 1
    return out


def check(case: Case) -> None:
    rng = np.random.default_rng(0)
    inputs = [rng.integers(-9, 10, shape).astype(np.int32) for shape in case.shapes]
    np.testing.assert_array_equal(run_host(source(case), *inputs)[0], expected(case, inputs))


CASES = {
    "window that may lie outside": Case((9,), (3,), ((4,),), ((((1, 1), -3),),)),
    "window that steps over the operand": Case((6,), (4,), ((2,),), ((((1, 3), -4),),)),
    "window from behind": Case((6,), (4,), ((5,),), ((((1, -1), 1),),)),
    "stride from behind": Case((9,), (4,), ((3,),), ((((1, -2), 0),),)),
    "two operands clamp one loop": Case(
        (5,), (6,), ((4,), (7,)), ((((1, 1), -2),), (((-1, 2), -1),))
    ),
    "two loops with bounds": Case(
        (4, 5), (3, 3), ((4, 5),), ((((1, 0, 1, 0), -1), ((0, 1, 0, 1), -1)),)
    ),
    "bounds that depend on no outer loop": Case(
        (2,), (5,), ((2, 3),), ((((1, 0), 0), ((0, 1), -1)),)
    ),
    "bounds of two outer loops": Case((3, 3), (4,), ((5,),), ((((1, 2, 1), -2),),)),
    "axis without a reduction dimension": Case(
        (6,), (2,), ((4, 2),), ((((1, 0), -1), ((0, 1), 0)),)
    ),
    "axis with two reduction dimensions": Case((4,), (2, 3), ((5,),), ((((1, 1, 2), -1),),)),
    "loop of one that leaves the operand": Case((4,), (1,), ((2,),), ((((1, 5), -1),),)),
    "nothing to leave": Case((2,), (2, 2), ((2, 4),), ((((1, 0, 0), 0), ((0, 2, 1), 0)),)),
}


@pytest.mark.parametrize("name", CASES)
def test_loops_follow_the_description(name: str) -> None:
    check(CASES[name])


@pytest.mark.parametrize("seed", range(40))
def test_random_maps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parallel = tuple(int(e) for e in rng.integers(1, 5, rng.integers(1, 3)))
    reduction = tuple(int(e) for e in rng.integers(1, 5, rng.integers(1, 3)))
    dims = len(parallel) + len(reduction)
    shapes, forms = [], []
    for _ in range(rng.integers(1, 3)):
        shapes.append(tuple(int(n) for n in rng.integers(1, 6, rng.integers(1, 3))))
        forms.append(
            tuple(
                (tuple(int(c) for c in rng.integers(-2, 3, dims)), int(rng.integers(-3, 4)))
                for _ in shapes[-1]
            )
        )
    check(Case(parallel, reduction, tuple(shapes), tuple(forms)))
