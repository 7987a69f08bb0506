"""Replace an operator by a layer of the machine, with changes of layout on the host around it.

    NHWC -> [fold rows, columns] -> blocks of 16 channels -> layer -> NHWC

The result of one layer stays in blocks for the next layer; only values of the host are converted to
blocks. The stage decides later how a layer is cut, fetched and computed, because it knows the free
bytes.
"""

from __future__ import annotations

from mlir import ir
from msgspec import Struct

from forebay.api import operators
from forebay.api.target import Emit
from forebay.targets.fetch_conv import constants
from forebay.targets.fetch_conv.layout import BLOCK, blocks_of, from_blocks, to_blocks
from forebay.targets.fetch_conv.shape import Folded, Weighted, folded, is_pointwise

_BLOCKED = "blocks of 16 channels, by the engine or fetched"
_OF_HOST = "blocks of 16 channels, by the host"
_LEAST, _MOST = -128, 127


class _Image(Struct, frozen=True, eq=False):
    """An image in blocks, the layer that takes it, and the padding before it that is read."""

    value: ir.Value
    layer: str
    top: int
    left: int


def build_layers(view: Weighted, emit: Emit, act_mem: int | None = None) -> ir.Value:
    """Build the layer and return its result in NHWC; `act_mem` is that pool's size in bytes."""
    fold = folded(view)
    image = _folded_image(view, fold, emit) if fold.by != (1, 1) else _image(view, emit, act_mem)
    channels = operators.shape_of(view.result)[3]
    batch, height, width, _ = operators.shape_of(view.result)
    result = _layer(view, fold, image, (batch * height, width), emit)
    nhwc = from_blocks(result, channels, emit)
    emit.learn(nhwc, _BLOCKED, result)
    return emit.reshape(nhwc, (batch, height, width, channels))


def _image(view: Weighted, emit: Emit, act_mem: int | None) -> _Image:
    """Return the unfolded source: known in blocks, fetched once for several uses, or converted."""
    top, left = view.window.before
    known = emit.known(view.source, _BLOCKED)
    if known is not None:
        return _Image(known, "layer", top, left)
    is_shared = len(list(view.source.uses)) > 1
    blocks = emit.known(view.source, _OF_HOST)
    if blocks is None:
        source = view.source
        if is_pointwise(view):
            batch, height, width, channels = operators.shape_of(source)
            source = emit.reshape(source, (1, batch * height, width, channels))
        blocks = to_blocks(source, view.source_zero_point, emit)
        emit.learn(view.source, _OF_HOST, blocks)
    if is_shared and _is_small(blocks, act_mem):
        fetched = _fetch(blocks, view.source_zero_point, emit)
        emit.learn(view.source, _BLOCKED, fetched)
        return _Image(fetched, "layer", top, left)
    return _Image(blocks, "fetched_layer", top, left)


def _is_small(image: ir.Value, act_mem: int | None) -> bool:
    """Return whether an image leaves half of `act_mem` to the operators that use it."""
    blocks, height, width, lanes = operators.shape_of(image)
    return act_mem is None or 2 * blocks * height * width * lanes <= act_mem


def _folded_image(view: Weighted, fold: Folded, emit: Emit) -> _Image:
    """Return the source, padded and folded by the host, to be fetched."""
    _, height, width, channels = operators.shape_of(view.source)
    _, rows, columns, _ = operators.shape_of(view.result)
    before = [0, *view.window.before, 0]
    # Windows read this many folded rows and columns; the last ones may lie partly behind the
    # source.
    needed = [
        ((n - 1) * step + size) * by
        for n, step, size, by in zip(
            (rows, columns), fold.stride, fold.kernel, fold.by, strict=True
        )
    ]
    after = [0, needed[0] - height - before[1], needed[1] - width - before[2], 0]
    padded = emit.pad(view.source, before, after, view.source_zero_point)
    by_y, by_x = fold.by
    split = emit.reshape(padded, (needed[0] // by_y, by_y, needed[1] // by_x, by_x, channels))
    folded_source = emit.reshape(
        emit.transpose(split, (0, 2, 1, 3, 4)),
        (1, needed[0] // by_y, needed[1] // by_x, by_y * by_x * channels),
    )
    blocks = to_blocks(folded_source, view.source_zero_point, emit)
    return _Image(blocks, "fetched_layer", 0, 0)


def _fetch(blocks: ir.Value, border: int, emit: Emit) -> ir.Value:
    """Fetch a whole image, without a border."""
    count, height, width, _ = operators.shape_of(blocks)
    return emit.call(
        "input_fetcher",
        blocks,
        out=ir.RankedTensorType(blocks.type),
        blocks=count,
        height=height,
        width=width,
        row=0,
        rows=height,
        column=0,
        columns=width,
        top=0,
        bottom=0,
        left=0,
        right=0,
        zero_point=border,
    )


def _layer(
    view: Weighted, fold: Folded, image: _Image, size: tuple[int, int], emit: Emit
) -> ir.Value:
    """Call the layer and return its result in blocks, preferably in `act_mem`."""
    rescale, clamp = view.epilogue.rescale, view.epilogue.clamp
    assert rescale is not None
    low, high = (_LEAST, _MOST) if clamp is None else (int(clamp.low), int(clamp.high))
    x_blocks, x_height, x_width, _ = operators.shape_of(image.value)
    y_blocks = blocks_of(operators.shape_of(view.result)[3])
    result = emit.call(
        image.layer,
        image.value,
        emit.constant(constants.weights(view, fold), like=view.weights),
        emit.constant(constants.requantisation_table(view), like=view.bias),
        out=ir.RankedTensorType.get([y_blocks, *size, BLOCK], ir.IntegerType.get_signless(8)),
        x_blocks=x_blocks,
        x_height=x_height,
        x_width=x_width,
        y_blocks=y_blocks,
        y_height=size[0],
        y_width=size[1],
        kernel_height=fold.kernel[0],
        kernel_width=fold.kernel[1],
        stride_y=fold.stride[0],
        stride_x=fold.stride[1],
        top=image.top,
        left=image.left,
        depthwise=int(constants.is_depthwise(view)),
        x_zero_point=view.source_zero_point,
        y_zero_point=rescale.output_zero_point,
        low=max(low, _LEAST),
        high=min(high, _MOST),
    )
    emit.restrict(result, "act_mem", "l2_mem")
    return result
