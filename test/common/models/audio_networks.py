"""Chains of the audio front end's operators, each of whose results is an output of the network."""

from __future__ import annotations

from typing import Any

import numpy as np

from common.model_file import Graph, Op, T, build, constant

CHANNELS = 7
GAINS = np.linspace(30_000, 200, 125).astype(np.int16)


def bank_tables(frequencies: int) -> list[T]:
    """Weights and unweights that add up to 4096, and where each channel begins."""
    edges = np.unique(np.geomspace(3, frequencies - 1, CHANNELS + 2).astype(int))
    assert len(edges) == CHANNELS + 2
    starts, widths = edges[:-1], np.diff(edges)
    firsts = np.concatenate([[0], np.cumsum(widths)[:-1]])
    weights = np.concatenate([np.linspace(0, 4096, w, endpoint=False) for w in widths])
    both = weights.astype(np.int16), (4096 - weights).astype(np.int16)
    tables = [*both, starts, firsts, widths]
    return [constant(t.astype(np.int16), "int16") for t in tables]


def channels(length: int, **subtraction: Any) -> bytes:
    """From the transform to the logarithm; the outputs are the steps, as int32."""
    bins = length // 2 + 1
    word = [T((CHANNELS,), "uint32") for _ in range(4)]
    tables = bank_tables(bins)
    tensors = [
        T((length + 2,), "int16"),
        T((bins,), "uint32"),
        *tables,
        T((CHANNELS,), "uint64"),
        T((), "int32"),
        *word,
        constant(GAINS, "int16"),
        T((CHANNELS,), "int16"),
        *[T((CHANNELS,), "int32") for _ in range(4)],
    ]
    options = {
        "alternate_one_minus_smoothing": 15401,
        "alternate_smoothing": 983,
        "clamping": False,
        "min_signal_remaining": 819,
        "num_channels": CHANNELS,
        "one_minus_smoothing": 15975,
        "smoothing": 409,
        "smoothing_bits": 10,
        "spectral_subtraction_bits": 14,
        **subtraction,
    }
    operators = [
        Op("SignalEnergy", [0], [1], custom={"end_index": bins, "start_index": 0}),
        Op("SignalFilterBank", [1, 2, 3, 4, 5, 6], [7], custom={"num_channels": CHANNELS}),
        Op("SignalFilterBankSquareRoot", [7, 8], [9], custom={}),
        Op("SignalFilterBankSpectralSubtraction", [9], [10, 11], custom=options),
        Op("SignalPCAN", [10, 11, 13], [12], custom={"snr_shift": 6}),
        Op(
            "SignalFilterBankLog",
            [12],
            [14],
            custom={"input_correction_bits": 3, "output_scale": 1600},
        ),
        *[Op("CAST", [9 + i], [15 + i], "CastOptions") for i in range(4)],
    ]
    return build(Graph(tensors, [0, 8], [14, 15, 16, 17, 18], operators))
