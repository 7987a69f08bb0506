"""Linear forms, judged by evaluation at points."""

from itertools import product

import pytest
from mlir import ir

from forebay.ir.memory.linear import Counter, Linear, linear_in, linear_of_map

POINTS = list(product((-2, 0, 3), repeat=2))


def value(form: Linear, point: tuple[int, ...]) -> int:
    return sum(f * p for f, p in zip(form.factors, point, strict=True)) + form.constant


@pytest.mark.parametrize("point", POINTS)
def test_sums_and_products(point: tuple[int, int]) -> None:
    one, other, number = Linear((2, -1), 5), Linear((0, 3), -4), Linear((0, 0), 7)
    assert value(one.plus(other), point) == value(one, point) + value(other, point)
    for product_ in (one.times(number), number.times(one)):
        assert product_ is not None
        assert value(product_, point) == 7 * value(one, point)


def test_a_product_of_two_dimensions_is_not_linear() -> None:
    assert Linear((1, 0)).times(Linear((0, 1))) is None
    assert Linear((0, 0), 3).times(Linear((0, 0), 4)) == Linear((0, 0), 12)


def test_results_of_maps() -> None:
    text = "affine_map<(i, j) -> (i * 4 + j - 1, 7, i floordiv 2, (i + j) * 3)>"
    with ir.Context():
        found = linear_of_map(ir.AffineMapAttr(ir.Attribute.parse(text)).value)
    assert found == [Linear((4, 1), -1), Linear((0, 0), 7), None, Linear((3, 3))]


INDICES = """
func.func @f(%n: index) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c3 to %c16 step %c3 {
    %scaled = arith.muli %c16, %i : index
    %sum = arith.addi %scaled, %c3 : index
    %square = arith.muli %i, %i : index
    %open = arith.addi %i, %n : index
    %half = arith.divui %i, %c3 : index
  }
  return
}
"""


def test_indices_are_forms_of_iteration_numbers() -> None:
    with ir.Context():
        module = ir.Module.parse(INDICES)
        (function,) = module.body.operations
        loop = next(op for op in function.body.blocks[0] if op.operation.name == "scf.for")
        counter = Counter(loop.induction_variable, start=3, step=3)
        found = [linear_in(op.results[0], [counter]) for op in loop.body.operations if op.results]
    # the counter is 3 * iteration + 3
    assert found == [Linear((48,), 48), Linear((48,), 51), None, None, None]
