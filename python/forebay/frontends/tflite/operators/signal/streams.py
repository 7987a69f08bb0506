"""SignalDelay, SignalFramer, SignalOverlapAdd, SignalStacker: streams with a history in a state.

    history + input  ->  [ h h h h | x x x x x ]      one tensor along time
    SignalDelay          [ y y y y y | ........ ]      the oldest come out, the rest is the history
    SignalFramer         [ f0 f0 f0 | ] [ f1 ... ]     a frame every `frame_step` samples
    SignalStacker        [ y y y y y ... y ]           the last frames, every `stacker_step` frames

SignalOverlapAdd keeps what frames add to samples that are still to come. A result without enough
samples is 0, and the second result, which says whether it is valid, is false.
Sources: TFLite Micro `signal/micro/kernels/delay.cc`, `framer.cc`, `overlap_add.cc`, `stacker.cc`,
`signal/src/overlap_add.cc`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith, tosa

from forebay.frontends.elementwise import map_elements
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator
from forebay.frontends.tflite.operators.signal.arithmetic import chosen, i32_constant
from forebay.frontends.tflite.operators.signal.options import integer_option
from forebay.lowering.kernels import scalar

_F32, _I16, _BOOL = ElementType.FLOAT32, ElementType.INT16, ElementType.BOOL
_MOST = 1 << 20

document(
    "SignalDelay",
    "SignalFramer",
    "SignalOverlapAdd",
    "SignalStacker",
    types="int16; SignalOverlapAdd: float32",
    limits="SignalFramer without `prefill`: one frame per inference; SignalStacker: at most as "
    "many frames in a step as in a stack",
    becomes="`variable`, `concat`, `slice`, `linalg.generic`",
    exact="int16",
)


@operator("SignalDelay", newest_version=1)
def delay(node: Node) -> Sequence[ir.Value]:
    """Lower a shift by `delay_length` samples of the last dimension."""
    node.expect_operands(1)
    node.expect_types((_I16, _I16))
    length = integer_option(node, "delay_length", 1, _MOST)
    outer, size = _rows(node)
    history = _History(node, (outer, length))
    joined = emit.tosa_concat([history.value, emit.tosa_reshape(node.value(0), (outer, size))], 1)
    history.write(emit.tosa_slice(joined, (0, size), (outer, length)))
    return [emit.tosa_reshape(emit.tosa_slice(joined, (0, 0), (outer, size)), node.shape(0))]


@operator("SignalFramer", newest_version=1)
def framer(node: Node) -> Sequence[ir.Value]:
    """Lower frames of `frame_size` samples, one every `frame_step` samples."""
    node.expect_operands(1, results=2)
    node.expect_types((_I16, _I16, _BOOL))
    size = integer_option(node, "frame_size", 1, _MOST)
    step = integer_option(node, "frame_step", 1, size)
    is_filled = bool(node.custom_options().get("prefill", 0))
    outer, samples = _rows(node)
    if samples % step:
        node.malformed(f"{samples:,} samples in steps of {step:,}")
    count = samples // step
    if not is_filled and count > 1:
        node.refuse(f"{count:,} frames per inference without 'prefill'", "set 'prefill'")
    shape = (*node.shape(0)[:-1], count, size)
    node.expect_size(shape)
    kept = size - step if is_filled else -(-size // samples) * samples - samples
    joined = emit.tosa_reshape(node.value(0), (outer, samples))
    if kept:
        history = _History(node, (outer, kept))
        joined = emit.tosa_concat([history.value, joined], 1)
        history.write(emit.tosa_slice(joined, (0, samples), (outer, kept)))
    frames = [
        emit.tosa_reshape(emit.tosa_slice(joined, (0, i * step), (outer, size)), (outer, 1, size))
        for i in range(count)
    ]
    value = emit.tosa_reshape(emit.tosa_concat(frames, 1), shape)
    if is_filled or kept == 0:
        return [value, emit.tosa_constant(np.ones(node.outputs[1].shape, np.bool_))]
    waiting = _waiting(node, kept // samples, 1)
    return [_where_valid(value, waiting), _is_valid(node, waiting)]


@operator("SignalStacker", newest_version=1)
def stacker(node: Node) -> Sequence[ir.Value]:
    """Lower the last frames beside each other; the first one stands for those before it."""
    node.expect_operands(1, results=2)
    node.expect_types((_I16, _I16, _BOOL))
    left, right = (integer_option(node, f"stacker_{s}_context", 0, _MOST) for s in _SIDES)
    width = left + 1 + right
    step = integer_option(node, "stacker_step", 1, width)
    channels = integer_option(node, "num_channels", 1, _MOST)
    if math.prod(node.shape(0)) != channels or math.prod(node.output.shape) != width * channels:
        node.malformed(f"{list(node.output.shape)} for {width} frames of {channels} channels")
    frame = emit.tosa_reshape(node.value(0), (1, channels))
    joined = frame
    if width > 1:
        history = _History(node, (width - 1, channels))
        before = _after_the_first(node, history.value, frame)
        joined = emit.tosa_concat([before, frame], 0)
        history.write(emit.tosa_slice(joined, (1, 0), (width - 1, channels)))
    waiting = _waiting(node, right, step)
    value = emit.tosa_reshape(joined, node.output.shape)
    return [_where_valid(value, waiting), _is_valid(node, waiting)]


_SIDES = ("left", "right")


@operator("SignalOverlapAdd", newest_version=1)
def overlap_add(node: Node) -> Sequence[ir.Value]:
    """Lower the sum of frames, each `frame_step` samples after the one before."""
    node.expect_operands(1)
    node.expect_types((_I16, _I16), (_F32, _F32))
    shape = node.shape(0)
    if len(shape) < 2:
        node.malformed(f"frames of shape {list(shape)}")
    *batch, count, size = shape
    step = integer_option(node, "frame_step", 1, size)
    outer = math.prod(batch)
    frames = emit.tosa_reshape(node.value(0), (outer, count, size))
    history = _History(node, (outer, size))
    sums, parts = history.value, list[ir.Value]()
    for i in range(count):
        frame = emit.tosa_slice(frames, (0, i, 0), (outer, 1, size))
        operands = [sums, emit.tosa_reshape(frame, (outer, size))]
        sums = map_elements(operands, (outer, size), emit.element_of(sums), _added)
        parts.append(emit.tosa_slice(sums, (0, 0), (outer, step)))
        zeros = emit.tosa_constant(np.zeros((outer, step), history.dtype))
        rest = emit.tosa_slice(sums, (0, step), (outer, size - step)) if step < size else None
        sums = emit.tosa_concat([x for x in (rest, zeros) if x is not None], 1)
    history.write(sums)
    return [emit.tosa_reshape(emit.tosa_concat(parts, 1), (*batch, count * step))]


def _added(ins: Sequence[ir.Value]) -> ir.Value:
    if isinstance(ins[0].type, ir.FloatType):
        return scalar.add(*ins)
    total = scalar.add(*(scalar.widen(x) for x in ins))
    return scalar.narrow(scalar.clamp(total, *_I16.range), emit.signless(16))


class _History:
    """A state of the operator's type, which is zero at first."""

    def __init__(self, node: Node, shape: emit.Shape) -> None:
        self.dtype = np.float32 if node.input(0).type is _F32 else np.int16
        self._name = node.new_state("history", np.zeros(shape, self.dtype))
        kind = emit.tensor_type(shape, emit.mlir_type_of(node.input(0).type))
        self.value: ir.Value = tosa.VariableReadOp(kind, self._name).results[0]

    def write(self, value: ir.Value) -> None:
        """Keep the value for the next inference."""
        tosa.VariableWriteOp(self._name, value)


