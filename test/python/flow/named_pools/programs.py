"""Programs on the machine: one layer, two in a row, and values that two users want elsewhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .machine import Machine, border, convolve, dense

FIRST = np.random.default_rng(1).integers(-128, 128, (8, 3, 3, 4), dtype=np.int8)
SECOND = np.random.default_rng(2).integers(-128, 128, (8, 3, 3, 8), dtype=np.int8)


def image() -> NDArray[np.int8]:
    """What the application gives: 3 channels of 32 x 32."""
    return np.random.default_rng(3).integers(-128, 128, 3072, dtype=np.int8)


def expected_layer(data: NDArray[np.int8]) -> NDArray[np.int8]:
    """The first five channels of the convolution, channel by channel."""
    return convolve(border(_padded(data)), FIRST)[..., :5].transpose(2, 0, 1).reshape(-1)


def expected_two_layers(data: NDArray[np.int8]) -> NDArray[np.int8]:
    """The convolution of the convolution."""
    return convolve(convolve(border(_padded(data)), FIRST), SECOND)


def expected_round_trip(data: NDArray[np.int8]) -> NDArray[np.int8]:
    """The convolution, fetched again with a border, convolved again."""
    return convolve(border(convolve(border(_padded(data)), FIRST)), SECOND)


def expected_two_users(data: NDArray[np.int8]) -> NDArray[np.int8]:
    """One image fetched and convolved, and convolved as it is: the larger of the two inside."""
    padded = _padded(data)
    fetched, direct = convolve(border(padded), FIRST), convolve(padded, FIRST)
    return np.maximum(fetched[1:-1, 1:-1], direct)


def layer(machine: Machine, *, inlined: bool = False) -> str:
    """Layout transform, fetch and convolution, layout transform and slice."""
    m = machine
    calls = f"""
  %fetched_empty = tensor.empty() : tensor<34x34x4xi8>
  %fetched = accel.call @{m.device}.input_fetcher ins(%sid_1 : tensor<32x32x4xi8>)
    outs(%fetched_empty : tensor<34x34x4xi8>)
    config {{height = 32, width = 32, channels = 4}} -> tensor<34x34x4xi8>
  %y_empty = tensor.empty() : tensor<32x32x8xi8>
  %sid_3 = accel.call @{m.device}.conv2d
    ins(%fetched, %weights : tensor<34x34x4xi8>, tensor<288xi8>)
    outs(%y_empty : tensor<32x32x8xi8>)
    config {{height = 32, width = 32, channels_in = 4, channels_out = 8}} -> tensor<32x32x8xi8>
"""
    call = """
  %sid_3 = func.call @accel_main_0(%sid_1, %weights)
    : (tensor<32x32x4xi8>, tensor<288xi8>) -> tensor<32x32x8xi8>
"""
    function = f"""
