"""What ops say of themselves; the expected answers are those of MLIR's documentation of each op."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from mlir import ir

from forebay.ir import interfaces
from forebay.ir.interfaces import (
    DeclaredEffect,
    LoopNumbers,
    Slice,
    TensorAccess,
    TensorAlias,
    ViewEnds,
)
from forebay.ir.nested import ops_nested_in

HEADER = """
func.func private @g(%t: tensor<4x4xi8>) -> tensor<4x4xi8>
func.func @f(%a: memref<4x4xi8>, %b: memref<4x4xi8>, %s: memref<2xindex>, %n: index, %x: i8,
             %t: tensor<4x4xi8>, %u: tensor<4x4xi8>, %w: tensor<8x8xi8>, %c: i1) {
"""


@pytest.fixture
def context() -> Iterator[ir.Context]:
    context = ir.Context()
    with context, ir.Location.unknown():
        yield context


def op_of(text: str) -> ir.OpView:
    """Return the last op before the terminator of a function around the text."""
    module = ir.Module.parse(f"{HEADER}{text}\nreturn }}")
    _KEPT.append(module)
    return module.body.operations[1].regions[0].blocks[0].operations[-2]


_KEPT: list[ir.Module] = []

SUBVIEW = """memref.subview %a[%n, 0] [2, %n] [1, 1]
  : memref<4x4xi8> to memref<2x?xi8, strided<[4, 1], offset: ?>>"""
VIEWS = {
    SUBVIEW: ViewEnds(0, 0),
    "memref.reshape %a(%s) : (memref<4x4xi8>, memref<2xindex>) -> memref<2x8xi8>": ViewEnds(0, 0),
    "memref.assume_alignment %a, 16 : memref<4x4xi8>": ViewEnds(0, 0),
    "memref.cast %a : memref<4x4xi8> to memref<?x4xi8>": ViewEnds(0, 0),
    """memref.expand_shape %a [[0, 1], [2]] output_shape [2, 2, 4]
         : memref<4x4xi8> into memref<2x2x4xi8>""": ViewEnds(0, 0),
    """memref.transpose %a (i, j) -> (j, i)
         : memref<4x4xi8> to memref<4x4xi8, strided<[1, 4]>>""": ViewEnds(0, 0),
    "memref.alloc() : memref<4xi8>": None,
    "arith.select %c, %a, %b : memref<4x4xi8>": None,
    "tensor.cast %t : tensor<4x4xi8> to tensor<?x4xi8>": None,
}


@pytest.mark.parametrize("text", VIEWS)
def test_a_view_names_its_source_and_its_result(context: ir.Context, text: str) -> None:
    op = op_of(f"%r = {text}")
    assert interfaces.view_ends_of(op) == VIEWS[text]
    assert interfaces.is_view(op) == (VIEWS[text] is not None)
    source = interfaces.source_of_view(op.results[0])
    assert source == (None if VIEWS[text] is None else op.operands[0])


READ, WRITE = "read", "write"
EFFECTS = {
    "memref.copy %a, %b : memref<4x4xi8> to memref<4x4xi8>": [(READ, 0, None), (WRITE, 1, None)],
    "%r = memref.load %a[%n, %n] : memref<4x4xi8>": [(READ, 0, None)],
    "memref.store %x, %a[%n, %n] : memref<4x4xi8>": [(WRITE, 1, None)],
    "%r = memref.alloc() : memref<4xi8>": [("allocate", None, 0)],
    "memref.dealloc %a : memref<4x4xi8>": [("free", 0, None)],
    "%r = memref.reshape %a(%s) : (memref<4x4xi8>, memref<2xindex>) -> memref<2x8xi8>": [
        (READ, 1, None)
    ],
    "linalg.matmul ins(%a, %a : memref<4x4xi8>, memref<4x4xi8>) outs(%b : memref<4x4xi8>)": [
        (READ, 0, None), (READ, 1, None), (READ, 2, None), (WRITE, 2, None)
    ],
    "memref_pool.copy %a into %b : memref<4x4xi8>, memref<4x4xi8>": [
        (READ, 0, None), (WRITE, 1, None)
    ],
    f"%r = {SUBVIEW}": [],
    "%r = func.call @g(%t) : (tensor<4x4xi8>) -> tensor<4x4xi8>": None,
}  # fmt: skip


@pytest.mark.parametrize("text", EFFECTS)
def test_declared_memory_effects(context: ir.Context, text: str) -> None:
    expected = EFFECTS[text]
    found = interfaces.declared_effects_of(op_of(text))
    if expected is None:
        assert found is None
    else:
        assert found is not None
        effects = [(effect.kind, effect.operand, effect.result) for effect in found]
        assert sorted(effects, key=str) == sorted(expected, key=str)


def test_an_effect_without_a_value_is_on_other_memory(context: ir.Context) -> None:
    assert interfaces.declared_effects_of(op_of("accel.wait")) == (
        DeclaredEffect("read", None, None),
        DeclaredEffect("write", None, None),
    )


def test_a_slice_has_constants_and_values(context: ir.Context) -> None:
    op = op_of(f"%r = {SUBVIEW}")
    index = op.operands[1]
    assert interfaces.slice_of(op) == Slice((index, 0), (2, index), (1, 1))
    assert interfaces.slice_of(op_of("%r = memref.alloc() : memref<4xi8>")) is None


CONTROL_FLOW = {
    """%one = arith.constant 1 : index
       %r = scf.for %i = %one to %n step %one iter_args(%e = %t) -> tensor<4x4xi8> {
         scf.yield %e : tensor<4x4xi8>
       }""": ["scf.for 3 argument 1", "scf.for 3 result 0",
               "scf.yield 0 argument 1", "scf.yield 0 result 0"],
    """%r = scf.while (%e = %t) : (tensor<4x4xi8>) -> tensor<4x4xi8> {
         scf.condition(%c) %e : tensor<4x4xi8>
       } do {
       ^bb0(%e: tensor<4x4xi8>):
         scf.yield %e : tensor<4x4xi8>
       }""": ["scf.condition 1 argument 0", "scf.condition 1 result 0", "scf.while 0 argument 0",
               "scf.yield 0 argument 0"],
    """%r = scf.if %c -> tensor<4x4xi8> {
         scf.yield %t : tensor<4x4xi8>
       } else {
         scf.yield %u : tensor<4x4xi8>
       }""": ["scf.yield 0 result 0", "scf.yield 0 result 0"],
}  # fmt: skip


@pytest.mark.parametrize("text", CONTROL_FLOW)
def test_operands_become_arguments_and_results(context: ir.Context, text: str) -> None:
    edges = interfaces.forwarded_values_of(op_of(text))
    assert edges is not None
    assert sorted(_described(edge) for edge in edges) == CONTROL_FLOW[text]
    assert all(edge.value.type == edge.becomes.type for edge in edges)


def _described(edge: interfaces.ForwardedValue) -> str:
    value = edge.becomes
    if isinstance(value.owner, ir.Block):
        becomes = f"argument {ir.BlockArgument(value).arg_number}"
    else:
        becomes = f"result {ir.OpResult(value).result_number}"
    return f"{edge.op.operation.name} {edge.operand} {becomes}"


def test_an_op_without_control_flow_has_no_edges(context: ir.Context) -> None:
    assert interfaces.forwarded_values_of(op_of(f"%r = {SUBVIEW}")) is None


def test_destinations(context: ir.Context) -> None:
    add = "linalg.add ins(%a, %a : memref<4x4xi8>, memref<4x4xi8>) outs(%b : memref<4x4xi8>)"
    assert interfaces.destinations_of(op_of(add)) == (2,)
    assert interfaces.destinations_of(op_of(f"%r = {SUBVIEW}")) is None


TENSORS = {
    "tensor.cast %t : tensor<4x4xi8> to tensor<?x4xi8>": (
        [TensorAccess(0, None, False, False)], [TensorAlias(0, 0, True)]
    ),
    "linalg.add ins(%t, %t : tensor<4x4xi8>, tensor<4x4xi8>) outs(%u : tensor<4x4xi8>)"
    " -> tensor<4x4xi8>": (
        [TensorAccess(0, None, True, False), TensorAccess(1, None, True, False),
         TensorAccess(2, None, False, True)],
        [TensorAlias(2, 0, True)],
    ),
    "arith.select %c, %t, %u : tensor<4x4xi8>": (
        [TensorAccess(1, None, False, False), TensorAccess(2, None, False, False)],
        [TensorAlias(1, 0, False), TensorAlias(2, 0, False)],
    ),
    "tensor.splat %x : tensor<2xi8>": ([TensorAccess(None, 0, False, True)], []),
    "tensor.empty() : tensor<2xi8>": ([TensorAccess(None, 0, False, False)], []),
}  # fmt: skip


@pytest.mark.parametrize("text", TENSORS)
def test_what_bufferization_will_do_to_tensors(context: ir.Context, text: str) -> None:
    op = op_of(f"%r = {text}")
    accesses, aliases = TENSORS[text]
    assert interfaces.tensor_accesses_of(op) == tuple(accesses)
    assert interfaces.tensor_aliases_of(op) == tuple(aliases)


@pytest.mark.parametrize(
    "text",
    [
        "%r = func.call @g(%t) : (tensor<4x4xi8>) -> tensor<4x4xi8>",
        "%r = tosa.abs %t : (tensor<4x4xi8>) -> tensor<4x4xi8>",
    ],
)
def test_calls_and_ops_that_do_not_bufferize_say_nothing_of_tensors(
    context: ir.Context, text: str
) -> None:
    op = op_of(text)
    assert interfaces.tensor_accesses_of(op) is None
    assert interfaces.tensor_aliases_of(op) is None


def test_terminators_say_nothing_of_tensors(context: ir.Context) -> None:
    loop = op_of(next(iter(CONTROL_FLOW)))
    for op in ops_nested_in(loop):
        assert interfaces.tensor_accesses_of(op) is None


@pytest.mark.usefixtures("context")
def test_a_loop_names_its_counters() -> None:
    loop = op_of("scf.for %i = %n to %n step %n { }")
    body = loop.regions[0].blocks[0]
    operand = loop.operands[0]
    assert interfaces.loop_numbers_of(loop) == LoopNumbers(
        (body.arguments[0],), (operand,), (operand,), (operand,)
    )
    constant = interfaces.loop_numbers_of(op_of("affine.for %i = 1 to 9 step 2 { }"))
    assert constant is not None
    assert (constant.lower, constant.upper, constant.steps) == ((1,), (9,), (2,))


@pytest.mark.usefixtures("context")
@pytest.mark.parametrize(
    ("text", "loop", "control_flow"),
    [
        ("scf.while : () -> () { scf.condition(%c) } do { scf.yield }", True, True),
        ("scf.for %i = %n to %n step %n { }", True, True),
        ("scf.if %c { }", False, True),
        ("scf.execute_region { scf.yield }", False, True),
        ("memref.copy %a, %b : memref<4x4xi8> to memref<4x4xi8>", False, False),
        ("linalg.fill ins(%x : i8) outs(%a : memref<4x4xi8>)", False, False),
    ],
)
def test_loops_and_control_flow(text: str, loop: bool, control_flow: bool) -> None:
    op = op_of(text)
    assert (interfaces.is_loop(op), interfaces.is_control_flow(op)) == (loop, control_flow)
