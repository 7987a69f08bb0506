"""The network of net.py in PyTorch, with batch normalisation that folds into the weights."""

import torch
from net import INPUT, LAYERS, SHAPES, Layer, same_padding
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional


class DigitsNet(nn.Module):
    """The float network, with activations in NCHW."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = nn.ModuleDict({x.output: _step(x) for x in LAYERS if x.has_weights})

    def forward(self, images: Tensor) -> dict[str, Tensor]:
        """Return every tensor of net.py by its name."""
        values = {INPUT: images}
        for layer in LAYERS:
            inputs = [values[name] for name in layer.inputs]
            value = self._apply(layer, inputs)
            values[layer.output] = functional.relu(value) if layer.relu else value
        return values

    def _apply(self, layer: Layer, inputs: list[Tensor]) -> Tensor:
        if layer.has_weights:
            return self.steps[layer.output](inputs[0])
        match layer.operator:
            case "ADD":
                return inputs[0] + inputs[1]
            case "MAX_POOL_2D":
                return functional.max_pool2d(inputs[0], layer.kernel, layer.stride)
            case "AVERAGE_POOL_2D":
                return functional.avg_pool2d(inputs[0], layer.kernel, layer.stride)
            case "RESHAPE":  # TFLite flattens NHWC
                return inputs[0].permute(0, 2, 3, 1).flatten(1)
            case "SOFTMAX":
                return functional.softmax(inputs[0], dim=1)
        raise NotImplementedError(layer.operator)


def folded_weights(net: DigitsNet, layer: Layer) -> tuple[NDArray, NDArray]:
    """Return the layer's filter in TFLite's layout, and its bias; batch normalisation is folded."""
    step = net.steps[layer.output]
    if isinstance(step, nn.Linear):
        return step.weight.detach().numpy(), step.bias.detach().numpy()
    conv, norm = step[1], step[2]
    gain = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    weight = (conv.weight * gain[:, None, None, None]).detach().numpy()
    bias = (norm.bias - norm.running_mean * gain).detach().numpy()
    # OIHW to OHWI; a depthwise filter has I = 1 and becomes 1HWO
    order = (1, 2, 3, 0) if layer.operator == "DEPTHWISE_CONV_2D" else (0, 2, 3, 1)
    return weight.transpose(order), bias


def _step(layer: Layer) -> nn.Module:
    source = SHAPES[layer.inputs[0]]
    wide, channels = source[-1], layer.shape[-1]
    if layer.operator == "FULLY_CONNECTED":
        return nn.Linear(wide, channels)
    before, after = same_padding(source[1], layer.kernel, layer.stride)
    groups = wide if layer.operator == "DEPTHWISE_CONV_2D" else 1
    conv = nn.Conv2d(wide, channels, layer.kernel, layer.stride, groups=groups, bias=False)
    return nn.Sequential(
        nn.ZeroPad2d((before, after, before, after)), conv, nn.BatchNorm2d(channels)
    )
