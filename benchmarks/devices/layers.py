"""Layers of published networks, and models of one layer in MLIR.

The shapes are facts of the networks: ResNet-18 and, with the strides in the kernels of 3x3,
ResNet-50 of He and others, "Deep Residual Learning for Image Recognition",
https://arxiv.org/abs/1512.03385.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Rescaling:
    """The factor `multiplier / 2**shift` that a sum is multiplied by, and how it is rounded."""

    multiplier: int
    shift: int
    rounding: str


BY_FACTOR = Rescaling(1518500249, 38, "DOUBLE_ROUND")
BY_SHIFT = Rescaling(1 << 30, 38, "SINGLE_ROUND")


@dataclass(frozen=True)
class LayerShape:
    """A convolution `size x size x inputs` to `outputs` channels, which is there `count` times."""

    kind: str
    size: int
    inputs: int
    outputs: int
    kernel: int = 1
    stride: int = 1
    count: int = 1

    @property
    def result(self) -> int:
        """Return the rows and columns of the result, with half a kernel of padding at borders."""
        return -(-self.size // self.stride)

    @property
    def macs(self) -> int:
        """Return the products of one layer for one image, those with padding included."""
        return self.result**2 * self.outputs * self.kernel**2 * self.inputs

    @property
    def sizes(self) -> str:
        """Return the sizes of image, kernel and stride, and the outputs."""
        kernel = f"{self.kernel}x{self.kernel}"
        return f"{self.size}x{self.size}x{self.inputs}, {kernel}/{self.stride}, {self.outputs}"


def resnet18() -> Iterator[LayerShape]:
    """Yield the convolutions of ResNet-18 but the first, equal ones together."""
    yield LayerShape("3x3", 56, 64, 64, kernel=3, count=4)
    for size, inputs in ((56, 64), (28, 128), (14, 256)):
        outputs, result = 2 * inputs, size // 2
        yield LayerShape("3x3", size, inputs, outputs, kernel=3, stride=2)
        yield LayerShape("1x1 shortcut", size, inputs, outputs, stride=2)
        yield LayerShape("3x3", result, outputs, outputs, kernel=3, count=3)


def resnet50() -> Iterator[LayerShape]:
    """Yield the layers of ResNet-50 for images of 224x224, equal ones together."""
    yield LayerShape("7x7", 224, 3, 64, kernel=7, stride=2)
    size, inputs = 56, 64
    for stage, blocks in enumerate((3, 4, 6, 3)):
        width, stride = 64 << stage, 1 if stage == 0 else 2
        outputs, result = 4 * width, size // stride
        yield LayerShape("1x1 reducing", size, inputs, width)
        yield LayerShape("1x1 reducing", result, outputs, width, count=blocks - 1)
        yield LayerShape("3x3", size, width, width, kernel=3, stride=stride)
        yield LayerShape("3x3", result, width, width, kernel=3, count=blocks - 1)
        yield LayerShape("1x1 expanding", result, width, outputs, count=blocks)
        yield LayerShape("1x1 shortcut", size, inputs, outputs, stride=stride)
        size, inputs = result, outputs
    yield LayerShape("fully connected", 1, 2048, 1000)


def model_of(
    layer: LayerShape,
    batch: int = 1,
    *,
    rescaling: Rescaling = BY_FACTOR,
    before: int | None = None,
) -> str:
    """Return a model with this layer, requantised to int8, and constant weights.

    `before` is the padding before the image. Without it a strided layer has the padding of TFLite's
    `SAME`, which is larger behind the image where it is odd.
    """
    needed = (layer.result - 1) * layer.stride + layer.kernel - layer.size
    before = max(0, needed) // 2 if before is None else before
    after = max(0, needed - before)
    unread = max(0, before - needed)
    x = f"{batch}x{layer.size}x{layer.size}x{layer.inputs}xi8"
    y = f"{batch}x{layer.result}x{layer.result}x{layer.outputs}"
    w = f"{layer.outputs}x{layer.kernel}x{layer.kernel}x{layer.inputs}xi8"
    read = layer.size - unread
    source = f"tensor<{batch}x{read}x{read}x{layer.inputs}xi8>"
    return f"""
func.func @main(%x: tensor<{x}> {{accel.name = "x"}}) -> (tensor<{y}xi8> {{accel.name = "y"}}) {{
  %w = "tosa.const"() <{{values = dense<1> : tensor<{w}>}}> : () -> tensor<{w}>
  %b = "tosa.const"() <{{values = dense<9> : tensor<{layer.outputs}xi32>}}>
    : () -> tensor<{layer.outputs}xi32>
  %z = "tosa.const"() <{{values = dense<0> : tensor<1xi8>}}> : () -> tensor<1xi8>
  {_cut(x, source, unread)}
  %0 = tosa.conv2d %{"r" if unread else "x"}, %w, %b, %z, %z {{acc_type = i32,
    dilation = array<i64: 1, 1>, pad = array<i64: {before}, {after}, {before}, {after}>,
    stride = array<i64: {layer.stride}, {layer.stride}>}} : ({source}, tensor<{w}>,
    tensor<{layer.outputs}xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<{y}xi32>
  %m = "tosa.const"() <{{values = dense<{rescaling.multiplier}> : tensor<1xi32>}}>
    : () -> tensor<1xi32>
  %s = "tosa.const"() <{{values = dense<{rescaling.shift}> : tensor<1xi8>}}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{{values = dense<0> : tensor<1xi32>}}> : () -> tensor<1xi32>
  %1 = tosa.rescale %0, %m, %s, %zi, %z {{input_unsigned = false, output_unsigned = false,
    per_channel = false, rounding_mode = {rescaling.rounding}, scale32 = true}} : (tensor<{y}xi32>,
    tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<{y}xi8>
  return %1 : tensor<{y}xi8>
}}
"""


def _cut(whole: str, source: str, unread: int) -> str:
    """Return the op that leaves out the rows and columns that no window reads."""
    if not unread:
        return ""
    starts = "%st = tosa.const_shape {values = dense<0> : tensor<4xindex>} : () -> !tosa.shape<4>"
    sizes = source.removeprefix("tensor<").rpartition("x")[0].replace("x", ", ")
    size = f"%si = tosa.const_shape {{values = dense<[{sizes}]> : tensor<4xindex>}}"
    return (
        f"{starts}\n  {size} : () -> !tosa.shape<4>\n  %r = tosa.slice %x, %st, %si : "
        f"(tensor<{whole}>, !tosa.shape<4>, !tosa.shape<4>) -> {source}"
    )
