"""The boxes of an `accel.reduce`, run one after the other, compute what the whole op computes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from common.host_jit import run_host
from common.oracles.operands import interpret
from common.programs import boxed_reduce
from common.programs.boxed_reduce import Cut, Window, accumulators, looped, straight
from mlir import ir

from forebay.dialects import accel
from forebay.emulator import Emulator
from forebay.emulator.kernels.jit import CompiledKernel
from forebay.emulator.memory.faults import NeverWritten, OutOfRange
from forebay.ir.nested import ops_nested_in
from forebay.ir.structured.reduce_box import accumulators_of, box_of, on_box
from forebay.regions import Box

WINDOWS = {
    "padding": Window(7, 3, 3, 4, height=7, before=1),
    "stride": Window(4, 2, 3, 5, height=8, stride=2, before=1),
    "dilation": Window(6, 2, 3, 2, height=6, dilation=2, before=2),
    "more padding than image": Window(5, 2, 4, 2, height=2, before=3),
    "no padding": Window(5, 3, 2, 3, height=6),
}


def cut(rng: np.random.Generator, extent: int) -> list[Cut]:
    """A partition of a dimension into ranges of random sizes."""
    inner = rng.choice(np.arange(1, extent), rng.integers(0, extent), replace=False)
    ends = [0, *sorted(int(i) for i in inner), extent]
    return [(a, b - a) for a, b in itertools.pairwise(ends)]


def product(outer: list[Cut], inner: list[Cut]) -> list[tuple[Cut, Cut]]:
    return [(a, b) for a in outer for b in inner]


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("seed", range(4))
def test_any_partition_gives_the_bits_of_the_whole_op(name: str, seed: int) -> None:
    window, rng = WINDOWS[name], np.random.default_rng(seed)
    tiles = product(cut(rng, window.rows), cut(rng, window.channels))
    parts = product(cut(rng, window.kernel), cut(rng, window.depth))
    rng.shuffle(tiles)
    inputs = window.inputs(seed)
    found = run_host(straight(window, tiles, parts), *inputs)[0]
    np.testing.assert_array_equal(found, window.expected(*inputs))


@pytest.mark.parametrize("name", WINDOWS)
def test_the_interpreter_of_models_runs_boxes(name: str) -> None:
    window, rng = WINDOWS[name], np.random.default_rng(7)
    tiles = product(cut(rng, window.rows), cut(rng, window.channels))
    parts = product(cut(rng, window.kernel), cut(rng, window.depth))
    inputs = window.inputs(7)
    found = interpret(straight(window, tiles, parts), inputs)[0]
    np.testing.assert_array_equal(found, window.expected(*inputs))


LOOPS = {
    "rows": (1, 3, 3, 4),
    "channels": (7, 1, 3, 4),
    "kernel": (7, 3, 1, 4),
    "depth": (7, 3, 3, 2),
    "everything": (1, 1, 1, 2),
}


def in_pools(window: Window, sizes: tuple[int, ...], pool: str = "@ws") -> str:
    """The loops over boxes, with their accumulators in a pool."""
    kind = accumulators(sizes, "memref")
    space = f"#memref_pool.space<{pool}>"
    placed = kind.replace(">", f", {space}>")
    bytes_ = 4 * sizes[0] * sizes[1]
    lines = [
        f"%{name} = memref_pool.alloc at <{pool}, {at}> : {placed}"
        for name, at in (("a", 0), ("n", -(-bytes_ // 16) * 16))
    ]
    text = looped(window, sizes).replace("ALLOCATIONS", "\n  ".join(lines))
    text = text.replace(f"(%a, %n : {kind}, {kind})", f"(%a, %n : {placed}, {placed})")
    return f"memref_pool.pool {pool} workspace capacity 4096\n{text}"


def emulated(text: str, inputs: list[np.ndarray], *, by_element: bool) -> np.ndarray:
    with ir.Context():
        module = ir.Module.parse(text)
    return Emulator(module.operation, by_element=by_element).call("main", inputs)[0]


@pytest.mark.parametrize("by_element", [False, True])
@pytest.mark.parametrize("name", LOOPS)
def test_the_emulator_runs_boxes_at_starts_of_loops(name: str, by_element: bool) -> None:
    window = WINDOWS["padding"]
    inputs = window.inputs(1)
    found = emulated(in_pools(window, LOOPS[name]), inputs, by_element=by_element)
    np.testing.assert_array_equal(found, window.expected(*inputs))


def test_boxes_of_one_size_share_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    make = CompiledKernel.__init__

    def counted(kernel: CompiledKernel, name: str, types: list[ir.Type]) -> None:
        names.append(name)
        make(kernel, name, types)

    monkeypatch.setattr(CompiledKernel, "__init__", counted)
    window = WINDOWS["padding"]
    boxes = [boxed_reduce.boxed([(y, 1), (0, 3), (0, 3), (0, 4)]) for y in range(7)]
    ops = "\n".join(window.op(box, "%o", "", "", "memref") for box in boxes)
    head, _ = looped(window, (1, 3, 3, 4)).split("ALLOCATIONS")
    inputs = window.inputs(2)
    found = emulated(f"{head}{ops}\n  return\n}}", inputs, by_element=False)
    np.testing.assert_array_equal(found, window.expected(*inputs))
    assert len(names) == 1


@pytest.mark.parametrize("by_element", [False, True])
@pytest.mark.parametrize("sizes", [(5, 2, 1, 2), (1, 2, 2, 1)])
def test_a_part_of_a_kernel_may_be_outside_as_a_whole(
    sizes: tuple[int, ...], by_element: bool
) -> None:
    # Every whole window sees the image, but of row 0 only the last of four kernel rows does.
    window = WINDOWS["more padding than image"]
    inputs = window.inputs(4)
    found = emulated(in_pools(window, sizes), inputs, by_element=by_element)
    np.testing.assert_array_equal(found, window.expected(*inputs))


@pytest.mark.parametrize("by_element", [False, True])
def test_accumulators_that_no_first_box_wrote_are_refused(by_element: bool) -> None:
    window = WINDOWS["padding"]
    text = in_pools(window, LOOPS["depth"]).replace("%s3 = %zero to", "%s3 = %z3 to")
    with pytest.raises(NeverWritten, match=r"accel\.reduce reads"):
        emulated(text, window.inputs(1), by_element=by_element)


@pytest.mark.parametrize("by_element", [False, True])
def test_a_box_outside_of_the_domain_is_refused(by_element: bool) -> None:
    window = WINDOWS["padding"]
    text = in_pools(window, LOOPS["rows"]).replace(
        "%e0 = arith.constant 7", "%e0 = arith.constant 8"
    )
    with pytest.raises(
        OutOfRange, match=r"runs on \[7, 8\) x \[0, 3\) x .*, outside of its domain"
    ):
        emulated(text, window.inputs(1), by_element=by_element)


def reduce_in(module: ir.Module) -> accel.ReduceOp:
    ops = ops_nested_in(module.operation)
    return next(op for op in ops if isinstance(op, accel.ReduceOp))


def test_a_whole_op_becomes_one_on_a_box() -> None:
    window = WINDOWS["no padding"]
    tiles, parts = [((0, 5), (0, 3))], [((0, 2), (0, 3))]
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(straight(window, tiles, parts))
        op = reduce_in(module)
        assert [str(type_) for type_ in accumulators_of(op)] == ["i32", "i32"]
        with ir.InsertionPoint(op):
            boxed = on_box(op, [2, 0, 0, 0], [3, 3, 2, 3], op.output)
        op.operation.results[0].replace_all_uses_with(boxed.operation.results[0])
        op.operation.erase()
        assert module.operation.verify()
        box = box_of(reduce_in(module))
        assert box.bounds == Box.at((2, 0, 0, 0), (3, 3, 2, 3))
        assert not box.cuts_reduction
        assert (box.first, box.last) == ((), ())


def test_a_start_decides_whether_init_and_finish_run() -> None:
    window = boxed_reduce.Window(4, 2, 2, 6, height=5)
    with ir.Context():
        module = ir.Module.parse(in_pools(window, (4, 2, 1, 3)))
        box = box_of(reduce_in(module))
        ky, k = box.dynamic
        assert box.first == ((ky, 0), (k, 0))
        assert box.last == ((ky, 1), (k, 3))
        assert box.bounds == Box.of((4, 2, 2, 6))
        assert box.at([1, 3]) == Box.at((0, 0, 1, 3), (4, 2, 1, 3))
