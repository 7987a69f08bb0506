"""Operator options: a class per table of the TFLite schema that the importer reads.

The class is named as the table, and a field as the table's field, so that one reader serves them
all; a value of an enumeration stays the number that the file holds.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Conv2DOptions:
    """CONV_2D."""

    padding: int
    stride_w: int
    stride_h: int
    fused_activation_function: int
    dilation_w_factor: int
    dilation_h_factor: int


@dataclass(frozen=True)
class DepthwiseConv2DOptions:
    """DEPTHWISE_CONV_2D; its depth multiplier is implied by the shapes."""

    padding: int
    stride_w: int
    stride_h: int
    fused_activation_function: int
    dilation_w_factor: int
    dilation_h_factor: int


@dataclass(frozen=True)
class Pool2DOptions:
    """AVERAGE_POOL_2D and MAX_POOL_2D."""

    padding: int
    stride_w: int
    stride_h: int
    filter_width: int
    filter_height: int
    fused_activation_function: int


@dataclass(frozen=True)
class FullyConnectedOptions:
    """FULLY_CONNECTED."""

    fused_activation_function: int
    weights_format: int
    keep_num_dims: bool


@dataclass(frozen=True)
class AddOptions:
    """ADD."""

    fused_activation_function: int


@dataclass(frozen=True)
class SubOptions:
    """SUB."""

    fused_activation_function: int


@dataclass(frozen=True)
class MulOptions:
    """MUL."""

    fused_activation_function: int


@dataclass(frozen=True)
class ReshapeOptions:
    """RESHAPE; `new_shape` counts only where the operator has no second operand."""

    new_shape: tuple[int, ...]


@dataclass(frozen=True)
class SoftmaxOptions:
    """SOFTMAX."""

    beta: float


@dataclass(frozen=True)
class ReducerOptions:
    """MEAN."""

    keep_dims: bool


@dataclass(frozen=True)
class ConcatenationOptions:
    """CONCATENATION."""

    axis: int
    fused_activation_function: int


@dataclass(frozen=True)
class SplitOptions:
    """SPLIT."""

    num_splits: int


@dataclass(frozen=True)
class StridedSliceOptions:
    """STRIDED_SLICE."""

    begin_mask: int
    end_mask: int
    ellipsis_mask: int
    new_axis_mask: int
    shrink_axis_mask: int
    offset: bool


@dataclass(frozen=True)
class PackOptions:
    """PACK."""

    values_count: int
    axis: int


@dataclass(frozen=True)
class UnpackOptions:
    """UNPACK."""

    num: int
    axis: int


@dataclass(frozen=True)
class SqueezeOptions:
    """SQUEEZE."""

    squeeze_dims: tuple[int, ...]


@dataclass(frozen=True)
class LeakyReluOptions:
    """LEAKY_RELU."""

    alpha: float


@dataclass(frozen=True)
class ResizeBilinearOptions:
    """RESIZE_BILINEAR."""

    align_corners: bool
    half_pixel_centers: bool


@dataclass(frozen=True)
class ResizeNearestNeighborOptions:
    """RESIZE_NEAREST_NEIGHBOR."""

    align_corners: bool
    half_pixel_centers: bool


@dataclass(frozen=True)
class VarHandleOptions:
    """VAR_HANDLE."""

    container: str
    shared_name: str


@dataclass(frozen=True)
class CallOnceOptions:
    """CALL_ONCE."""

    init_subgraph_index: int


TABLES: tuple[type, ...] = (
    Conv2DOptions,
    DepthwiseConv2DOptions,
    Pool2DOptions,
    FullyConnectedOptions,
    AddOptions,
    SubOptions,
    MulOptions,
    ReshapeOptions,
    SoftmaxOptions,
    ReducerOptions,
    ConcatenationOptions,
    SplitOptions,
    StridedSliceOptions,
    PackOptions,
    UnpackOptions,
    SqueezeOptions,
    LeakyReluOptions,
    ResizeBilinearOptions,
    ResizeNearestNeighborOptions,
    VarHandleOptions,
    CallOnceOptions,
)
"""Every table above."""
