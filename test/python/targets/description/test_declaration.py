"""Mistakes in declared intrinsics are reported at their lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from forebay.api.target import (
    Device,
    Int8Convolution,
    Int8FullyConnected,
    Intrinsic,
    Operand,
    Pool,
    Target,
    TargetError,
    TileLimit,
)


def declared(names: str = "x weights bias y", **changed) -> Intrinsic:
    """A fully connected layer with these operands."""
    operands = tuple(Operand(name, "out" if name == "y" else "in") for name in names.split())
    return Intrinsic("fc", "npu_fc", operands, computes=Int8FullyConnected(), **changed)


def test_operands_and_scalars_are_those_of_the_computation() -> None:
    usual = Intrinsic("fc", "npu_fc", computes=Int8FullyConnected(), alignment=16)
    assert [(o.name, o.access, o.alignment) for o in usual.operands] == [
        ("x", "in", 16),
        ("weights", "in", 16),
        ("bias", "in", 16),
        ("y", "out", 16),
    ]
    assert {"rows", "multiplier", "shift"} < set(usual.scalars)
    tables = declared("x weights bias multipliers shifts y")
    assert not {"multiplier", "shift"} & set(tables.scalars)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: declared("x weights bias y z"), "has the operand 'z', but the operands of"),
        (lambda: declared("weights bias y"), "lacks the operand 'x' of a fully connected layer"),
        (lambda: declared("x weights bias"), "writes no operand; a call writes its result or"),
        (
            lambda: declared(scalars=("depth", "columns", "width")),
            "has the scalar 'width', but the scalars of a fully connected layer are rows, depth",
        ),
        (lambda: declared(scalars=("depth",)), "lacks the scalar 'columns' of a fully connected"),
        (
            lambda: declared(layouts={"z": "depth"}),
            "has the layout of 'z', which is none of its operands x, weights, bias, y",
        ),
        (
            lambda: declared(layouts={"x": "rows"}),
            "has the layout 'rows' of 'x': axis 'depth' must be there once",
        ),
        (
            lambda: declared(
                layouts={"x": "depth/4 rows depth%4", "weights": "depth/8 columns depth%8"}
            ),
            "has layouts that do not fit to each other: axis 'depth' has blocks of 4 and of 8",
        ),
        (lambda: declared(limits={"width": TileLimit()}), "limits 'width', which is no dimension"),
        (lambda: declared(limits={"rows": range(4)}), "its limit is a TileLimit"),
        (
            lambda: declared(limits={"x_zero_point": TileLimit()}),
            "its limit is the values that it may have",
        ),
        (
            lambda: declared(
                layouts={"weights": "columns/16 depth columns%16"},
                limits={"columns": TileLimit(multiple=24)},
            ),
            "which does not fit to its blocks of 16",
        ),
    ],
)  # fmt: skip
def test_mistakes(make, message: str) -> None:
    with pytest.raises(TargetError, match=message) as caught:
        make()
    assert Path(str(caught.value).split(":")[0]).name == "test_declaration.py"


def test_an_operand_that_is_written_but_is_an_input() -> None:
    operands = (Operand("x", "out"), Operand("weights", "in"), Operand("y", "out"))
    with pytest.raises(TargetError, match="has 'x' with access 'out', but it is 'in'"):
        Intrinsic("fc", "npu_fc", operands, computes=Int8FullyConnected())


def test_an_axis_along_which_a_window_slides_has_no_blocks() -> None:
    layouts = {"x": "height/4 width depth height%4"}
    with pytest.raises(TargetError, match="in blocks along 'height', where a window slides"):
        Intrinsic("conv", "npu_conv", computes=Int8Convolution(), layouts=layouts)


def machine(*intrinsics: Intrinsic) -> Target:
    """A machine with a memory that nothing moves to, and one of the host."""
    return Target(
        "machine",
        devices=(
            Device("cpu", kind="cpu", host=True),
            Device("npu", kind="npu", intrinsics=intrinsics),
        ),
        pools=(
            Pool("sram", "workspace", readers=("cpu", "npu"), writers=("cpu", "npu")),
            Pool("spad", "workspace", local=True, base=0, readers=("npu",), writers=("npu",)),
            Pool("rom", "constant", readers=("cpu", "npu")),
        ),
    )


def test_an_operand_that_nothing_moves_to_its_pool() -> None:
    with pytest.raises(TargetError, match="no transfer of 'npu' moves the operand 'x' to spad"):
        machine(declared(pools={"all": "spad"}))
    machine(declared())


def test_two_intrinsics_of_one_computation_object() -> None:
    fc = Int8FullyConnected()
    one = Intrinsic("fc", "npu_fc", computes=fc)
    with pytest.raises(TargetError, match="'other' and 'fc' compute the whole reduction of one"):
        machine(one, Intrinsic("other", "npu_other", computes=fc))
    machine(one, Intrinsic("other", "npu_other", computes=Int8FullyConnected()))


def test_parts_of_a_reduction_are_complete() -> None:
    fc = Int8FullyConnected()
    names = ("x", "weights", "bias")
    first = Intrinsic(
        "begin",
        "npu_begin",
        (*(Operand(name, "in") for name in names), Operand("sums", "out")),
        computes=fc,
    )
    with pytest.raises(
        TargetError,
        match="'fc' computes the whole reduction of a fully connected layer, but no intrinsic of "
        "'npu' with the same computation object computes a part between and the last part",
    ):
        machine(Intrinsic("fc", "npu_fc", computes=fc), first)
