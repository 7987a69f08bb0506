"""Operator options: one class per table of the TFLite schema that the importer reads.

A class has the name of its table, and a field the name of the table's field, so that one reader
serves all classes. A value of an enumeration is the number in the file.
"""

from __future__ import annotations

from dataclasses import dataclass


class Options:
    """The options of an operator; the subclasses are all tables that are read."""


@dataclass(frozen=True)
class Conv2DOptions(Options):
    """CONV_2D."""

    padding: int
    stride_w: int
    stride_h: int
    fused_activation_function: int
    dilation_w_factor: int
    dilation_h_factor: int


@dataclass(frozen=True)
class DepthwiseConv2DOptions(Options):
    """DEPTHWISE_CONV_2D; its depth multiplier is implied by the shapes."""

    padding: int
    stride_w: int
    stride_h: int
    fused_activation_function: int
    dilation_w_factor: int
    dilation_h_factor: int


@dataclass(frozen=True)
class Pool2DOptions(Options):
    """AVERAGE_POOL_2D and MAX_POOL_2D."""

    padding: int
    stride_w: int
    stride_h: int
    filter_width: int
    filter_height: int
    fused_activation_function: int


@dataclass(frozen=True)
class FullyConnectedOptions(Options):
    """FULLY_CONNECTED."""

    fused_activation_function: int
    weights_format: int
    keep_num_dims: bool


@dataclass(frozen=True)
class AddOptions(Options):
    """ADD."""

    fused_activation_function: int


@dataclass(frozen=True)
class SubOptions(Options):
    """SUB."""

    fused_activation_function: int


@dataclass(frozen=True)
class MulOptions(Options):
    """MUL."""

    fused_activation_function: int


@dataclass(frozen=True)
class ReshapeOptions(Options):
    """RESHAPE; `new_shape` is used only if the operator has no second operand."""

    new_shape: tuple[int, ...]


@dataclass(frozen=True)
class SoftmaxOptions(Options):
    """SOFTMAX."""

    beta: float


@dataclass(frozen=True)
class ReducerOptions(Options):
    """MEAN."""

    keep_dims: bool


@dataclass(frozen=True)
class ConcatenationOptions(Options):
    """CONCATENATION."""

    axis: int
    fused_activation_function: int


@dataclass(frozen=True)
class SplitOptions(Options):
    """SPLIT."""

    num_splits: int


@dataclass(frozen=True)
class StridedSliceOptions(Options):
    """STRIDED_SLICE."""

    begin_mask: int
    end_mask: int
    ellipsis_mask: int
    new_axis_mask: int
    shrink_axis_mask: int
    offset: bool


@dataclass(frozen=True)
class PackOptions(Options):
    """PACK."""

    values_count: int
    axis: int


@dataclass(frozen=True)
class UnpackOptions(Options):
    """UNPACK."""

    num: int
    axis: int


@dataclass(frozen=True)
class SqueezeOptions(Options):
    """SQUEEZE."""

    squeeze_dims: tuple[int, ...]


@dataclass(frozen=True)
class LeakyReluOptions(Options):
    """LEAKY_RELU."""

    alpha: float


@dataclass(frozen=True)
class ResizeBilinearOptions(Options):
    """RESIZE_BILINEAR."""

    align_corners: bool
    half_pixel_centers: bool


@dataclass(frozen=True)
class ResizeNearestNeighborOptions(Options):
    """RESIZE_NEAREST_NEIGHBOR."""

    align_corners: bool
    half_pixel_centers: bool


@dataclass(frozen=True)
class VarHandleOptions(Options):
    """VAR_HANDLE."""

    container: str
    shared_name: str


@dataclass(frozen=True)
class CallOnceOptions(Options):
    """CALL_ONCE."""

    init_subgraph_index: int
