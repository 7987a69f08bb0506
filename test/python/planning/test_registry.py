import pytest

from forebay.planning import UnknownPlannerError, find_planner, planner_names


def test_planners_are_found_by_folder():
    assert {"auto", "best-of", "first-fit", "greedy-by-size"} <= set(planner_names())


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UnknownPlannerError) as refusal:
        find_planner("tetris")
    names = ", ".join(planner_names())
    assert str(refusal.value) == f"there is no planner 'tetris'; known planners: {names}"
