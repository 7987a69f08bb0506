"""Views: rows, columns, and reshaped buffers."""

from __future__ import annotations

from dataclasses import replace

from fuzz.programs.draw.drawing import CONSTANTS, Block, Drawing
from fuzz.programs.values import Memref


def view(draw: Drawing, block: Block) -> None:
    value = draw.any(block, wanted=lambda v: v.rows > 1)
    if value is None:
        return
    kinds = [_rows]
    if not value.is_local:
        kinds += [_rows_at_number, _rows_at_number]
        kinds += [_columns] * (value.columns > 16)
    if value.is_plain:
        kinds += [_reinterpret, _reshape]
    view = draw.random.choice(kinds)(draw, block, value)
    if view is not None:
        block.values.append(view)


def _rows(draw: Drawing, _: Block, value: Memref) -> Memref | None:
    rows = draw.random.choice([r for r in (1, 2, 4) if r < value.rows])
    first = draw.random.randint(0, value.rows - rows)
    if value.offset is None and value.is_local:
        return None
    offset = None if value.offset is None else value.offset + first * value.stride
    view = value.view(draw.new(), (rows, value.columns), value.stride, offset)
    return subview(draw, value, view, f"{first}, 0")


def _rows_at_number(draw: Drawing, block: Block, value: Memref) -> Memref | None:
    """Rows that begin at a number, or at twice or four times as many."""
    rows = draw.random.choice([r for r in (1, 2, 4) if r < value.rows])
    factor = draw.random.choice([1, 1, rows])
    fitting = [n for n in block.numbers[CONSTANTS:] if n.most * factor + rows <= value.rows]
    if not fitting:
        return None
    at = draw.random.choice(fitting).name
    if factor > 1:
        scaled = draw.new()
        constant = draw.new()
        draw.emit(f"{constant} = arith.constant {factor} : index")
        draw.emit(f"{scaled} = arith.muli {at}, {constant} : index")
        at = scaled
    view = value.view(draw.new(), (rows, value.columns), value.stride, None)
    return subview(draw, value, view, f"{at}, 0")


def _columns(draw: Drawing, _: Block, value: Memref) -> Memref | None:
    first = draw.random.choice((0, 0, 3, 16))
    offset = None if value.offset is None else value.offset + first
    view = value.view(draw.new(), (value.rows, 16), value.stride, offset)
    return subview(draw, value, view, f"0, {first}")


def subview(draw: Drawing, value: Memref, view: Memref, offsets: str) -> Memref:
    sizes = f"{view.rows}, {view.columns}"
    draw.emit(
        f"{view.name} = memref.subview {value.name}[{offsets}] [{sizes}] [1, 1] : "
        f"{value.type} to {view.type}"
    )
    return view


def _reinterpret(draw: Drawing, _: Block, value: Memref) -> Memref | None:
    rows = draw.random.choice([r for r in (1, 2, 4) if r < value.rows])
    columns = 16
    stride = draw.random.choice([16, 32] if rows * 32 <= value.rows * value.columns else [16])
    last = value.rows * value.columns - (rows - 1) * stride - columns
    offset = draw.random.choice(range(0, last + 1, 16))
    view = value.view(draw.new(), (rows, columns), stride, offset)
    draw.emit(
        f"{view.name} = memref.reinterpret_cast {value.name} to offset: [{offset}], sizes: "
        f"[{rows}, {columns}], strides: [{stride}, 1] : {value.type} to {view.type}"
    )
    return view


def _reshape(draw: Drawing, _: Block, value: Memref) -> Memref | None:
    """Flat, and then in rows again, maybe others."""
    size = value.rows * value.columns
    flat = draw.new()
    space = "" if value.pool is None else f", #memref_pool.space<@{value.pool}>"
    flat_type = f"memref<{size}xi8{space}>"
    draw.emit(
        f"{flat} = memref.collapse_shape {value.name} [[0, 1]] : {value.type} into {flat_type}"
    )
    view = replace(value, name=draw.new(), rows=size // 16, columns=16, stride=16, is_plain=True)
    shape = f"[{view.rows}, {view.columns}]"
    draw.emit(
        f"{view.name} = memref.expand_shape {flat} [[0, 1]] output_shape {shape} : "
        f"{flat_type} into {view.type}"
    )
    return view
