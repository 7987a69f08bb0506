import pytest

from forebay.ir.problem.unique_names import unique_names


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ([], []),
        (["a", "b"], ["a", "b"]),
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        (["a", "a", "a_2"], ["a", "a_3", "a_2"]),  # a_2 is the name of another entry
        (["a_2", "a", "a", "a_2"], ["a_2", "a", "a_3", "a_2_2"]),
    ],
)
def test_the_first_keeps_its_name(wanted: list[str], names: list[str]) -> None:
    assert unique_names(wanted) == names


def test_a_thousand_equal_names_are_numbered() -> None:
    names = unique_names(["x"] * 1000)
    assert len(set(names)) == 1000
    assert names[-1] == "x_1000"
