"""The driver's functions, instruction by instruction through the strict interpreter."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest
from common.drivers.gemmini_process import GemminiProcess, build_driver
from common.oracles import numpy_kernels

from forebay.isa.gemmini.geometry import GemminiGeometry

ACCUMULATOR = 0x8000_0000
UNUSED = 0x55
"""Fills memory that nothing may write."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_driver(tmp_path_factory.mktemp("driver"))


@pytest.fixture(params=[False, True], ids=["early", "late"])
def gemmini(library: Path, request: pytest.FixtureRequest) -> GemminiProcess:
    process = GemminiProcess(library, late=request.param)
    process.call("gemmini_reset")
    return process


def pointer(address: int) -> ctypes.c_void_p:
    return ctypes.c_void_p(address)


def blocked(image: np.ndarray) -> np.ndarray:
    """[rows][columns][channels] as [blocks][rows][columns][16], zeros in unused lanes."""
    filled = np.pad(image, ((0, 0), (0, 0), (0, -image.shape[2] % 16)))
    return filled.reshape(*image.shape[:2], -1, 16).transpose(2, 0, 1, 3)


def load(
    gemmini: GemminiProcess, image: np.ndarray, window: tuple[slice, slice, slice], pads, tile: int
) -> None:
    rows, columns, channels = (range(n)[s] for n, s in zip(image.shape, window, strict=True))
    border = gemmini.place(np.full(64, -77, np.int8), 0)
    first = (rows.start * image.shape[1] + columns.start) * image.shape[2] + channels.start
    address = gemmini.place(image, 64) + first
    gemmini.call(
        "gemmini_load_image",
        pointer(address),
        pointer(border),
        tile,
        *(image.shape[1], image.shape[2]),
        *(len(rows), len(columns), len(channels), *pads),
    )


@pytest.mark.parametrize(
    ("shape", "window", "pads"),
    [
        ((9, 8, 3), np.s_[:, :, :], (1, 1, 1, 1)),
        ((5, 7, 80), np.s_[1:4, 2:7, 16:75], (0, 1, 0, 2)),
        ((3, 3, 40), np.s_[:, :, :], (0, 0, 0, 0)),
        ((20, 17, 33), np.s_[3:20, :, :], (0, 2, 3, 0)),
        ((4, 40, 16), np.s_[:, :, :], (0, 0, 0, 0)),
        ((4, 5, 20), np.s_[2:2, :, :], (2, 1, 0, 0)),
        ((2, 1, 200), np.s_[:, :, 32:], (1, 0, 0, 0)),
    ],
)
def test_a_window_is_in_blocks_with_its_border(gemmini: GemminiProcess, shape, window, pads):
    image = np.random.default_rng(1).integers(-128, 128, shape).astype(np.int8)
    load(gemmini, image, window, pads, 5)
    top, bottom, left, right = pads
    part = image[window]
    expected = np.pad(part, ((top, bottom), (left, right), (0, 0)), constant_values=-77)
    gemmini.fence()
    found = gemmini.state.scratchpad
    blocks = blocked(expected)
    count = blocks.size // 16
    lanes = blocked(np.ones(expected.shape, np.bool_)).reshape(-1, 16)
    np.testing.assert_array_equal(found.written[5 : 5 + count], lanes)
    np.testing.assert_array_equal(found.data[5 : 5 + count][lanes], blocks.reshape(-1, 16)[lanes])
    assert not found.written[:5].any()
    assert not found.written[5 + count :].any()


CONVOLUTIONS = {
    "one block": {"shape": (6, 5, 16), "channels": 16},
    "remainders": {"shape": (9, 8, 19), "channels": 21, "pads": (1, 1, 1, 1)},
    "stride": {"shape": (9, 20, 3), "channels": 5, "stride": (2, 2), "pads": (1, 0, 1, 1)},
    "dilation": {"shape": (9, 8, 17), "channels": 3, "dilation": (2, 3), "pads": (2, 2, 3, 3)},
    "pointwise": {"shape": (50, 1, 40), "channels": 33, "kernel": (1, 1)},
    "rows with a step": {"shape": (7, 4, 8), "channels": 8, "kernel": (1, 1), "stride": (2, 1)},
    "depthwise": {"shape": (7, 6, 21), "channels": 21, "depthwise": True, "pads": (1, 1, 1, 1)},
}


