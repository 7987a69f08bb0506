"""Linear forms, judged by evaluation at points."""

from itertools import product

import pytest
from mlir import ir

from forebay.ir.memory.linear import Counter, Linear, linear_in, linear_of_map, linear_of_value

POINTS = list(product((-2, 0, 3), repeat=2))


def value(form: Linear[int], point: tuple[int, ...]) -> int:
    return sum(form.factor(d) * p for d, p in enumerate(point)) + form.constant


@pytest.mark.parametrize("point", POINTS)
def test_sums_and_products(point: tuple[int, int]) -> None:
    one, other, number = Linear({0: 2, 1: -1}, 5), Linear({1: 3}, -4), Linear[int]({}, 7)
    assert value(one.plus(other), point) == value(one, point) + value(other, point)
    assert value(one.minus(other), point) == value(one, point) - value(other, point)
    assert value(one.times(-3), point) == -3 * value(one, point)
    for product_ in (one.times_form(number), number.times_form(one)):
        assert product_ is not None
        assert value(product_, point) == 7 * value(one, point)


def test_a_product_of_two_dimensions_is_not_linear() -> None:
    assert Linear.of(0).times_form(Linear.of(1)) is None
    assert Linear({}, 3).times_form(Linear({}, 4)) == Linear({}, 12)


def test_results_of_maps() -> None:
    text = "affine_map<(i, j) -> (i * 4 + j - 1, 7, i floordiv 2, (i + j) * 3)>"
    with ir.Context():
        found = linear_of_map(ir.AffineMapAttr(ir.Attribute.parse(text)).value)
    assert found == [Linear({0: 4, 1: 1}, -1), Linear({}, 7), None, Linear({0: 3, 1: 3})]


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
    assert found == [Linear({0: 48}, 48), Linear({0: 48}, 51), None, None, None]


def test_equal_forms_have_equal_hashes() -> None:
    one, two = Linear.of(0).plus(Linear.of(1)), Linear.of(1).plus(Linear.of(0))
    assert one == two
    assert hash(one) == hash(two)


def test_parts_and_values() -> None:
    form = Linear({0: 2, 1: 1}, -1)
    assert form.kept(lambda key: key == 0) == Linear({0: 2}, -1)
    assert form.at({0: 5}) == Linear({1: 1}, 9)
    bounds = {0: (0, 3), 1: (-2, 4)}
    assert form.extremes(bounds.__getitem__) == (-3, 9)  # 2 * 0 - 2 - 1, 2 * 3 + 4 - 1
    assert form.times(-1).extremes(bounds.__getitem__) == (-9, 3)


def test_forms_of_values() -> None:
    with ir.Context():
        module = ir.Module.parse("""
          func.func @f(%i: index, %j: index) {
            %c2 = arith.constant 2 : index
            %a = arith.muli %i, %c2 : index
            %b = arith.subi %a, %j : index
            %c = arith.addi %b, %c2 : index
            %d = arith.muli %i, %j : index
            return
          }""")
        block = module.body.operations[0].regions[0].blocks[0]
        i, j = block.arguments
        c, d = (block.operations[number].results[0] for number in (3, 4))
        assert linear_of_value(c) == Linear({i: 2, j: -1}, 2)
        assert linear_of_value(d) == Linear({d: 1})
        # i = 10, 13, ... and j = 0, 1, ...: 2 * (10 + 3 * n) - m + 2
        counters = [Counter(i, 10, 3), Counter(j, 0, 1)]
        assert linear_in(c, counters) == Linear({0: 6, 1: -1}, 22)
        assert linear_in(c, counters[:1]) is None
        assert linear_in(d, counters) is None