func.func private @accel_main_0(%sid_1: tensor<32x32x4xi8>, %weights: tensor<288xi8>)
    -> tensor<32x32x8xi8> attributes {{accel.on = @{m.device}}} {{
{calls}
  return %sid_3 : tensor<32x32x8xi8>
}}
"""
    return f"""
{m.text()}
{_NHWC}
{_main(5120)}
{_CHANNELS_LAST}
  %weights = arith.constant {dense(FIRST)} : tensor<288xi8>
{calls if inlined else call}
{_FIRST_FIVE}
}}
{"" if inlined else function}
"""


def two_layers(machine: Machine) -> str:
    """The second convolution reads what the first one wrote."""
    return f"""
{machine.text()}
{_NHWC}
func.func @main(%data: tensor<3072xi8>) -> tensor<30x30x8xi8> {{
{_CHANNELS_LAST}
{_fetched_and_convolved(machine)}
  %second = arith.constant {dense(SECOND)} : tensor<576xi8>
  %z_empty = tensor.empty() : tensor<30x30x8xi8>
  %z = accel.call @{machine.device}.conv2d ins(%y, %second : tensor<32x32x8xi8>, tensor<576xi8>)
    outs(%z_empty : tensor<30x30x8xi8>)
    config {{height = 30, width = 30, channels_in = 8, channels_out = 8}} -> tensor<30x30x8xi8>
  return %z : tensor<30x30x8xi8>
}}
"""


def round_trip(machine: Machine) -> str:
    """The fetcher wants in `l2_mem` what the convolution writes to `act_mem`."""
    return f"""
{machine.text()}
{_NHWC}
func.func @main(%data: tensor<3072xi8>) -> tensor<32x32x8xi8> {{
{_CHANNELS_LAST}
{_fetched_and_convolved(machine)}
  %second = arith.constant {dense(SECOND)} : tensor<576xi8>
  %again_empty = tensor.empty() : tensor<34x34x8xi8>
  %again = accel.call @{machine.device}.input_fetcher ins(%y : tensor<32x32x8xi8>)
    outs(%again_empty : tensor<34x34x8xi8>)
    config {{height = 32, width = 32, channels = 8}} -> tensor<34x34x8xi8>
  %z_empty = tensor.empty() : tensor<32x32x8xi8>
  %z = accel.call @{machine.device}.conv2d ins(%again, %second : tensor<34x34x8xi8>, tensor<576xi8>)
    outs(%z_empty : tensor<32x32x8xi8>)
    config {{height = 32, width = 32, channels_in = 8, channels_out = 8}} -> tensor<32x32x8xi8>
  return %z : tensor<32x32x8xi8>
}}
"""


def two_users(machine: Machine) -> str:
    """One value that the fetcher wants in `l2_mem` and a convolution in `act_mem`."""
    return f"""
{machine.text()}
{_NHWC}
#same = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @main(%data: tensor<3072xi8>) -> tensor<30x30x8xi8> {{
{_CHANNELS_LAST}
{_fetched_and_convolved(machine)}
  %d_empty = tensor.empty() : tensor<30x30x8xi8>
  %direct = accel.call @{machine.device}.conv2d
    ins(%sid_1, %weights : tensor<32x32x4xi8>, tensor<288xi8>)
    outs(%d_empty : tensor<30x30x8xi8>)
    config {{height = 30, width = 30, channels_in = 4, channels_out = 8}} -> tensor<30x30x8xi8>
  %inside = tensor.extract_slice %y[1, 1, 0] [30, 30, 8] [1, 1, 1]
    : tensor<32x32x8xi8> to tensor<30x30x8xi8>
  %larger_empty = tensor.empty() : tensor<30x30x8xi8>
  %larger = linalg.generic {{indexing_maps = [#same, #same, #same],
      iterator_types = ["parallel", "parallel", "parallel"]}}
      ins(%inside, %direct : tensor<30x30x8xi8>, tensor<30x30x8xi8>)
      outs(%larger_empty : tensor<30x30x8xi8>) {{
  ^bb0(%a: i8, %b: i8, %old: i8):
    %m = arith.maxsi %a, %b : i8
    linalg.yield %m : i8
  }} -> tensor<30x30x8xi8>
  return %larger : tensor<30x30x8xi8>
}}
"""


def _fetched_and_convolved(machine: Machine) -> str:
    return f"""
  %weights = arith.constant {dense(FIRST)} : tensor<288xi8>
  %fetched_empty = tensor.empty() : tensor<34x34x4xi8>
  %fetched = accel.call @{machine.device}.input_fetcher ins(%sid_1 : tensor<32x32x4xi8>)
    outs(%fetched_empty : tensor<34x34x4xi8>)
    config {{height = 32, width = 32, channels = 4}} -> tensor<34x34x4xi8>
  %y_empty = tensor.empty() : tensor<32x32x8xi8>
  %y = accel.call @{machine.device}.conv2d
    ins(%fetched, %weights : tensor<34x34x4xi8>, tensor<288xi8>)
    outs(%y_empty : tensor<32x32x8xi8>)
    config {{height = 32, width = 32, channels_in = 4, channels_out = 8}} -> tensor<32x32x8xi8>
"""


def _main(outputs: int) -> str:
    return f"""
func.func @main(%data: tensor<3072xi8> {{accel.name = "data"}})
    -> (tensor<{outputs}xi8> {{accel.name = "out"}}) {{"""


def _padded(data: NDArray[np.int8]) -> NDArray[np.int8]:
    return np.pad(data.reshape(3, 32, 32).transpose(1, 2, 0), ((0, 0), (0, 0), (0, 1)))


_NHWC = "#nhwc = affine_map<(y, x, c) -> (y, x, c)>"

_CHANNELS_LAST = """
  %image = tensor.expand_shape %data [[0, 1, 2]] output_shape [3, 32, 32]
    : tensor<3072xi8> into tensor<3x32x32xi8>
  %zero = arith.constant 0 : i8
  %c2 = arith.constant 2 : index
  %sid_1_empty = tensor.empty() : tensor<32x32x4xi8>
  %sid_1 = linalg.generic {indexing_maps = [#nhwc],
      iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%sid_1_empty : tensor<32x32x4xi8>) {
  ^bb0(%old: i8):
    %y_ = linalg.index 0 : index
    %x_ = linalg.index 1 : index
    %c_ = linalg.index 2 : index
    %is_channel = arith.cmpi ule, %c_, %c2 : index
    %channel = arith.minui %c_, %c2 : index
    %pixel = tensor.extract %image[%channel, %y_, %x_] : tensor<3x32x32xi8>
    %value = arith.select %is_channel, %pixel, %zero : i8
    linalg.yield %value : i8
  } -> tensor<32x32x4xi8>
"""

_FIRST_FIVE = """
  %five = tensor.extract_slice %sid_3[0, 0, 0] [32, 32, 5] [1, 1, 1]
    : tensor<32x32x8xi8> to tensor<32x32x5xi8>
  %chw_empty = tensor.empty() : tensor<5x32x32xi8>
  %chw = linalg.transpose ins(%five : tensor<32x32x5xi8>) outs(%chw_empty : tensor<5x32x32xi8>)
    permutation = [2, 0, 1]
  %out = tensor.collapse_shape %chw [[0, 1, 2]] : tensor<5x32x32xi8> into tensor<5120xi8>
  return %out : tensor<5120xi8>
"""
