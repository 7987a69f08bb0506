from pathlib import Path

import pytest

from forebay.planning import Buffer, Pool, Problem, find_planner, live, plan
from forebay.planning.model.errors import (
    InvalidAnswerError,
    MisalignedError,
    MissingBufferError,
    OutOfPoolError,
    OverlapError,
    PinMovedError,
    PlannerFailedError,
    UnknownBufferError,
    WrongPoolError,
)

EXAMPLE = Path(__file__).parents[3] / "examples" / "planner" / "mine.py"
PROBLEM = Problem(
    (Pool("ram", capacity=64, alignment=8), Pool("rom")),
    (
        Buffer("a", 16, live(0, 2), ("ram",)),
        Buffer("b", 16, live(1, 3), ("ram",)),
        Buffer("c", 8, live(2, 4), ("ram",), pinned_offset=32),
    ),
)
RIGHT = "{'a': ('ram', 0), 'b': ('ram', 16), 'c': ('ram', 32)}"


def planner(tmp_path: Path, answer: str) -> str:
    file = tmp_path / "mine.py"
    file.write_text(f"def plan(buffers, pools):\n    return {answer}\n")
    return str(file)


def test_a_users_planner_plans_and_lends_its_files_name(tmp_path: Path):
    found = plan(PROBLEM, planner(tmp_path, RIGHT))
    assert found.placements["b"] == ("ram", 16)
    assert found.planner == "mine"


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (
            "{'a': ('ram', 0), 'b': ('ram', 8), 'c': ('ram', 32)}",
            OverlapError,
            "buffers 'b' at [8, 24) and 'a' at [0, 16) of pool 'ram' are live together "
            "and share bytes [8, 16)",
        ),
        ("{'a': ('ram', 0), 'c': ('ram', 32)}", MissingBufferError, "the plan forgets buffer 'b'"),
        (
            "{'a': ('ram', 0), 'b': ('ram', 16), 'c': ('ram', 40)}",
            PinMovedError,
            "buffer 'c' is pinned to offset 32 of pool 'ram', not 40",
        ),
        (
            "{'a': ('ram', 56), 'b': ('ram', 16), 'c': ('ram', 32)}",
            OutOfPoolError,
            "buffer 'a' at [56, 72) of pool 'ram' ends 8 bytes above the capacity 64",
        ),
        (
            "{'a': ('ram', -8), 'b': ('ram', 16), 'c': ('ram', 32)}",
            OutOfPoolError,
            "buffer 'a' at [-8, 8) of pool 'ram' begins before the first usable byte 0",
        ),
        (
            "{'a': ('ram', 1), 'b': ('ram', 24), 'c': ('ram', 32)}",
            MisalignedError,
            "buffer 'a' at [1, 17) of pool 'ram' begins at address 1, not aligned to 8",
        ),
        (
            "{'a': ('rom', 0), 'b': ('ram', 16), 'c': ('ram', 32)}",
            WrongPoolError,
            "buffer 'a' lies in pool 'rom'; its candidates are 'ram'",
        ),
        (
            "{'a': ('moon', 0), 'b': ('ram', 16), 'c': ('ram', 32)}",
            WrongPoolError,
            "buffer 'a' lies in pool 'moon'; its candidates are 'ram'",
        ),
        (
            "{'a': ('ram', 0), 'b': ('ram', 16), 'c': ('ram', 32), 'd': ('ram', 0)}",
            UnknownBufferError,
            "the plan places 'd', which the problem does not have",
        ),
        (
            "None",
            InvalidAnswerError,
            "planner 'mine' answers NoneType, not a mapping from buffer names to (pool, offset)",
        ),
        (
            "{'a': 7, 'b': ('ram', 16), 'c': ('ram', 32)}",
            InvalidAnswerError,
            "buffer 'a' is placed at 7, not (pool, offset)",
        ),
        (
            "{'a': ('ram', 0.5), 'b': ('ram', 16), 'c': ('ram', 32)}",
            InvalidAnswerError,
            "buffer 'a' is placed at ('ram', 0.5), not (pool, offset)",
        ),
        ("{7: ('ram', 0)}", InvalidAnswerError, "the plan names a buffer 7, which is no string"),
        (
            "1 // 0",
            PlannerFailedError,
            "mine.py:2: planner 'mine' crashed: ZeroDivisionError: integer division or modulo by "
            "zero",
        ),
    ],
)
def test_a_hostile_planner_is_refused_with_the_reason(
    tmp_path: Path, answer: str, error: type[Exception], message: str
):
    with pytest.raises(error) as refusal:
        plan(PROBLEM, planner(tmp_path, answer))
    assert str(refusal.value).removeprefix(f"{tmp_path}/") == message


def test_a_planner_cannot_change_the_problem(tmp_path: Path):
    file = tmp_path / "mine.py"
    file.write_text(
        "def plan(buffers, pools):\n"
        "    buffers[0].size = 1\n"
        "    return {b.name: ('ram', 0) for b in buffers}\n"
    )
    with pytest.raises(PlannerFailedError, match="FrozenInstanceError"):
        plan(PROBLEM, str(file))


def test_a_missing_file_and_a_file_without_a_planner_are_refused(tmp_path: Path):
    with pytest.raises(PlannerFailedError, match="there is no planner file"):
        find_planner(str(tmp_path / "absent.py"))
    (tmp_path / "empty.py").write_text("")
    with pytest.raises(PlannerFailedError, match=r"has no function plan\(buffers, pools\)"):
        find_planner(str(tmp_path / "empty.py"))


def test_the_example_plans():
    buffers = (
        Buffer("a", 10, live(0, 3), ("ram",)),
        Buffer("b", 30, live(1, 3), ("ram",)),
        Buffer("c", 20, live(3, 4), ("ram",)),
    )
    found = plan(Problem((Pool("ram"),), buffers), str(EXAMPLE))
    assert {n: p.offset for n, p in found.placements.items()} == {"a": 0, "b": 10, "c": 0}
