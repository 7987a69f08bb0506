"""With the model's values, a run stops at the first operator whose result is another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from common import networks
from mlir import ir
from mlir.dialects import memref

import forebay
from forebay.dialects import memref_pool
from forebay.emulator import Emulator, Fault
from forebay.emulator.memory.faults import WrongValue
from forebay.ir.locations import ModelLocation
from forebay.ir.nested import ops_nested_in
from forebay.values.tensors import Layout, Tensor, Tensors, Values

PLACE = ModelLocation("n.tflite", 3, 0)
TURNED = Layout((3, 2), np.arange(6).reshape(3, 2).T.reshape(-1))


def doubling(kind: str, shape: str = "2x3") -> str:
    """`n.tflite:3` leaves x + x in @ws behind byte 16; the output is a copy of it."""
    space = "#memref_pool.space<@ws>"
    body = {"i8": "arith.addi", "f32": "arith.addf"}[kind]
    return f"""
memref_pool.pool @ws workspace capacity 256
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: memref<{shape}x{kind}> {{accel.name = "x"}},
                %y: memref<{shape}x{kind}> {{accel.name = "y", bufferize.result}}) {{
  %a = memref_pool.alloc at <@ws, 16> : memref<{shape}x{kind}, {space}> loc("n.tflite":3:0)
  linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}}
    ins(%x : memref<{shape}x{kind}>) outs(%a : memref<{shape}x{kind}, {space}>) {{
    ^bb0(%in: {kind}, %out: {kind}):
      %s = {body} %in, %in : {kind}
      linalg.yield %s : {kind}
  }} loc("n.tflite":3:0)
  memref.copy %a, %y : memref<{shape}x{kind}, {space}> to memref<{shape}x{kind}> loc("n.tflite":4:0)
  return
}}
"""


def run(
    text: str, x: np.ndarray, tensor: np.ndarray, output: np.ndarray, layout: Layout | None = None
) -> np.ndarray:
    """The output, if the emulator finds these values of the model."""
    tensors = Tensors(
        (Tensor(PLACE, "the sum", tensor.shape, tensor.dtype.name),),
        {PLACE: layout} if layout else {},
    )
    with ir.Context():
        module = ir.Module.parse(text)
    machine = Emulator(module.operation, tensors=tensors)
    return machine.call("main", [x], expected=Values({PLACE: tensor}, (output,)))[0]


X = np.arange(6, dtype=np.int8).reshape(2, 3)


def test_right_values_pass() -> None:
    np.testing.assert_array_equal(run(doubling("i8"), X, 2 * X, 2 * X), 2 * X)


def test_the_first_wrong_element_is_named() -> None:
    wanted = 2 * X
    wanted[1, 1:] = 77, 78
    with pytest.raises(WrongValue) as caught:
        run(doubling("i8"), X, wanted, 2 * X)
    assert str(caught.value) == (
        "n.tflite:3:0: linalg.generic leaves 8 in element [1, 1] of the sum, where the model has "
        "77; 2 of 6 elements differ: byte 20 of @ws in buffer 'buffer' [16, 22)"
    )
    deviation, where = caught.value.deviation, caught.value.where
    assert (deviation.element, deviation.expected, deviation.found) == ((1, 1), 77, 8)
    assert (deviation.count, deviation.size) == (2, 6)
    assert (where.pool, where.address, where.buffer) == ("@ws", 20, "buffer")


def test_a_layout_of_a_device_is_compared_element_by_element() -> None:
    """The tensor's [1, 0] is the second element of what the device holds: byte 17."""
    turned = np.ascontiguousarray(X.reshape(3, 2))
    tensor = np.ascontiguousarray(2 * turned.T)
    text = doubling("i8", "3x2")
    np.testing.assert_array_equal(run(text, turned, tensor, 2 * turned, TURNED), 2 * turned)
    tensor[1, 0] = 99
    with pytest.raises(WrongValue, match="byte 17 of @ws") as caught:
        run(text, turned, tensor, 2 * turned, TURNED)
    assert caught.value.deviation.element == (1, 0)
    assert caught.value.deviation.found == 2


def test_outputs_of_every_writer_are_compared() -> None:
    with pytest.raises(WrongValue) as caught:
        run(doubling("i8"), X, 2 * X, 3 * X)
    assert str(caught.value) == (
        "the program: the caller leaves 2 in element [0, 1] of output 'y', where the model has 3; "
        "5 of 6 elements differ: byte 1 of the caller's 'y' in buffer 'y' [0, 6)"
    )


def test_floats_may_differ_by_rounding() -> None:
    x = np.array([[1, 2, 3], [4, np.nan, 500]], np.float32)
    near = 2 * x
    near[0, 0] += 0.005  # of 1000, the largest: 5e-6
    assert np.isnan(run(doubling("f32"), x, near, 2 * x)[1, 1])
    near[0, 0] += 0.01
    with pytest.raises(WrongValue, match=r"leaves 2.0 in element \[0, 0\] of the sum"):
        run(doubling("f32"), x, near, 2 * x)


