"""Claims about the budgets of a model."""

from __future__ import annotations

from forebay import Options
from forebay.driver.budget import budget_report


def test_the_plans_of_a_model_lie_between_its_tensors_and_its_rows(request):
    digits = request.config.rootpath / "examples/digits/digits_int8.tflite"
    report = budget_report(digits, Options(io="pool"), 2)
    assert report.model == "digits_int8"
    (pool,) = report.pools
    assert pool.pool == "workspace"
    assert pool.by_rows < pool.layer_wise
    first, last = pool.plans[0], pool.plans[-1]
    assert (first.live, first.loops, first.added_calls) == (pool.layer_wise, 0, 0)
    assert (last.live, last.peak >= last.live) == (pool.by_rows, True)
    assert last.loops > 0 < last.added_instructions
