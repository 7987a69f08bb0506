"""Planners of installed packages, by the entry point group `forebay.planners`."""

from __future__ import annotations

from pathlib import Path

import pytest

from forebay.planning import Buffer, Pool, Problem, UnknownPlannerError, live, plan, planner_names
from forebay.planning.model.errors import (
    InvalidAnswerError,
    MisalignedError,
    MissingBufferError,
    OutOfPoolError,
    OverlapError,
    PinMovedError,
    PlannerFailedError,
    WrongPoolError,
)

PROBLEM = Problem(
    (Pool("ram", capacity=64, alignment=8), Pool("rom")),
    (
        Buffer("a", 16, live(0, 2), ("ram",)),
        Buffer("b", 16, live(1, 3), ("ram",)),
        Buffer("c", 8, live(2, 4), ("ram",), pinned_offset=32),
    ),
)
SOURCE = """
from forebay.planning import Placement, Plan, Planner
from forebay.planning.model.plan import ProvedBound
from forebay.planning.contract.planner import Proof

def right(buffers, pools):
    return {"a": ("ram", 0), "b": ("ram", 16), "c": ("ram", 32)}

def overlaps(buffers, pools):
    return {**right(buffers, pools), "b": ("ram", 8)}

def forgets(buffers, pools):
    return {"a": ("ram", 0), "c": ("ram", 32)}

def moves_a_pin(buffers, pools):
    return {**right(buffers, pools), "c": ("ram", 48)}

def exceeds(buffers, pools):
    return {**right(buffers, pools), "a": ("ram", 56)}

def misaligns(buffers, pools):
    return {**right(buffers, pools), "b": ("ram", 17)}

def strays(buffers, pools):
    return {**right(buffers, pools), "a": ("rom", 0)}

def garbage(buffers, pools):
    return 42

def crashes(buffers, pools):
    raise KeyError("no")

class Whole(Planner):
    name = "whole"

    def _place(self, problem):
        return {name: Placement(*place) for name, place in right((), ()).items()}

class Liar(Planner):
    name = "liar"

    def _place(self, problem):
        return {name: Placement("ram", 32 * (name == "c")) for name in "abc"}

class Evader(Liar):
    def plan(self, problem):
        return Plan(problem, self._place(problem), "evader")

class Boaster(Planner):
    name = "boaster"

    def _place(self, problem):
        found = {name: Placement(*place) for name, place in right((), ()).items()}
        return Proof(found, (ProvedBound("ram", 41, "my word"),))

class Turncoat(dict):
    asked = 0

    def items(self):
        Turncoat.asked += 1
        return super().items() if Turncoat.asked == 1 else [(name, ("ram", 0)) for name in self]

class Changing(Planner):
    name = "changing"

    def _place(self, problem):
        return Turncoat((name, Placement(*place)) for name, place in right((), ()).items())

class Broken(Liar):
    def __init__(self, effort):
        raise OSError("no licence")

class Silent(Planner):
    name = "silent"

    def _place(self, problem):
        return None
"""
FUNCTIONS = (
    *("right", "overlaps", "forgets", "moves_a_pin", "exceeds", "misaligns", "strays"),
    *("garbage", "crashes", "missing"),
)
CLASSES = ("Whole", "Liar", "Evader", "Boaster", "Changing", "Broken", "Silent")
NAMES = (*FUNCTIONS, *CLASSES)


@pytest.fixture(autouse=True)
def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A package as pip would leave it."""
    (tmp_path / "some_planners.py").write_text(SOURCE)
    info = tmp_path / "some_planners-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-planners\nVersion: 1.0\n")
    lines = [f"{name.replace('_', '-').lower()} = some_planners:{name}" for name in NAMES]
    (info / "entry_points.txt").write_text("\n".join(["[forebay.planners]", *lines, ""]))
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.parametrize("name", ["right", "whole"])
def test_a_package_offers_planners(name: str):
    assert name in planner_names()
    found = plan(PROBLEM, name)
    assert (found.planner, found.placements["b"]) == (name, ("ram", 16))


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("overlaps", OverlapError, "buffers 'b' at [8, 24) and 'a' at [0, 16) of pool 'ram' are"),
        ("liar", OverlapError, "of pool 'ram' are live together and share bytes"),
        ("evader", OverlapError, "of pool 'ram' are live together and share bytes"),
        (
            "boaster",
            InvalidAnswerError,
            "planner 'boaster' claims that no plan of pool 'ram' ends below 41, but its own ends "
            "at 40",
        ),
        (
            "broken",
            PlannerFailedError,
            "planner 'broken' of 'some_planners:Broken' does not load: OSError: no licence",
        ),
        ("missing", PlannerFailedError, "'some_planners:missing' does not load: AttributeError:"),
        ("forgets", MissingBufferError, "the plan forgets buffer 'b'"),
        ("moves-a-pin", PinMovedError, "buffer 'c' is pinned to offset 32 of pool 'ram', not 48"),
        ("exceeds", OutOfPoolError, "ends 8 bytes above the capacity 64"),
        ("misaligns", MisalignedError, "begins at address 17, not aligned to 8"),
        ("strays", WrongPoolError, "buffer 'a' lies in pool 'rom'; its candidates are 'ram'"),
        ("garbage", InvalidAnswerError, "planner 'garbage' answers int, not a mapping"),
        ("silent", InvalidAnswerError, "planner 'silent' answers NoneType, not a mapping"),
        ("crashes", PlannerFailedError, "planner 'crashes' crashed: KeyError: 'no'"),
    ],
)
def test_a_hostile_package_is_refused_with_the_reason(
    name: str, error: type[Exception], message: str
):
    with pytest.raises(error) as refusal:
        plan(PROBLEM, name)
    assert message in str(refusal.value)


def test_an_answer_cannot_change_after_it_was_verified():
    found = plan(PROBLEM, "changing")
    assert dict(found.placements.items()) == {"a": ("ram", 0), "b": ("ram", 16), "c": ("ram", 32)}


def test_unknown_names_list_those_of_packages_too():
    with pytest.raises(UnknownPlannerError, match=r"known planners: auto, .* whole"):
        plan(PROBLEM, "wholly")
