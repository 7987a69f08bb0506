"""Tokens carry what their giver knew."""

from forebay.isa.vta.instructions import DependencyBits, VtaCore
from forebay.isa.vta.tokens import TokenQueues, neighbours

LOAD, COMPUTE, STORE = VtaCore


def test_a_token_orders_everything_before_it() -> None:
    tokens = TokenQueues()
    for given in ([], [COMPUTE]):
        tokens.start(LOAD, [])
        tokens.end(LOAD, given)
    assert tokens.missing(STORE, [COMPUTE]) == [COMPUTE]
    assert tokens.start(COMPUTE, [LOAD]) == (2, 0, 0)
    tokens.end(COMPUTE, [STORE])
    assert tokens.start(STORE, [COMPUTE]) == (2, 1, 0)
    assert tokens.left() == {}


def test_tokens_that_nobody_takes_are_left() -> None:
    tokens = TokenQueues()
    tokens.start(STORE, [])
    tokens.end(STORE, [COMPUTE])
    assert tokens.left() == {(STORE, COMPUTE): 1}


def test_a_token_is_outstanding_until_its_giver_knows_that_it_was_taken() -> None:
    tokens = TokenQueues()
    tokens.start(LOAD, [])
    tokens.end(LOAD, [COMPUTE])
    tokens.start(COMPUTE, [LOAD])
    tokens.end(COMPUTE, [LOAD])
    assert tokens.most_outstanding(LOAD, COMPUTE) == 1
    tokens.start(LOAD, [COMPUTE])
    tokens.end(LOAD, [COMPUTE])
    assert tokens.most_outstanding(LOAD, COMPUTE) == 1


def test_the_outer_cores_have_one_neighbour() -> None:
    every = DependencyBits(True, True, True, True)
    assert neighbours(LOAD, every) == ([None, COMPUTE], [None, COMPUTE])
    assert neighbours(COMPUTE, every) == ([LOAD, STORE], [LOAD, STORE])
    assert neighbours(STORE, every) == ([COMPUTE, None], [COMPUTE, None])
