"""Networks of PyTorch for tests, from an image, a signal, a sequence or tokens to an output.

Needs the extra `forebay[torch]`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional


def block(channels: int, out: int, size: int = 3, **options: Any) -> nn.Sequential:
    """Convolution, batch normalisation, ReLU6."""
    layer = nn.Conv2d(channels, out, size, padding=size // 2, bias=False, **options)
    return nn.Sequential(layer, nn.BatchNorm2d(out), nn.ReLU6())


class Cnn(nn.Sequential):
    """Convolutions, a depthwise one and a fully connected layer."""

    def __init__(self) -> None:
        super().__init__(
            *(block(3, 8), nn.MaxPool2d(2), block(8, 8, groups=8), nn.AdaptiveAvgPool2d(1)),
            *(nn.Flatten(), nn.Linear(8, 4), nn.Softmax(-1)),
        )


class Gate(nn.Module):
    """Squeeze and excitation: channels times a function of their means."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.function = nn.Sequential(
            *(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, 4, 1), nn.ReLU()),
            *(nn.Conv2d(4, channels, 1), nn.Hardsigmoid()),
        )

    def forward(self, x: Any) -> Any:
        return x * self.function(x)


class Inverted(nn.Module):
    """An inverted residual of MobileNetV3: wide inside, added where the sizes allow it."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        wide = 4 * channels
        self.adds = stride == 1 and channels == out
        self.layers = nn.Sequential(
            *(block(channels, wide, 1), block(wide, wide, stride=stride, groups=wide)),
            *(nn.Hardswish(), Gate(wide), nn.Conv2d(wide, out, 1), nn.BatchNorm2d(out)),
        )

    def forward(self, x: Any) -> Any:
        return x + self.layers(x) if self.adds else self.layers(x)


class Residual(nn.Sequential):
    """Inverted residuals, with and without an addition."""

    def __init__(self) -> None:
        super().__init__(
            *(block(3, 8, stride=2), Inverted(8, 8, 1), Inverted(8, 12, 2), Inverted(12, 12, 1)),
            *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(12, 5)),
        )


class Segmentation(nn.Module):
    """A U-Net: smaller, then larger again by both ways, with concatenations."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.third = block(1, 6), block(6, 8), block(8, 12)
        self.up = nn.ConvTranspose2d(12, 8, 2, 2)
        self.middle, self.last = block(16, 6), nn.Conv2d(12, 2, 1)

    def forward(self, x: Any) -> Any:
        first = self.first(x)
        second = self.second(functional.max_pool2d(first, 2))
        y = self.up(self.third(functional.avg_pool2d(second, 2)))
        y = self.middle(torch.cat([y, second], 1))
        y = functional.interpolate(y, scale_factor=2.0, mode="bilinear", align_corners=False)
        return torch.sigmoid(self.last(torch.cat([y, first], 1)))


class Detector(nn.Module):
    """The head of a YOLO: boxes on a grid from logistic functions and squares."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(block(3, 8, stride=2), nn.SiLU(), nn.Conv2d(8, 2 * 7, 1))
        rows, columns = torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")
        self.register_buffer("grid", torch.stack([columns, rows], -1).float()[None, None])

    def forward(self, x: Any) -> Any:
        y = self.body(x).view(1, 2, 7, 4, 4).permute(0, 1, 3, 4, 2).sigmoid()
        centre = (y[..., 0:2] * 2 - 0.5 + self.grid) * 8
        return torch.cat([centre, (y[..., 2:4] * 2) ** 2, y[..., 4:]], -1).view(1, -1, 7)


class Scaled(nn.Module):
    """A block of a ConvNeXt: LayerNorm of the channels, and a factor for each of them."""

    def __init__(self) -> None:
        super().__init__()
        self.depthwise, self.norm = nn.Conv2d(4, 4, 7, padding=3, groups=4), nn.LayerNorm(4)
        self.up, self.down = nn.Linear(4, 16), nn.Linear(16, 4)
        self.factor = nn.Parameter(torch.rand(4))

    def forward(self, x: Any) -> Any:
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        y = self.down(torch.relu(self.up(y))) * self.factor
        return x + y.permute(0, 3, 1, 2)


class Temporal(nn.Module):
    """Causal convolutions of a signal with dilations, each added to its operand."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv1d(4, 8, 1)
        self.layers = nn.ModuleList([nn.Conv1d(8, 8, 3, dilation=2**i) for i in range(3)])
        self.last = nn.Linear(8, 3)

    def forward(self, x: Any) -> Any:
        x = self.first(x)
        for i, layer in enumerate(self.layers):
            x = x + torch.relu(layer(functional.pad(x, (2 * 2**i, 0))))
        return self.last(x[:, :, -1])