def _rows(node: Node) -> tuple[int, int]:
    *outer, size = node.shape(0) or (1,)
    return math.prod(outer), size


def _waiting(node: Node, first: int, step: int) -> ir.Value:
    """Return how many more inferences a result needs: `first` at the start, 0 every `step`."""
    name = node.new_state("waiting", np.array([first], np.int32))
    kind = emit.tensor_type((1,), scalar.i32())
    value = tosa.VariableReadOp(kind, name).results[0]

    def following(ins: Sequence[ir.Value]) -> ir.Value:
        less = scalar.subtract(ins[0], i32_constant(1))
        return chosen(_is_zero(ins[0]), i32_constant(step - 1), less)

    tosa.VariableWriteOp(name, map_elements([value], (1,), scalar.i32(), following))
    return value


def _after_the_first(node: Node, history: ir.Value, frame: ir.Value) -> ir.Value:
    """Return the history, which at the first inference is that frame throughout."""
    name = node.new_state("started", np.zeros(1, np.int32))
    started = tosa.VariableReadOp(emit.tensor_type((1,), scalar.i32()), name).results[0]
    tosa.VariableWriteOp(name, emit.tosa_constant(np.ones(1, np.int32)))
    return map_elements(
        [history, frame, started],
        emit.static_shape_of(history),
        emit.element_of(history),
        lambda ins: chosen(_is_zero(ins[2]), ins[1], ins[0]),
    )


def _where_valid(value: ir.Value, waiting: ir.Value) -> ir.Value:
    def compute(ins: Sequence[ir.Value]) -> ir.Value:
        return chosen(_is_zero(ins[1]), ins[0], scalar.scalar_constant(0, ins[0].type))

    return map_elements(
        [value, waiting], emit.static_shape_of(value), emit.element_of(value), compute
    )


def _is_valid(node: Node, waiting: ir.Value) -> ir.Value:
    bit = emit.signless(1)
    value = map_elements([waiting], (1,), bit, lambda ins: _is_zero(ins[0]))
    return emit.tosa_reshape(value, node.outputs[1].shape)


def _is_zero(value: ir.Value) -> ir.Value:
    return arith.CmpIOp(arith.CmpIPredicate.eq, value, i32_constant(0)).result
