import numpy as np
import pytest

from forebay.planning import Placement
from forebay.planning.contract.answer import settled
from forebay.planning.model.errors import InvalidAnswerError


def test_pairs_and_numpy_s_integers_become_placements():
    found = settled("mine", {"a": ["ram", np.int64(8)], "b": Placement("rom", 0)})
    assert found == {"a": Placement("ram", 8), "b": Placement("rom", 0)}
    assert type(found["a"].offset) is int


def test_the_answer_is_a_copy():
    answer = {"a": ("ram", 0)}
    found = settled("mine", answer)
    answer["b"] = ("ram", 4)
    assert set(found) == {"a"}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "planner 'mine' answers NoneType"),
        ([("a", ("ram", 0))], "planner 'mine' answers list"),
        ({3: ("ram", 0)}, "names a buffer 3"),
        ({"a": 8}, "'a' is placed at 8"),
        ({"a": ("ram", 1.5)}, "'a' is placed at ('ram', 1.5)"),
        ({"a": ("ram", 0, 0)}, "'a' is placed at ('ram', 0, 0)"),
    ],
)
def test_anything_else_is_refused(answer: object, message: str):
    with pytest.raises(InvalidAnswerError) as caught:
        settled("mine", answer)
    assert message in str(caught.value)
