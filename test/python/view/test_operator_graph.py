from common.documents.memory_maps import buffer, step

from forebay.view.operator_graph import operator_edges, steps_of_operators


def test_a_reader_follows_the_writer() -> None:
    buffers = [buffer("a", (0, 2)), buffer("b", (1, 2))]
    assert operator_edges(buffers, [step(0, (), (0,)), step(1, (0,), (1,))]) == ((0, 1),)


def test_all_writers_of_parts_lead_to_the_reader() -> None:
    steps = [step(0, (), (0,)), step(1, (), (0,)), step(2, (0,), ())]
    assert operator_edges([buffer("a", (0, 3))], steps) == ((0, 2), (1, 2))


def test_an_operator_in_place_is_the_writer_from_then_on() -> None:
    steps = [step(0, (), (0,)), step(1, (0,), (0,)), step(2, (0,), ())]
    assert operator_edges([buffer("a", (0, 3))], steps) == ((0, 1), (1, 2))


def test_a_buffer_that_lives_again_is_another_tensor() -> None:
    steps = [step(0, (), (0,)), step(1, (0,), ()), step(2, (), (0,)), step(3, (0,), ())]
    both = buffer("a", (0, 4), gaps=((2, 2),))
    assert operator_edges([both], steps) == ((0, 1), (2, 3))


def test_steps_of_one_operator_are_no_edge() -> None:
    steps = [step(0, (), (0,)), step(0, (0,), (0,)), step(None, (0,), ())]
    assert operator_edges([buffer("a", (0, 3))], steps) == ()


def test_the_range_of_an_operator_is_from_its_first_to_its_last_step() -> None:
    steps = [step(0, (), ()), step(1, (), ()), step(0, (), ()), step(None, (), ())]
    assert steps_of_operators(steps) == {0: (0, 3), 1: (1, 2)}