class Recurrent(nn.Module):
    """A recurrent layer; the last step and its state are outputs."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer
        self.last = nn.Linear(6 * (1 + layer.bidirectional), 3)

    def forward(self, x: Any) -> Any:
        y, state = self.layer(x)
        return self.last(y[:, -1]), state[0] if isinstance(state, tuple) else state


class Tokens(nn.Module):
    """Embeddings of tokens and their positions, and a causal layer of a transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.positions = nn.Embedding(20, 8), nn.Parameter(torch.randn(6, 8))
        self.norm, self.projection = nn.LayerNorm(8), nn.Linear(8, 24)
        self.register_buffer("mask", torch.full((6, 6), -1e4).triu(1))
        self.last = nn.Linear(8, 20)

    def forward(self, tokens: Any) -> Any:
        x = self.embedding(tokens) + self.positions
        parts = self.projection(self.norm(x)).reshape(1, 6, 3, 2, 4).permute(2, 0, 3, 1, 4)
        query, key, value = parts[0], parts[1], parts[2]
        weights = torch.softmax(query @ key.transpose(-1, -2) / 2 + self.mask, -1)
        return self.last(x + (weights @ value).transpose(1, 2).reshape(1, 6, 8))


def encoder() -> nn.Module:
    """Return two layers of PyTorch's transformer."""
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return nn.TransformerEncoder(layer, 2)


@dataclass(frozen=True)
class TorchNetwork:
    """How to make a module, and the shape of its input: floats, or tokens below `tokens`."""

    make: Any
    shape: tuple[int, ...]
    tokens: int = 0

    def module(self) -> nn.Module:
        """Return the module with random weights and statistics, the same in each call."""
        torch.manual_seed(1)
        module = self.make().eval()
        for layer in module.modules():
            if isinstance(layer, nn.BatchNorm2d):
                layer.running_mean.normal_(0, 0.1)
                layer.running_var.uniform_(0.5, 1.5)
        return module

    def inputs(self, count: int) -> list[tuple[torch.Tensor]]:
        """Return the inputs of some inferences."""
        rng = torch.Generator().manual_seed(2)
        if self.tokens:
            return [(torch.randint(self.tokens, self.shape, generator=rng),) for _ in range(count)]
        return [(torch.randn(self.shape, generator=rng),) for _ in range(count)]


NETWORKS = {
    "cnn": TorchNetwork(Cnn, (1, 3, 8, 8)),
    "residual": TorchNetwork(Residual, (1, 3, 16, 16)),
    "segmentation": TorchNetwork(Segmentation, (1, 1, 8, 12)),
    "detector": TorchNetwork(Detector, (1, 3, 8, 8)),
    "scaled": TorchNetwork(Scaled, (1, 4, 6, 5)),
    "temporal": TorchNetwork(Temporal, (1, 4, 20)),
    "gru": TorchNetwork(lambda: Recurrent(nn.GRU(5, 6, batch_first=True)), (1, 7, 5)),
    "lstm": TorchNetwork(
        lambda: Recurrent(nn.LSTM(5, 6, batch_first=True, bidirectional=True)), (1, 7, 5)
    ),
    "encoder": TorchNetwork(encoder, (1, 6, 8)),
    "tokens": TorchNetwork(Tokens, (1, 6), tokens=20),
}
