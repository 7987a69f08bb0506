"""Which tensors will share one buffer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir

import forebay.passes  # noqa: F401  (dialects)
from forebay.ir.memory.storage import AliasSets, UnknownAliasError, alias_constraints_of
from forebay.ir.nested import ops_nested_in

T = "tensor<4xi32>"


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        yield


def sets_of(module: ir.Module) -> tuple[AliasSets, ir.Block]:
    *_, function = module.body.operations
    ties = [tie for op in ops_nested_in(module.operation) for tie in alias_constraints_of(op)]
    return AliasSets(ties), function.regions[0].blocks[0]


def test_a_destination_and_its_result_share_a_buffer_but_an_input_does_not() -> None:
    module = ir.Module.parse(
        f"func.func @f(%a: {T}, %d: {T}) -> {T} {{"
        f"  %r = linalg.exp ins(%a : {T}) outs(%d : {T}) -> {T}  return %r : {T} }}".replace(
            "i32", "f32"
        )
    )
    sets, block = sets_of(module)
    a, d = block.arguments
    r = block.operations[0].results[0]
    assert sets.of(r) == sets.of(d)
    assert sets.of(a) != sets.of(d)


def test_what_a_loop_carries_is_one_set() -> None:
    module = ir.Module.parse(
        f"func.func @f(%a: {T}, %n: index) -> {T} {{"
        f"  %r = scf.for %i = %n to %n step %n iter_args(%x = %a) -> ({T}) {{"
        f"    scf.yield %x : {T} }}  return %r : {T} }}"
    )
    sets, block = sets_of(module)
    loop = block.operations[0]
    carried = loop.regions[0].blocks[0].arguments[1]
    assert sets.of(block.arguments[0]) == sets.of(carried) == sets.of(loop.results[0])


def test_a_slice_shows_its_source() -> None:
    module = ir.Module.parse(
        f"func.func @f(%a: {T}) -> tensor<2xi32> {{"
        f"  %s = tensor.extract_slice %a[0] [2] [1] : {T} to tensor<2xi32>"
        "  return %s : tensor<2xi32> }"
    )
    sets, block = sets_of(module)
    assert sets.of(block.operations[0].results[0]) == sets.of(block.arguments[0])


def test_arguments_and_results_of_a_function_share_with_its_callers() -> None:
    module = ir.Module.parse(
        f"func.func private @g(%x: {T}) -> {T} {{ return %x : {T} }}"
        f"func.func @f(%a: {T}) -> {T} {{"
        f"  %r = func.call @g(%a) : ({T}) -> {T}  return %r : {T} }}"
    )
    sets, block = sets_of(module)
    assert sets.of(block.operations[0].results[0]) == sets.of(block.arguments[0])


def test_an_op_that_does_not_say_what_it_shares_is_refused() -> None:
    with pytest.raises(UnknownAliasError, match=r"'my\.op' is not known to the assignment"):
        sets_of(
            ir.Module.parse(f'func.func @f(%a: {T}) {{ %r = "my.op"(%a) : ({T}) -> {T}  return }}')
        )
