"""An operator as calls of the fetcher and the engine, and the host's changes of layout around them.

    NHWC -> [fold rows, columns] -> blocks of 16 channels -> fetch -> conv2d -> NHWC

The result of one convolution stays in blocks for the next; only what comes from the host is
brought into blocks and fetched.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import tensor

from forebay.ir import fused
from forebay.partition.emit import Emit
from forebay.targets.fetch_conv import constants
from forebay.targets.fetch_conv.layout import BLOCK, blocks_of, from_blocks, to_blocks
from forebay.targets.fetch_conv.parts import Part, cut, parts_of, put
from forebay.targets.fetch_conv.shape import Folded, Weighted, folded, is_pointwise

_BLOCKED = "blocks of 16 channels in act_mem"
_LEAST, _MOST = -128, 127


@dataclass(frozen=True, eq=False)
class _Image:
    """An image in blocks in the engine's memory, and the first row and column a window reads."""

    value: ir.Value
    top: int
    left: int


def build(view: Weighted, emit: Emit, wei_mem: int | None = None) -> ir.Value:
    """The result, in NHWC; `wei_mem` is how many bytes of weights one call may have."""
    fold = folded(view)
    image = _folded_image(view, fold, emit) if fold.by != (1, 1) else _image(view, emit)
    channels = fused.shape_of(view.result)[3]
    batch, height, width, _ = fused.shape_of(view.result)
    rows = batch * height
    out = ir.RankedTensorType.get(
        [blocks_of(channels), rows, width, BLOCK], ir.IntegerType.get_signless(8)
    )
    result = tensor.EmptyOp(list(out.shape), out.element_type).result
    for part in parts_of(view, wei_mem):
        result = _convolve(view, image, part, result, emit)
    nhwc = from_blocks(result, channels, emit)
    emit.learn(nhwc, _BLOCKED, result)
    return emit.reshape(nhwc, (batch, height, width, channels))


def _image(view: Weighted, emit: Emit) -> _Image:
    """The source as it is: already in blocks, fetched for somebody else, or fetched now."""
    top, left = view.window.before
    known = emit.known(view.source, _BLOCKED)
    if known is not None:
        return _Image(known, top, left)
    source, is_shared = view.source, len(list(view.source.uses)) > 1
    if is_pointwise(view):
        batch, height, width, channels = fused.shape_of(source)
        source = emit.reshape(source, (1, batch * height, width, channels))
    blocks = to_blocks(source, view.source_zero_point, emit)
    if is_shared:
        fetched = _fetch(blocks, (0, 0), (0, 0), view.source_zero_point, emit)
        emit.learn(view.source, _BLOCKED, fetched)
        return _Image(fetched, top, left)
    # The fetcher puts the border where nobody else would have to see it.
    before = (max(0, top), max(0, left))
    after = (max(0, view.window.after[0]), max(0, view.window.after[1]))
    fetched = _fetch(blocks, before, after, view.source_zero_point, emit)
    return _Image(fetched, top - before[0], left - before[1])


def _folded_image(view: Weighted, fold: Folded, emit: Emit) -> _Image:
    """The source with its padding, folded on the host, fetched."""
    _, height, width, channels = fused.shape_of(view.source)
    _, rows, columns, _ = fused.shape_of(view.result)
    before = [0, *view.window.before, 0]
    # Windows read this many folded rows and columns, the last of which may be in part behind all.
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
    return _Image(_fetch(blocks, (0, 0), (0, 0), view.source_zero_point, emit), 0, 0)


def _fetch(
    blocks: ir.Value, before: tuple[int, int], after: tuple[int, int], border: int, emit: Emit
) -> ir.Value:
    count, height, width, lanes = fused.shape_of(blocks)
    shape = [count, height + before[0] + after[0], width + before[1] + after[1], lanes]
    return emit.call(
        "input_fetcher",
        blocks,
        out=ir.RankedTensorType.get(shape, fused.element_type(blocks)),
        blocks=count,
        height=height,
        width=width,
        top=before[0],
        bottom=after[0],
        left=before[1],
        right=after[1],
        zero_point=border,
    )


def _convolve(view: Weighted, image: _Image, part: Part, result: ir.Value, emit: Emit) -> ir.Value:
    """The result with the part's blocks computed."""
    fold = folded(view)
    rescale, clamp = view.epilogue.rescale, view.epilogue.clamp
    assert rescale is not None
    is_depthwise = constants.is_depthwise(view)
    low, high = (_LEAST, _MOST) if clamp is None else (int(clamp.low), int(clamp.high))
    source = cut(image.value, part) if is_depthwise else image.value
    x_blocks, x_height, x_width, _ = fused.shape_of(source)
    _, y_height, y_width, _ = fused.shape_of(result)
    own = slice(part.start, part.end)
    computed = emit.call(
        "conv2d",
        source,
        emit.constant(constants.weights(view, fold)[own], like=view.weights),
        emit.constant(constants.table(view)[own], like=view.bias),
        out=cut(result, part),
        x_blocks=x_blocks,
        x_height=x_height,
        x_width=x_width,
        y_blocks=part.blocks,
        y_height=y_height,
        y_width=y_width,
        kernel_height=fold.kernel[0],
        kernel_width=fold.kernel[1],
        stride_y=fold.stride[0],
        stride_x=fold.stride[1],
        top=image.top,
        left=image.left,
        depthwise=int(is_depthwise),
        x_zero_point=view.source_zero_point,
        y_zero_point=rescale.output_zero_point,
        low=max(low, _LEAST),
        high=min(high, _MOST),
    )
    return put(computed, result, part)
