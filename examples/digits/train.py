"""Train the digits network and write its float weights and activation ranges.

python examples/digits/train.py    (about a minute on one core; then run export.py, goldens.py)
"""

from pathlib import Path

import numpy as np
import torch
from data import load_split, real_pixels
from model import DigitsNet, folded_weights
from net import LAYERS
from torch import Tensor
from torch.nn import functional

FLOAT_WEIGHTS = Path(__file__).with_name("digits_float.npz")
SEED = 7
EPOCHS = 60
BATCH = 64
LEARNING_RATE = 4e-3


def main() -> None:
    """Train on three quarters of the digits, print the accuracy on the rest, write the weights."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    training, held_out = load_split()
    images, labels = _tensor(training.images), torch.tensor(training.labels).long()
    net = DigitsNet()
    _train(net, images, labels)
    net.eval()
    with torch.no_grad():
        guessed = net(_tensor(held_out.images))["scores"].argmax(1).numpy()
        print(f"float accuracy on held-out digits: {(guessed == held_out.labels).mean():.2%}")
        np.savez_compressed(FLOAT_WEIGHTS, **_weights(net), **_ranges(net(images)))


def _train(net: DigitsNet, images: Tensor, labels: Tensor) -> None:
    steps = EPOCHS * (len(images) // BATCH)
    optimizer = torch.optim.AdamW(net.parameters(), LEARNING_RATE, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps)
    for epoch in range(EPOCHS):
        order = torch.randperm(len(images))
        for batch in order.split(BATCH)[: len(images) // BATCH]:
            logits = net(_distorted(images[batch]))["logits"]
            loss = functional.cross_entropy(logits, labels[batch], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss {loss.item():.3f}")


def _distorted(images: Tensor) -> Tensor:
    """Rotate by up to 0.2 rad, scale by up to 15 %, move by up to 0.6 pixels, all at random."""
    count = len(images)
    angle, scale_x, scale_y = (torch.rand(3, count) * 2 - 1) * torch.tensor([[0.2], [0.15], [0.15]])
    moves = (torch.rand(count, 2) * 2 - 1) * 0.15
    across = torch.stack([(1 + scale_x) * angle.cos(), -angle.sin(), moves[:, 0]], 1)
    down = torch.stack([angle.sin(), (1 + scale_y) * angle.cos(), moves[:, 1]], 1)
    grid = functional.affine_grid(torch.stack([across, down], 1), images.shape, False)
    return functional.grid_sample(images, grid, align_corners=False)


def _tensor(images: np.ndarray) -> Tensor:
    return torch.tensor(real_pixels(images)).permute(0, 3, 1, 2)


def _weights(net: DigitsNet) -> dict[str, np.ndarray]:
    arrays = {}
    for layer in LAYERS:
        if layer.has_weights:
            arrays[f"{layer.output}/weight"], arrays[f"{layer.output}/bias"] = folded_weights(
                net, layer
            )
    return arrays


def _ranges(values: dict[str, Tensor]) -> dict[str, np.ndarray]:
    """Return the smallest and the largest value of every tensor over the training digits."""
    return {f"{k}/range": np.array([v.min(), v.max()], np.float32) for k, v in values.items()}


if __name__ == "__main__":
    main()
