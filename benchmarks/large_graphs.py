"""CPU seconds of a compilation of large drawn networks: a detector and a transformer.

python benchmarks/large_graphs.py [NAME ...] [--profile]
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))

from zoo.layers import RELU, Net

import forebay


def detector() -> tuple[bytes, int]:
    """Inverted residual blocks in five resolutions, two heads on each of the last three."""
    net = Net(11)
    x = net.value((1, 96, 96, 3), 1.0, "picture")
    y = net.conv(x, 16, 3, stride=2)
    heads: list[int] = []
    for stage, channels in enumerate((16, 24, 32, 48, 64)):
        for block in range(12):
            inner = net.depthwise(net.conv(y, 2 * channels, 1), 2 if block == 0 and stage else 1)
            out = net.conv(inner, channels, 1, act=0)
            y = net.add(out, y) if net.shape(out) == net.shape(y) else out
        if stage >= 2:
            for outputs in (8, 20):
                head = net.conv(y, outputs, 1, act=0)
                rows = net.shape(head)[1] * net.shape(head)[2]
                heads.append(net.reshape(head, (1, rows * outputs // 4, 4)))
    return net.file([x], heads), len(net.operators)


def transformer() -> tuple[bytes, int]:
    """Blocks of self-attention with four heads and two layers each."""
    net = Net(12)
    x = y = net.value((1, 16, 32), 1.0, "positions")
    for _ in range(36):
        heads = [
            net.reshape(net.dense(y, 32, keep=True), (4, 16, 8)) for _ in ("query", "key", "value")
        ]
        scores = net.softmax(net.product(heads[0], heads[1], transposed=True))
        mixed = net.reshape(net.product(scores, heads[2]), (1, 16, 32))
        y = net.add(y, net.dense(mixed, 32, keep=True))
        y = net.add(y, net.dense(net.dense(y, 64, RELU, keep=True), 32, keep=True))
        y = net.add(y, net.dense(y, 32, keep=True))
    return net.file([x], [net.dense(y, 8, keep=True)]), len(net.operators)


NETWORKS = {"detector": detector, "transformer": transformer}


def main() -> None:
    """Print the operators and the seconds of each network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NETWORKS))
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.names or NETWORKS:
            file, operators = NETWORKS[name]()
            path = Path(folder) / f"{name}.tflite"
            path.write_bytes(file)
            profile = cProfile.Profile()
            start = process_time()
            if arguments.profile:
                profile.enable()
            forebay.compile(path)
            seconds = process_time() - start
            profile.disable()
            print(f"{name:<12} {operators:>4} operators  {seconds:6.1f} s of CPU")
            if arguments.profile:
                pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
