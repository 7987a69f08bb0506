"""Sliding windows over height and width, and the padding and cropping in front of them."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import tosa
from msgspec import Struct
from msgspec.structs import replace

from forebay.ir.epilogue import only_user
from forebay.ir.tosa_constants import elements_of, i64_array, shape_operand

Pair = tuple[int, ...]
"""A pair for height and width."""


class Window(Struct, frozen=True):
    """A sliding window.

    Window `y` reads the rows `y * stride - before + k * dilation` for `k` in `[0, kernel)`.
    `before` and `after` are padding. Negative values are rows that no window reads:

        rows 0 1 2 3 4 5 6 7    kernel 1, stride 2, after -1: the last window reads row 6
             ^   ^   ^   ^
    """

    kernel: Pair
    stride: Pair = (1, 1)
    dilation: Pair = (1, 1)
    before: Pair = (0, 0)
    after: Pair = (0, 0)

    @staticmethod
    def of(op: Any, kernel: Pair, *, dilation: Pair = (1, 1)) -> Window:
        """Return the window of a TOSA op, whose `pad` is top, bottom, left, right."""
        top, bottom, left, right = i64_array(op.pad)
        return Window(kernel, i64_array(op.stride), dilation, (top, left), (bottom, right))


class WindowView(Struct, frozen=True, eq=False):
    """A window on a value, and the ops between value and root that the window replaces."""

    window: Window
    source: ir.Value
    absorbed: tuple[ir.OpView, ...] = ()


def look_through(source: ir.Value, window: Window, *, padding: int | None = None) -> WindowView:
    """Return the window on the value before crops of `source` and pads with the value `padding`."""
    view = WindowView(window, source)
    while (further := _step(view, padding)) is not None:
        view = further
    return view


def _step(view: WindowView, padding: int | None) -> WindowView | None:
    producer = view.source.owner
    if isinstance(producer, tosa.SliceOp):
        window = _before_slice(producer, view.window)
    elif isinstance(producer, tosa.PadOp) and only_user(producer) and padding is not None:
        window = _before_pad(producer, view.window, padding)
    else:
        return None
    if window is None:
        return None
    absorbed = (producer, *view.absorbed) if only_user(producer) else view.absorbed
    return WindowView(window, producer.operation.operands[0], absorbed)


def _before_slice(op: tosa.SliceOp, window: Window) -> Window | None:
    """Return the window on the uncropped value, or None where padding lies next to a crop."""
    start, size = shape_operand(op.start), shape_operand(op.size)
    whole = tuple(ir.RankedTensorType(op.input1.type).shape)
    if start is None or size is None or len(whole) != 4:
        return None
    cut = [(s, w - s - n) for s, n, w in zip(start, size, whole, strict=True)]
    if cut[0] != (0, 0) or cut[3] != (0, 0):
        return None
    rows, columns = cut[1:3]
    cut_before, cut_after = (rows[0], columns[0]), (rows[1], columns[1])
    if any(c > 0 and p > 0 for c, p in zip(cut_before, window.before, strict=True)):
        return None
    if any(c > 0 and p > 0 for c, p in zip(cut_after, window.after, strict=True)):
        return None
    return replace(
        window,
        before=_plus(window.before, (-cut_before[0], -cut_before[1])),
        after=_plus(window.after, (-cut_after[0], -cut_after[1])),
    )


def _before_pad(op: tosa.PadOp, window: Window, padding: int) -> Window | None:
    """Return the window on the unpadded value, or None if not only rows and columns were padded."""
    amounts, value = shape_operand(op.padding), elements_of(op.pad_const)
    if amounts is None or len(amounts) != 8 or value is None or value.flat[0] != padding:
        return None
    if any(amounts[:2]) or any(amounts[6:]):
        return None
    return replace(
        window,
        before=_plus(window.before, (amounts[2], amounts[4])),
        after=_plus(window.after, (amounts[3], amounts[5])),
    )


def _plus(a: Pair, b: Pair) -> Pair:
    return tuple(x + y for x, y in zip(a, b, strict=True))
