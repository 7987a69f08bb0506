"""A case that ends its process is reported as a failure, and the other cases continue."""

from fuzz.cases import run
from fuzz.misbehaving import check


def test_crashes_hangs_and_errors_are_failures_of_their_cases():
    result = run(check, count=8, seed=0, jobs=2, seconds=5)
    assert (result.cases, result.counts) == (8, {"cases that are right": 4})
    assert result.failures.keys() == {2, 3, 4, 5}
    assert result.failures[2] == "exit code -6"
    assert result.failures[3] == "no end after 5 s"
    assert result.failures[4].endswith("ValueError: no number\n")
    assert result.failures[5] == "7 is not 8"
    assert str(result).splitlines()[-1].split() == ["8", "cases,", "4", "failures"]
