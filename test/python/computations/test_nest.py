"""Loop nests of computations: dimensions in blocks, windows, and the scalars of tiles."""

from __future__ import annotations

from forebay.computations.convolution import Int8Convolution
from forebay.computations.fully_connected import Int8FullyConnected
from forebay.computations.layout import OperandLayout
from forebay.computations.nest import ComputedNest
from forebay.regions import Box, input_regions


def nest_of(computation, scalars, reads, **layouts: str) -> ComputedNest:
    """The nest of an operator with the result `y`."""
    known = {
        name: OperandLayout.of(layouts[name], axes)
        if name in layouts
        else OperandLayout.dense(axes)
        for name, axes in computation.axes.items()
    }
    return ComputedNest(computation, known, scalars, reads, ["y"])


PRODUCT = {"rows": 3, "depth": 20, "columns": 32}
CONVOLUTION = {
    **{"height": 9, "width": 8, "depth": 4, "y_height": 5, "y_width": 8, "y_depth": 6},
    **{"kernel_height": 3, "kernel_width": 3, "stride_y": 2, "stride_x": 1, "top": 1, "left": 1},
}


def test_a_product() -> None:
    nest = nest_of(Int8FullyConnected(), PRODUCT, ["x", "weights", "bias"]).nest
    assert (nest.parallel, nest.reduction) == ((3, 32), (20,))
    assert [access.shape for access in nest.inputs] == [(3, 20), (32, 20), (32,)]
    assert [access.bits for access in nest.inputs] == [8, 8, 32]
    tile = Box.at((1, 8, 0), (1, 16, 20))
    assert [r.box.spans[0].start for r in input_regions(nest, tile)] == [1, 8, 8]


def test_a_dimension_in_blocks_is_two() -> None:
    computed = nest_of(
        Int8FullyConnected(), PRODUCT, ["x", "weights"], weights="columns/16 depth columns%16"
    )
    assert (computed.nest.parallel, computed.nest.reduction) == ((3, 2, 16), (20,))
    assert [(d.name, d.is_inside) for d in computed.dimensions] == [
        ("rows", False),
        ("columns", False),
        ("columns", True),
        ("depth", False),
    ]
    _, weights = input_regions(computed.nest, Box.at((0, 1, 0, 0), (3, 1, 16, 20)))
    assert weights.box.sizes == (1, 20, 16)
    scalars = computed.tile_scalars((3, 1, 16, 20))
    assert (scalars["rows"], scalars["columns"], scalars["depth"]) == (3, 16, 20)


def test_the_scalars_of_a_tile_of_a_convolution() -> None:
    """Rows 2 and 3 of the result read rows 3 to 7; the first row reads one of padding."""
    computed = nest_of(Int8Convolution(), CONVOLUTION, ["x", "weights"])
    kernel = (3, 3, 4)
    for first, size, expected in ((0, 1, (2, 1)), (2, 2, (5, 0)), (4, 1, (2, 0))):
        tile = Box.at((first, 0, 0, 0, 0, 0), (size, 8, 6, *kernel))
        regions = dict(zip(computed.reads, input_regions(computed.nest, tile), strict=True))
        scalars = computed.tile_scalars(tile.sizes, regions)
        assert (scalars["height"], scalars["top"]) == expected
        assert (scalars["width"], scalars["left"]) == (8, 1)
        assert scalars["y_height"] == size


def test_the_scalars_of_a_tile_that_no_border_cuts() -> None:
    computed = nest_of(Int8Convolution(), CONVOLUTION, ["x", "weights"])
    scalars = computed.tile_scalars((2, 4, 6, 3, 3, 4))
    assert (scalars["height"], scalars["width"], scalars["y_width"]) == (5, 6, 4)
