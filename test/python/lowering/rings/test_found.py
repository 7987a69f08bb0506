"""Windows whose variables can be rings; all others have a use for the order of their rows."""

from __future__ import annotations

import math

import pytest
from common.models.ring_programs import COPY_OF_NEW, REDUCE, RESET, ring_program
from mlir import ir

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.ir.liveness.memory_effects import MemoryEffects
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of
from forebay.ir.state.windows import EqualWindow, WindowSearch
from forebay.lowering.padding.constants import Constants
from forebay.lowering.rings.found import RingSearch, RingWindow, common_period

LOAD = "  %w = memref_pool.alloc"
OTHERS: dict[str, tuple[int, int, dict[str, str]]] = {
    "a new row at another place in each run": (5, 2, {}),
    "no reset": (4, 1, {RESET: ""}),
    "a reset of some rows only": (
        4,
        1,
        {
            "outs(%s : !state)": "outs(%part : memref<2xKEPTxi8, strided<[ROWS, 1]>, "
            "#memref_pool.space<@kept>>)",
            "  %zero = arith.constant 0 : i8": "  %zero = arith.constant 0 : i8\n  %part = "
            "memref.subview %s[0, 0] [2, KEPT] [1, 1] : !state to memref<2xKEPTxi8, "
            "strided<[ROWS, 1]>, #memref_pool.space<@kept>>",
        },
    ),
    "another function that reads the state": (
        4,
        1,
        {
            RESET: RESET + "func.func @peek(%y: memref<2xROWSxi8>) {\n  %s = memref.get_global "
            "@s : !state\n  memref.copy %s, %y : !state to memref<2xROWSxi8>\n  return\n}"
        },
    ),
    "an op that reads the old state": (
        4,
        1,
        {
            "%y: memref<2xi32> {bufferize.result})": "%y: memref<2xi32> {bufferize.result}, "
            "%z: memref<2xROWSxi8> {bufferize.result})",
            LOAD: f"  memref.copy %s, %z : !state to memref<2xROWSxi8>\n{LOAD}",
        },
    ),
    "an op that copies the window": (
        4,
        1,
        {
            "%y: memref<2xi32> {bufferize.result})": "%y: memref<2xi32> {bufferize.result}, "
            "%z: memref<2xROWSxi8> {bufferize.result})",
            REDUCE: f"{REDUCE}  memref.copy %w, %z : !window to memref<2xROWSxi8>\n",
        },
    ),
    "new rows that are copied behind the reader": (
        4,
        1,
        {
            COPY_OF_NEW + REDUCE: REDUCE + COPY_OF_NEW,
        },
    ),
    "new rows that are copied twice": (4, 1, {COPY_OF_NEW: COPY_OF_NEW * 2}),
    "weights that are an input": (
        4,
        1,
        {
            "func.func @main(": "func.func @main(%weights: !weights, ",
            "  %weights = memref.get_global @w : !weights": "",
        },
    ),
    "weights without known values": (
        4,
        1,
        {"constant @w": "@w", " = dense<WEIGHTS>": ""},
    ),
}


def rings_of(module: ir.Module) -> list[RingWindow]:
    top = module_of(module)
    effects = MemoryEffects(top)
    search = WindowSearch(top.operation, effects)
    [window] = (own for f in entry_functions(top) for own in search.in_function(f))
    assert isinstance(window, EqualWindow)
    return RingSearch(top, effects, Constants(top)).rings_of([window])


@pytest.mark.parametrize(("rows", "new"), [(4, 1), (6, 2), (2, 1), (9, 3)])
def test_a_window_that_only_sums_read(rows: int, new: int) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(ring_program(rows, new))
        [ring] = rings_of(module)
        assert (ring.axis, ring.rows, ring.new, ring.shape) == (1, rows, new, [2, rows])
        assert ring.period == rows // new
        assert ring.copy.operands[0] == ring.function.arguments[0]
        assert [(own.weights, own.axis) for own in ring.readers] == [(1, 1)]
        assert ring.reset.sym_name.value == "reset"


@pytest.mark.parametrize("reason", OTHERS)
def test_a_window_of_which_the_order_matters(reason: str) -> None:
    rows, new, changes = OTHERS[reason]
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(ring_program(rows, new, changes=changes))
        assert rings_of(module) == []


def test_the_common_period_is_a_multiple_of_all() -> None:
    with ir.Context(), ir.Location.unknown():
        forms = ((6, 1), (4, 1), (9, 3))
        modules = [ir.Module.parse(ring_program(*form)) for form in forms]
        rings = [ring for module in modules for ring in rings_of(module)]
        assert common_period(rings) == math.lcm(6, 4, 3)
