"""Loops over rows with fixed numbers beside a loop that is run in Python."""

import pytest
from common.sweep import sweep

from fuzz.cascades import SECONDS, check
from fuzz.cases import run


@pytest.mark.parametrize("count", sweep([8, 80]))
def test_random_cascades_are_judged_right(count: int) -> None:
    result = run(check, count, seed=1, jobs=2, seconds=SECONDS)
    assert result.failures == {}
    assert result.counts["cascades"] > count * 3 // 4
    assert result.counts["places refused"] > 0 < result.counts["places accepted"]