@pytest.mark.parametrize("steps", [0, 1, 4, 100], ids=lambda steps: f"steps{steps}")
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_a_convolution_adds_to_the_bias(gemmini: GemminiProcess, name: str, steps: int) -> None:
    given = {
        "kernel": (3, 3),
        "stride": (1, 1),
        "dilation": (1, 1),
        "pads": (0, 0, 0, 0),
        "depthwise": False,
        **CONVOLUTIONS[name],
    }
    rng = np.random.default_rng(2)
    image = rng.integers(-128, 128, given["shape"]).astype(np.int8)
    depth, channels, depthwise = given["shape"][2], given["channels"], given["depthwise"]
    inputs = 1 if depthwise else depth
    # Small weights, so that long sums in the array stay within its 20 bits.
    weights = rng.integers(-3, 4, (channels, *given["kernel"], inputs)).astype(np.int8)
    bias = rng.integers(-9999, 9999, channels).astype(np.int32)
    top, bottom, left, right = given["pads"]
    padded = np.pad(image, ((top, bottom), (left, right), (0, 0)), constant_values=-77)
    wide = {"stride": given["stride"], "dilation": given["dilation"]}
    source = padded[None].astype(np.int64)
    if depthwise:
        products = numpy_kernels.depthwise(source, weights.transpose(1, 2, 0, 3), **wide)[0]
    else:
        products = numpy_kernels.convolution(source, weights.astype(np.int64), **wide)[0]
    rows, columns, _ = products.shape

    matrices = matrices_of(weights, depthwise=depthwise)
    load(gemmini, image, np.s_[:, :, :], given["pads"], 0)
    start = -(-depth // 16) * padded.shape[0] * padded.shape[1]
    blocks = gemmini.place(matrices, 0x20000)
    gemmini.call("gemmini_load_weights", pointer(blocks), start, 1, 0, 0, matrices.size)
    biases = gemmini.place(bias, 0)
    gemmini.call("gemmini_load_bias", pointer(biases), ACCUMULATOR + 3, rows * columns, channels)
    gemmini.call(
        "gemmini_convolve",
        *(0, start, ctypes.c_uint32(ACCUMULATOR + 3)),
        *(padded.shape[0] * padded.shape[1], padded.shape[1], 0),
        *(matrices.size // matrices.shape[0] // 16, 0, 16, rows, columns, channels, depth),
        *(*given["kernel"], *given["stride"], *given["dilation"], int(depthwise), steps),
    )
    sums = np.zeros((rows * columns, channels), np.int32)
    target = gemmini.place(sums, 0x10000)
    gemmini.call(
        "gemmini_store_sums",
        *(ctypes.c_uint32(ACCUMULATOR + 3), pointer(target), rows * columns, channels),
    )
    found = gemmini.read(target, sums).reshape(rows, columns, channels)
    np.testing.assert_array_equal(found, products + bias)
    # The stream uses each preload once.
    counts = gemmini.counts
    assert counts["Preload"] == counts["ComputePreloaded"] + counts["ComputeAccumulated"]
    assert counts["ConfigEx"] == 1


def matrices_of(weights: np.ndarray, *, depthwise: bool) -> np.ndarray:
    """[out blocks][in blocks][ky][kx][16 inputs][16 outputs] of OHWI, element by element."""
    outputs, height, width, inputs = weights.shape
    blocks = (-(-outputs // 16), 1 if depthwise else -(-inputs // 16))
    made = np.zeros((*blocks, height, width, 16, 16), np.int8)
    for out, ky, kx, depth in np.ndindex(*weights.shape):
        row = out % 16 if depthwise else depth % 16
        made[out // 16, depth // 16, ky, kx, row, out % 16] = weights[out, ky, kx, depth]
    return made


def set_sums(gemmini: GemminiProcess, sums: np.ndarray) -> None:
    """Move sums [rows][columns][channels] to the accumulator, pixel by pixel."""
    rows, columns, channels = sums.shape
    for pixel in range(rows * columns):
        bias = gemmini.place(sums.reshape(-1, channels)[pixel], 0x8000)
        for block in range(0, channels, 16):
            count = min(16, channels - block)
            at = ctypes.c_uint32(ACCUMULATOR + block // 16 * rows * columns + pixel)
            gemmini.call("gemmini_load_bias", pointer(bias + 4 * block), at, 1, count)
        gemmini.fence()  # before the next pixel is placed there


def scaled(sums: np.ndarray, scale: np.float32) -> np.ndarray:
    return np.clip(np.rint(sums.astype(np.float32) * scale), -128, 127).astype(np.int8)


def test_scaled_sums_are_int8(gemmini: GemminiProcess) -> None:
    rng = np.random.default_rng(3)
    sums = rng.integers(-9000, 9000, (3, 7, 20)).astype(np.int32)
    scale = np.float32(0.0173)
    image = np.full((3, 7, 20), UNUSED, np.int8)
    set_sums(gemmini, sums)
    target = gemmini.place(image, 0x10000)
    gemmini.call(
        "gemmini_store_scaled",
        *(ctypes.c_uint32(ACCUMULATOR), pointer(target), 21, 20, int(scale.view(np.int32))),
    )
    np.testing.assert_array_equal(gemmini.read(target, image), scaled(sums, scale))


@pytest.mark.parametrize(("window", "stride"), [(2, 2), (3, 1), (3, 2)])
def test_pooled_sums_are_maxima(gemmini: GemminiProcess, window: int, stride: int) -> None:
    rng = np.random.default_rng(4)
    sums = rng.integers(-9000, 9000, (7, 9, 20)).astype(np.int32)
    scale = np.float32(0.0173)
    set_sums(gemmini, sums)
    rows, columns = (7 - window) // stride + 1, (9 - window) // stride + 1
    pooled = np.full((rows, columns, 20), UNUSED, np.int8)
    target = gemmini.place(pooled, 0x10000)
    gemmini.call(
        "gemmini_store_pooled",
        *(ctypes.c_uint32(ACCUMULATOR), pointer(target), 7, 9, 20, window, stride),
        int(scale.view(np.int32)),
    )
    values = scaled(sums, scale)
    for y, x in np.ndindex(rows, columns):
        seen = values[y * stride : y * stride + window, x * stride : x * stride + window]
        pooled[y, x] = seen.max(axis=(0, 1))
    np.testing.assert_array_equal(gemmini.read(target, pooled), pooled)


def test_pieces_of_weights_keep_their_strides(gemmini: GemminiProcess) -> None:
    data = np.arange(4 * 512, dtype=np.uint16).astype(np.int8)
    source = gemmini.place(data, 0)
    gemmini.call("gemmini_load_weights", pointer(source + 256), 10, 3, 512, 20, 256)
    assert gemmini.counts["Fence"] == 0
    gemmini.fence()
    for piece in range(3):
        at = 256 + 512 * piece
        found = gemmini.state.scratchpad.data[10 + 20 * piece :][:16].reshape(-1)
        np.testing.assert_array_equal(found, data[at : at + 256])
    assert not gemmini.state.scratchpad.written[26:30].any()


def test_configurations_are_sent_when_they_change(library: Path) -> None:
    gemmini = GemminiProcess(library, GemminiGeometry())
    gemmini.call("gemmini_reset")
    image = np.zeros((2, 2, 16), np.int8)
    for _ in range(3):
        load(gemmini, image, np.s_[:, :, :], (0, 0, 0, 0), 0)
    assert gemmini.counts == {"Flush": 1, "ConfigLd": 1, "Mvin": 3, "Fence": 3}
    gemmini.call("gemmini_reset")
    load(gemmini, image, np.s_[:, :, :], (0, 0, 0, 0), 0)
    assert (gemmini.counts["Flush"], gemmini.counts["ConfigLd"]) == (2, 2)


def start_convolution(gemmini: GemminiProcess, image: int) -> int:
    """Start a product of 64 pixels with a block of weights at row 512, after its operands."""
    return gemmini.call(
        "gemmini_convolve_start",
        *(image, 512, ctypes.c_uint32(ACCUMULATOR), 64, 8, 0, 16, 0, 16, 8, 8, 16, 16),
        *(1, 1, 1, 1, 1, 1, 0, 0),
    )


def start_image(gemmini: GemminiProcess, address: int, tile: int) -> int:
    """Start the move of 8 x 8 pixels of 16 channels."""
    return gemmini.call(
        "gemmini_load_image_start",
        *(pointer(address), pointer(address), tile, 8, 16, 8, 8, 16, 0, 0, 0, 0),
    )


def prepared(gemmini: GemminiProcess) -> int:
    """Load an image, weights and sums; return the address of an image."""
    image = gemmini.place(np.ones((64, 16), np.int8), 0)
    gemmini.call("gemmini_load_weights", pointer(image), 512, 1, 0, 0, 256)
    gemmini.call("gemmini_load_bias", pointer(image), ctypes.c_uint32(ACCUMULATOR), 64, 16)
    gemmini.call(
        "gemmini_load_image", pointer(image), pointer(image), 0, *(8, 16, 8, 8, 16), *[0] * 4
    )
    return image


def test_loads_are_issued_between_products(library: Path) -> None:
    gemmini = GemminiProcess(library)
    gemmini.call("gemmini_reset")
    image = prepared(gemmini)
    before = len(gemmini.stream)
    products = start_convolution(gemmini, 0)
    start_image(gemmini, image, 64)
    assert len(gemmini.stream) == before, "a started operation waits for its turn"
    gemmini.call("gemmini_execute_wait", products)
    kinds = "".join(KINDS.get(funct, "") for funct, _, _ in gemmini.stream[before:])
    kinds = kinds.replace("pc", "P")
    assert sorted(kinds) == sorted("PPPPmmmmf")
    assert kinds.startswith("P") and kinds.endswith("f") and "mmm" not in kinds, kinds


KINDS = {6: "p", 4: "c", 5: "c", 2: "m", 3: "s", -1: "f"}


@pytest.mark.parametrize("apart", [0, 4096], ids=["same bytes", "other bytes"])
def test_a_load_of_stored_bytes_is_behind_a_fence(library: Path, apart: int) -> None:
    """Gemmini orders what uses the same local rows, but does not compare main memory."""
    gemmini = GemminiProcess(library, late=True)
    gemmini.call("gemmini_reset")
    prepared(gemmini)
    products = start_convolution(gemmini, 0)
    gemmini.call("gemmini_store_after", products)
    target = gemmini.place(np.zeros((64, 16), np.int8), 0x8000)
    stored = gemmini.call(
        "gemmini_store_scaled_start",
        *(ctypes.c_uint32(ACCUMULATOR), pointer(target), 64, 16, int(np.float32(1).view(np.int32))),
    )
    gemmini.call("gemmini_load_after", stored)
    before = len(gemmini.stream)
    loaded = start_image(gemmini, target + apart, 64)
    gemmini.call("gemmini_execute_after", loaded)
    products = start_convolution(gemmini, 64)
    gemmini.call("gemmini_load_wait", loaded)
    words = [funct for funct, _, _ in gemmini.stream[before:]]
    between = words[len(words) - words[::-1].index(3) : words.index(2)]
    assert between.count(-1) == (apart == 0)
    gemmini.call("gemmini_execute_wait", products)
    gemmini.call("gemmini_store_wait", stored)


def test_more_operations_than_a_queue_remembers(library: Path) -> None:
    gemmini = GemminiProcess(library, late=True)
    gemmini.call("gemmini_reset")
    image = prepared(gemmini)
    tickets = [start_image(gemmini, image, 64 * (i % 4)) for i in range(300)]
    assert len(set(tickets)) == 300
    gemmini.call("gemmini_load_wait", tickets[-1])
    assert gemmini.counts["Mvin"] + gemmini.counts["Fence"] >= 4 * 301
