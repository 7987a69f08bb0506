"""A program without a race has one result: every order of the cores that tokens allow gives it.

The machine of tokens here is written from the programming model; it shares nothing with the
package, and picks the next core at random.
"""

import random
from dataclasses import fields, replace

import pytest

from forebay.isa.faults import InstructionFault
from forebay.isa.vta.codec import encode_vta
from forebay.isa.vta.instructions import DependencyBits

from .plain_vta import PlainVta, decoded
from .small_programs import BASE, TWO_TILES, memory, result


def core(name: str, found: dict[str, int]) -> int:
    if name == "VtaLoad":
        return 0 if found["memory"] in {1, 2} else 1
    return 2 if name == "VtaStore" else 1


def ordered(program, seed: int) -> list[tuple[int, int]]:
    """Return the words in one order that the tokens allow."""
    draw = random.Random(seed)
    bias = [draw.random() for _ in range(3)]
    queues, order = [[], [], []], []
    for words in map(encode_vta, program):
        name, found, bits = decoded(*words)
        queues[core(name, found)].append((words, bits))
    tokens = dict.fromkeys([(0, 1), (1, 0), (1, 2), (2, 1)], 0)
    while any(queues):
        ready = []
        for at, queue in enumerate(queues):
            bits = queue[0][1] if queue else {}
            wanted = [(at - 1, at)] * bits.get("pop_prev", 0) + [(at + 1, at)] * bits.get(
                "pop_next", 0
            )
            if queue and all(tokens[pair] for pair in wanted):
                ready.append((at, wanted))
        at, wanted = max(ready, key=lambda one: bias[one[0]] * draw.random())
        words, bits = queues[at].pop(0)
        given = [(at, at - 1)] * bits["push_prev"] + [(at, at + 1)] * bits["push_next"]
        for pair, change in [(pair, -1) for pair in wanted] + [(pair, 1) for pair in given]:
            tokens[pair] += change
        order.append(words)
    return order


def without_pairs():
    """Return programs without one bit to give a token and one to take it."""
    yield pytest.param(TWO_TILES, id="whole")
    bits = [
        (at, bit.name)
        for at, instruction in enumerate(TWO_TILES)
        for bit in fields(DependencyBits)
        if getattr(instruction.tokens, bit.name)
    ]
    for giver, give in bits:
        for taker, take in bits:
            if not give.startswith("push") or not take.startswith("pop"):
                continue
            program = list(TWO_TILES)
            for at, bit in ((giver, give), (taker, take)):
                old = program[at]
                program[at] = replace(old, tokens=replace(old.tokens, **{bit: False}))
            yield pytest.param(tuple(program), id=f"{giver}-{give}-{taker}-{take}")


@pytest.mark.parametrize("program", list(without_pairs()))
def test_a_program_without_a_fault_has_one_result_in_every_order(program) -> None:
    try:
        expected = result(program)
    except InstructionFault:
        assert program != TWO_TILES
        return
    for seed in range(20):
        found = PlainVta(BASE, memory().data.tobytes()).run(ordered(program, seed))
        assert [(byte + 128) % 256 - 128 for byte in found[0x340:0x360]] == expected


def test_the_random_orders_see_a_race() -> None:
    free = [replace(one, tokens=DependencyBits()) for one in TWO_TILES]
    found = set()
    for seed in range(40):
        try:
            found.add(PlainVta(BASE, memory().data.tobytes()).run(ordered(free, seed)))
        except KeyError:
            found.add(b"an element that nothing wrote")
    assert len(found) > 1
