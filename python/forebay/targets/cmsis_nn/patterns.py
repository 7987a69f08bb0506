"""The operators that the library takes, each replaced by a call, with the bytes that it needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from mlir import ir
from mlir.dialects import tosa
from numpy.typing import NDArray

from forebay.api.operators import (
    Add,
    AveragePool,
    Convolution,
    Depthwise,
    MaxPool,
    QuantizedSoftmax,
    SingleOp,
    elements_of,
    is_int8,
    shape_of,
    softmax_of,
)
from forebay.api.target import (
    ComputedOperator,
    Condition,
    Emit,
    Int8Add,
    Int8AveragePool,
    Int8Convolution,
    Int8Depthwise,
    Int8FullyConnected,
    Int8MaxPool,
    Pattern,
)
from forebay.targets.cmsis_nn.intrinsics import WITH_CONTEXT, WITH_SUMS
from forebay.targets.cmsis_nn.references import TFLITE_LEFT_SHIFT
from forebay.targets.cmsis_nn.sizes import (
    Extension,
    average_pool_bytes,
    convolution_bytes,
    depthwise_bytes,
    kernel_sum_bytes,
)

DEVICE = "cmsis_nn"

_NO_CROP: Condition = (
    "windows that begin at the image's border or before it",
    lambda view: min(view.window.before) >= 0,
)
_NOT_DILATED: Condition = ("no dilation", lambda view: tuple(view.window.dilation) == (1, 1))


def cmsis_nn_patterns(extension: Extension, *, keeps_sums: bool) -> tuple[Pattern, ...]:
    """Return the patterns of a library that is built for the extension.

    With `keeps_sums`, kernel sums are constants instead of a call in each run.
    """
    build = _Builder(extension, keeps_sums)
    larger: Condition = ("more than one pixel", lambda view: not view.is_fully_connected)
    depthwise = (_NOT_DILATED, _NO_CROP)
    return (
        Pattern(
            "convolve",
            DEVICE,
            Convolution,
            build.convolve,
            (larger, *Int8Convolution.conditions, _NO_CROP),
        ),
        Pattern(
            "fully_connected",
            DEVICE,
            Convolution,
            build.fully_connected,
            Int8FullyConnected.conditions,
        ),
        Pattern(
            "depthwise",
            DEVICE,
            Depthwise,
            build.depthwise,
            (*Int8Depthwise.conditions, *depthwise),
        ),
        Pattern(
            "depthwise_of_one_channel",
            DEVICE,
            Depthwise,
            build.depthwise,
            (*Int8Convolution.conditions, *depthwise),
        ),
        Pattern(
            "average_pool",
            DEVICE,
            AveragePool,
            build.average_pool,
            (*Int8AveragePool.conditions, _NO_CROP),
        ),
        Pattern("max_pool", DEVICE, MaxPool, build.max_pool, (*Int8MaxPool.conditions, _NO_CROP)),
        Pattern("add", DEVICE, Add, build.add, Int8Add.conditions),
        Pattern(
            "softmax",
            DEVICE,
            tosa.CustomOp,
            build.softmax,
            (
                ("a softmax of int8", lambda v: isinstance(softmax_of(v.op), QuantizedSoftmax)),
                ("an int8 result", lambda view: is_int8(view.result)),
            ),
        ),
    )


@dataclass(frozen=True)
class _Builder:
    """Builds the calls of a library that is built for the extension."""

    extension: Extension
    keeps_sums: bool

    def convolve(self, view: Convolution, emit: Emit) -> ir.Value:
        """Call the convolution; the weights lie as TFLite's do."""
        layer = Int8Convolution().operator(view)
        sizes = _window_sizes(layer)
        weights = np.asarray(layer.operands["weights"], np.int8)
        needed = convolution_bytes(self.extension, **sizes)
        inputs = _weighted(view, layer, weights, emit)
        scalars = {**sizes, **_offsets(layer)}
        return Call("convolve", inputs, scalars, needed).build(view.result, emit)

    def depthwise(self, view: Depthwise, emit: Emit) -> ir.Value:
        """Call the depthwise convolution; channel `c * M + m` of the weights is the last axis."""
        weights = elements_of(view.weights)
        assert weights is not None
        height, width, depth, multiplier = weights.shape
        layer = (Int8Depthwise() if multiplier == 1 else Int8Convolution()).operator(view)
        sizes = {**_window_sizes(layer), "depth": depth, "y_depth": depth * multiplier}
        del sizes["dilation_y"], sizes["dilation_x"]
        flat = weights.reshape(height, width, depth * multiplier).astype(np.int8)
        needed = depthwise_bytes(self.extension, **sizes)
        inputs = _weighted(view, layer, flat, emit)
        scalars = {**sizes, **_offsets(layer), "channel_multiplier": multiplier}
        return Call("depthwise", inputs, scalars, needed).build(view.result, emit)

    def fully_connected(self, view: Convolution, emit: Emit) -> ir.Value:
        """Call the matrix product, on MVE with the sums of the kernel."""
        layer = Int8FullyConnected().operator(view)
        sizes = {name: layer.scalars[name] for name in ("rows", "depth", "columns")}
        weights, bias = (
            np.asarray(layer.operands["weights"], np.int8),
            np.asarray(layer.operands["bias"], np.int32),
        )
        given = [emit.constant(weights, like=view.weights), emit.constant(bias, like=view.bias)]
        scalars, name, inputs = {**sizes, **_offsets(layer)}, "fully_connected", [*given]
        if "shift" in layer.scalars:
            scalars |= {"multiplier": layer.scalars["multiplier"]}
            scalars |= {"shift": 31 - layer.scalars["shift"]}
        else:
            name, inputs = f"{name}_per_channel", [*given, *_tables(layer, emit)]
        if kernel_sum_bytes(self.extension, sizes["columns"]):
            offset = scalars["input_offset"]
            inputs.append(self._kernel_sums(weights, bias, given, offset, emit))
            name += WITH_SUMS
        return emit.call(name, view.source, *inputs, out=view.result.type, **scalars)

    def average_pool(self, view: AveragePool, emit: Emit) -> ir.Value:
        """Call the average pool."""
        scalars = _pool_scalars(Int8AveragePool().operator(view))
        needed = average_pool_bytes(self.extension, depth=scalars["depth"])
        return Call("average_pool", [view.source], scalars, needed).build(view.result, emit)

    def max_pool(self, view: MaxPool, emit: Emit) -> ir.Value:
        """Call the max pool."""
        scalars = _pool_scalars(Int8MaxPool().operator(view))
        return emit.call("max_pool", view.source, out=view.result.type, **scalars)

    def add(self, view: Add, emit: Emit) -> ir.Value:
        """Call the addition, which shifts both sides left as TFLite does."""
        found = Int8Add().operator(view).scalars
        scalars = {name: found[name] for name in ("multiplier", "low", "high", "count")}
        scalars |= {"shift": 31 - found["shift"], "output_offset": found["y_zero_point"]}
        for side in ("x", "other"):
            scalars[f"{side}_offset"] = -found[f"{side}_zero_point"]
            scalars[f"{side}_multiplier"] = found[f"{side}_multiplier"]
            scalars[f"{side}_shift"] = 31 - found[f"{side}_shift"]
        return emit.call(
            "add",
            view.source,
            view.other,
            out=view.result.type,
            left_shift=TFLITE_LEFT_SHIFT,
            **scalars,
        )

    def softmax(self, view: SingleOp, emit: Emit) -> ir.Value:
        """Call the softmax over the last dimension."""
        parameters = softmax_of(view.op)
        assert isinstance(parameters, QuantizedSoftmax)
        *outer, columns = shape_of(view.source)
        return emit.call(
            "softmax",
            view.source,
            out=view.result.type,
            rows=math.prod(outer),
            columns=columns,
            multiplier=parameters.input_multiplier,
            shift=parameters.input_left_shift,
            least_difference=parameters.diff_min,
        )

    def _kernel_sums(
        self,
        weights: NDArray[np.int8],
        bias: NDArray[np.int32],
        given: list[ir.Value],
        input_offset: int,
        emit: Emit,
    ) -> ir.Value:
        columns, depth = weights.shape
        if self.keeps_sums:
            sums = weights.astype(np.int64).sum(axis=1) * input_offset + bias
            return emit.constant(sums.astype(np.int32))
        out = ir.RankedTensorType.get([columns], ir.IntegerType.get_signless(32))
        sizes = {"depth": depth, "columns": columns}
        return emit.call("kernel_sums", *given, out=out, input_offset=input_offset, **sizes)


