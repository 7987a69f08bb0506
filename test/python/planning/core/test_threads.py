"""The search's answer does not depend on how many threads it has."""

import random

import pytest

from forebay.planning import Buffer, Pool, Problem, live
from forebay.planning.core.library import available
from forebay.planning.core.threads import VARIABLE, threads
from forebay.planning.search.items import items_of
from forebay.planning.search.pack import pack
from forebay.planning.search.stack import Stack, whole_stack
from forebay.planning.search.stacks import best_order, end_of

HEIGHT, TICKS = 1000, 64
needs_core = pytest.mark.skipif(not available(), reason="the compiled core is not built")


def cut(count: int, seed: int) -> Stack:
    """A rectangle of 1000 bytes by 64 ticks cut into buffers that fill it without a hole."""
    rng = random.Random(seed)
    pieces = [(0, TICKS, HEIGHT)]
    while len(pieces) < count:
        start, end, size = pieces.pop(max(range(len(pieces)), key=lambda i: area(pieces[i])))
        if rng.random() < 0.5 and end - start > 1:
            middle = rng.randrange(start + 1, end)
            pieces += [(start, middle, size), (middle, end, size)]
        else:
            part = rng.randrange(size // 5, size - size // 5)
            pieces += [(start, end, part), (start, end, size - part)]
    buffers = [Buffer(f"b{i}", s, live(a, b), ("ram",)) for i, (a, b, s) in enumerate(pieces)]
    rng.shuffle(buffers)
    return whole_stack(items_of(Problem((Pool("ram"),), tuple(buffers))))


def area(piece: tuple[int, int, int]) -> int:
    start, end, size = piece
    return (end - start) * size


@needs_core
@pytest.mark.parametrize("seed", range(4))
def test_any_number_of_threads_finds_the_same_offsets(seed: int, monkeypatch: pytest.MonkeyPatch):
    stack = cut(90, seed)
    upper = end_of(stack, best_order(stack, HEIGHT))
    assert upper > HEIGHT
    answers: set[tuple[int, int, tuple[int, ...]]] = set()
    for count in ("1", "2", "7"):
        monkeypatch.setenv(VARIABLE, count)
        found = pack(stack, HEIGHT, upper, 60_000_000)
        assert found.offsets is not None
        answers.add((found.work, found.proved, tuple(found.offsets.tolist())))
    assert len(answers) == 1


@needs_core
def test_a_stack_without_a_hole_is_packed_to_its_bound():
    stack = cut(60, 3)
    found = pack(stack, HEIGHT, 2 * HEIGHT, 200_000_000)
    assert found.offsets is not None
    assert end_of(stack, found.offsets) == HEIGHT


def test_the_variable_says_how_many_threads(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(VARIABLE, "3")
    assert threads() == 3
    monkeypatch.delenv(VARIABLE)
    assert threads() >= 1


@pytest.mark.parametrize("text", ["0", "-1", "many", ""])
def test_another_text_than_a_number_of_threads_is_refused(
    text: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(ValueError, match=r"FOREBAY_THREADS is .* 1 or more"):
        threads()
