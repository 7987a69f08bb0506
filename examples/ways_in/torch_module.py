"""Quantise a module of PyTorch to int8, and compile it.

python examples/ways_in/torch_module.py
"""

from __future__ import annotations

import torch
from torch import nn

import forebay


def main() -> None:
    """Print the plan of the module, and write its C project."""
    torch.manual_seed(0)
    module = nn.Sequential(
        *(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1)),
        *(nn.Flatten(), nn.Linear(16, 10), nn.Softmax(-1)),
    )
    # Give inputs of your application here: they set the scales of the activations.
    calibration = [(torch.rand(1, 1, 16, 16),) for _ in range(32)]
    compiled = forebay.from_torch(module, calibration[0], calibration)
    print(compiled)
    compiled.write("torch_module_out")


if __name__ == "__main__":
    main()