@dataclass(frozen=True)
class Call:
    """A call of a function that has a context buffer of so many bytes, which may be none."""

    name: str
    inputs: Sequence[ir.Value]
    scalars: Mapping[str, int]
    context_bytes: int

    def build(self, result: ir.Value, emit: Emit) -> ir.Value:
        """Build the call, and return the tensor of the result."""
        if not self.context_bytes:
            return emit.call(self.name, *self.inputs, out=result.type, **self.scalars)
        byte = ir.IntegerType.get_signless(8)
        context = ir.RankedTensorType.get([self.context_bytes], byte)
        return emit.call_all(
            self.name + WITH_CONTEXT,
            self.inputs,
            [result.type, context],
            context_bytes=self.context_bytes,
            **self.scalars,
        )[0]


def _weighted(
    view: Convolution | Depthwise,
    layer: ComputedOperator,
    weights: NDArray[np.int8],
    emit: Emit,
) -> list[ir.Value]:
    """Return the inputs of a layer with weights."""
    bias = np.asarray(layer.operands["bias"], np.int32)
    return [
        view.source,
        emit.constant(weights, like=view.weights),
        emit.constant(bias, like=view.bias),
        *_tables(layer, emit),
    ]


def _tables(layer: ComputedOperator, emit: Emit) -> list[ir.Value]:
    """Return the constants of multipliers and shifts; in the library, positive shifts go left."""
    multipliers = np.asarray(layer.operands["multipliers"], np.int32)
    shifts = 31 - np.asarray(layer.operands["shifts"], np.int32)
    return [emit.constant(multipliers), emit.constant(shifts)]


def _offsets(layer: ComputedOperator) -> dict[str, int]:
    """Return the offsets, of which the input's is negative, and the activation."""
    scalars = layer.scalars
    return {
        "input_offset": -scalars["x_zero_point"],
        "output_offset": scalars["y_zero_point"],
        "low": scalars["low"],
        "high": scalars["high"],
    }


def _window_sizes(layer: ComputedOperator) -> dict[str, int]:
    names = (
        *("height", "width", "depth", "y_height", "y_width", "y_depth"),
        *("kernel_height", "kernel_width", "stride_y", "stride_x"),
        *("dilation_y", "dilation_x", "top", "left"),
    )
    return {name: layer.scalars[name] for name in names if name in layer.scalars}


def _pool_scalars(pool: ComputedOperator) -> dict[str, int]:
    scalars = {"depth": pool.scalars["channels"], **pool.scalars}
    del scalars["channels"], scalars["dilation_y"], scalars["dilation_x"]
    return scalars