def test_without_values_nothing_is_compared() -> None:
    with ir.Context():
        module = ir.Module.parse(doubling("i8"))
    tensors = Tensors((Tensor(PLACE, "the sum", (2, 3), "int8"),))
    machine = Emulator(module.operation, tensors=tensors)
    assert machine.compared == frozenset(tensors.all)
    np.testing.assert_array_equal(machine.call("main", [X])[0], 2 * X)


# ---- Networks ------------------------------------------------------------------------------------


def deviation(
    compiled: forebay.Compiled, x: np.ndarray, break_it: Callable[[list[ir.OpView]], None]
) -> tuple[Fault | None, Fault | None]:
    """What checks of memory alone say of a broken program, and what the model's values say."""
    model = compiled.values()
    clone = compiled.planned.clone().operation
    faults: list[Fault | None] = []
    with clone.context:
        break_it(ops_nested_in(clone))
        for tensors in (Tensors(), model.tensors):
            try:
                Emulator(clone, tensors=tensors).call("main", [x], expected=model.run([x]))
                faults.append(None)
            except WrongValue as fault:
                faults.append(fault if tensors.all else None)
            except Fault as fault:
                faults.append(fault)
    return faults[0], faults[1]


def test_weights_of_an_older_network_show_at_their_operator(digits: Path) -> None:
    compiled = forebay.compile(digits)
    x = np.arange(64, dtype=np.int8).reshape(1, 8, 8, 1)

    def older(ops: list[ir.OpView]) -> None:
        weights = [op for op in ops if isinstance(op, memref.GlobalOp)]
        chosen = next(op for op in weights if "near" in str(op.location))
        old = np.array(chosen.initial_value) + np.int8(1)
        chosen.initial_value = ir.DenseElementsAttr.get(old)

    by_memory, by_value = deviation(compiled, x, older)
    assert by_memory is None
    assert isinstance(by_value, WrongValue)
    assert "near" in by_value.where.location


@pytest.mark.parametrize("row", [3, 5])
def test_an_image_a_row_too_high_or_low_in_its_border(row: int, shared_models: Path) -> None:
    """Every byte that is read was written for this buffer, by the fill or by the copy."""
    compiled = networks.compiled(shared_models / "kws_dscnn_int8.tflite", target="fetch_conv")
    with np.load(shared_models / "golden" / "tflm" / "kws_dscnn_int8.npz") as arrays:
        x = arrays["in0_0"]

    def shift(ops: list[ir.OpView]) -> None:
        view = next(op for op in ops if isinstance(op, memref.SubViewOp))
        assert list(view.static_offsets) == [0, 4, 1, 0]
        moved = ir.DenseI64ArrayAttr.get([0, row, 1, 0])
        view.operation.attributes["static_offsets"] = moved

    by_memory, by_value = deviation(compiled, x, shift)
    assert by_memory is None
    assert isinstance(by_value, WrongValue)
    assert by_value.where.location.startswith("kws_dscnn_int8.tflite: CONV_2D #0 (")
    assert by_value.where.pool == "@act_mem"  # as the device holds it, in blocks of channels


def test_a_copy_that_is_missing_onto_filled_bytes(shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / "kws_dscnn_int8.tflite", target="fetch_conv")
    with np.load(shared_models / "golden" / "tflm" / "kws_dscnn_int8.npz") as arrays:
        x = arrays["in0_0"]

    def drop(ops: list[ir.OpView]) -> None:
        next(op for op in ops if isinstance(op, memref_pool.CopyOp)).operation.erase()

    by_memory, by_value = deviation(compiled, x, drop)
    assert by_memory is None
    assert isinstance(by_value, WrongValue)
    assert by_value.where.location.startswith("kws_dscnn_int8.tflite: CONV_2D #0 (")


def test_ops_without_a_place_are_not_the_first_operator_s() -> None:
    """What passes add may have the module's own location, line 0 of the file, like operator 0."""
    model = Path(__file__).parents[1] / "inputs" / "softmax_and_squeeze.tflite"
    compiled = forebay.compile(model)
    engine = compiled.emulator(check_values=True)
    for seed in range(3):
        draw = np.random.default_rng(seed)
        engine.run([draw.integers(-128, 128, port.shape, np.int8) for port in compiled.inputs])


@pytest.mark.parametrize(
    ("name", "target", "elsewhere"),
    [
        ("kws_dscnn_int8", "fetch_conv", 1),
        ("resnet8_int8", "fetch_conv:wei_mem=65536,stream=1", 3),
        ("mww_vad_int8", "host", 12),
    ],
)
def test_right_programs_have_the_model_s_values(
    name: str, target: str, elsewhere: int, shared_models: Path
) -> None:
    """And most tensors are compared; the others are views, or drawn into what uses them."""
    compiled = networks.compiled(shared_models / f"{name}.tflite", target=target)
    engine = compiled.emulator(check_values=True)
    assert len(engine.not_compared) == elsewhere
    assert len(engine.compared) >= 11
    engine.reset()
    for seed in range(2):
        draw = np.random.default_rng(seed)
        engine.run([draw.integers(-128, 128, port.shape, np.int8) for port in compiled.inputs])
