"""Convolutions with padding, up to the pass that pads their sources, and drawn ones."""

from __future__ import annotations

import numpy as np
from mlir import ir

from common.conv_layer import Layer
from common.tosa_text import Main, type_of
from forebay import Compiled
from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import ops_of
from forebay.lowering.padding.padded_copy import padded_copy_of
from forebay.options import Options
from forebay.pipelines import run_pipeline, stages

SMALL = Options(target="host", optimize="size")


def drawn_layers(seed: int) -> tuple[Layer, Layer]:
    """Return a convolution with padding, and one that reads its result."""
    rng = np.random.default_rng(seed)

    def two(low: int, high: int) -> tuple[int, int]:
        return int(rng.integers(low, high)), int(rng.integers(low, high))

    out, kernel, stride = two(2, 8), two(1, 4), two(1, 3)
    pad, dilation = (*two(0, 3), *two(0, 3)), (1, int(rng.integers(1, 3)))
    spans = [
        (out[i] - 1) * stride[i] + (kernel[i] - 1) * dilation[i] + 1 - pad[2 * i] - pad[2 * i + 1]
        for i in (0, 1)
    ]
    first = Layer(
        size=(max(1, spans[0]), max(1, spans[1])),
        depth=int(rng.integers(1, 4)),
        channels=int(rng.integers(1, 9)),
        kernel=kernel,
        stride=stride if min(spans) > 0 else (1, 1),
        pad=pad if min(spans) > 0 else (0, 1, 1, 0),
        depthwise=bool(rng.integers(2)),
        dilation=dilation if min(spans) > 0 else (1, 1),
        batch=int(rng.integers(1, 3)),
    )
    second = Layer(
        size=(first.out[1], first.out[2]),
        depth=first.out[3],
        channels=int(rng.integers(1, 5)),
        kernel=(2, 3),
        pad=(1, 0, 1, 2),
        depthwise=bool(rng.integers(2)),
        batch=first.batch,
    )
    return first, second


def text_of(*layers: Layer) -> str:
    """Return a program that computes layers, each from the result of the one before."""
    main = Main((type_of(layers[0].source()),))
    value, kind = "%x0", type_of(layers[0].source())
    for seed, layer in enumerate(layers):
        value, kind = layer.append(main, value, kind, seed=seed)
    return main.returning(value, kind)


def on_buffers(text: str) -> ir.Module:
    """Return a program with its buffers in pools, and no padded copies; needs a context."""
    module = ir.Module.parse(text)
    run_pipeline(module, stages.lowering(SMALL))
    run_pipeline(module, stages.bufferization(SMALL))
    return module


def kernels_in(module: ir.Module) -> list[ReduceOp]:
    """Return the kernels of a program, in order."""
    return ops_of(module.operation, ReduceOp)


def padded_copies_in(module: ir.Operation) -> list[ReduceOp]:
    """Return the padded copies of a program, in order."""
    return [kernel for kernel in ops_of(module, ReduceOp) if padded_copy_of(kernel) is not None]


def count_padded_copies(compiled: Compiled) -> int:
    """Return the number of padded copies of a compiled program, without strips."""
    return len(padded_copies_in(compiled.planned))


def peak_of(compiled: Compiled) -> int:
    """Return the peak of the workspace of a compiled program, in bytes."""
    return next(p.peak for p in compiled.memory_map.pools if p.name == "workspace")
