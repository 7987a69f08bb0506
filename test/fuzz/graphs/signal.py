"""The audio front end: operators on frames of int16, from windows to the logarithm of channels.

int8 value -> RESHAPE, SLICE -> QUANTIZE -> int16 frames -> ... -> QUANTIZE -> int8
spectrum -> SignalEnergy -> SignalFilterBank -> ... -> SignalFilterBankLog -> QUANTIZE -> int8
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from common.model_file import Op, T, constant
from common.models.audio_networks import CHANNELS, bank_tables

from fuzz.graphs.any_operator import converted, elements
from fuzz.graphs.drawing import Drawing, Shape
from fuzz.graphs.operators import Draw

SCALE = 2.0**-11
INT16 = 7
"""The number of the type in the schema, which some options state."""


def windowed(d: Drawing) -> None:
    length, rows = d.rng.randint(1, 40), d.rng.randint(1, 3)
    window = _drawn(d, length)
    out = _int16(d, (rows, length))
    inputs = [_frames(d, (rows, length)), d.tensor(constant(window, "int16"))]
    d.operators.append(
        Op("SignalWindow", inputs, [out], custom={"shift": d.rng.choice([0, 7, 12, 15])})
    )
    _as_int8(d, out, (rows, length))


def spectrum(d: Drawing) -> None:
    """Scaled up, transformed, and often down to the channels."""
    length = d.rng.choice([4, 8, 16, 32, 64, 64, 128])
    scaled, bits = _int16(d, (length,)), d.tensor(T((), "int32"))
    d.operators.append(Op("SignalFftAutoScale", [_frames(d, (length,))], [scaled, bits], custom={}))
    transformed = _int16(d, (length + 2,))
    options = {"T": INT16, "fft_length": length}
    d.operators.append(Op("SignalRfft", [scaled], [transformed], custom=options))
    if d.rng.random() < 0.3:
        _as_int8(d, transformed, (length + 2,))
    if d.rng.random() < 0.3:
        samples = _int16(d, (length,))
        options = {"T": INT16, "fft_length": length}
        d.operators.append(Op("SignalIrfft", [transformed], [samples], custom=options))
        _as_int8(d, samples, (length,))
    bins = length // 2 + 1
    energies = d.tensor(T((bins,), "uint32"))
    options = {"start_index": 0, "end_index": bins}
    d.operators.append(Op("SignalEnergy", [transformed], [energies], custom=options))
    if length >= 64:
        _channels(d, energies, bits, bins)
    else:
        _end(d, energies, (bins,))


def delayed(d: Drawing) -> None:
    shape = [d.rng.randint(1, 4) for _ in range(d.rng.randint(0, 2))] + [d.rng.randint(1, 12)]
    out = _int16(d, shape)
    options = {"delay_length": d.rng.randint(1, 15)}
    d.operators.append(Op("SignalDelay", [_frames(d, shape)], [out], custom=options))
    _as_int8(d, out, shape)


def framed(d: Drawing) -> None:
    step, count, rows = d.rng.randint(1, 6), d.rng.randint(1, 3), d.rng.randint(1, 2)
    size = step + d.rng.randint(0, 8)
    shape = (rows, count, size)
    out, is_valid = _int16(d, shape), d.tensor(T((), "bool"))
    options = {"frame_size": size, "frame_step": step, "prefill": True}
    inputs = [_frames(d, (rows, count * step))]
    d.operators.append(Op("SignalFramer", inputs, [out, is_valid], custom=options))
    _as_int8(d, out, shape)


def stacked(d: Drawing) -> None:
    channels, left = d.rng.randint(1, 9), d.rng.randint(0, 4)
    options = {"num_channels": channels, "stacker_left_context": left}
    options |= {"stacker_right_context": 0, "stacker_step": 1}
    shape = (channels * (left + 1),)
    out, is_valid = _int16(d, shape), d.tensor(T((), "bool"))
    inputs = [_frames(d, (channels,))]
    d.operators.append(Op("SignalStacker", inputs, [out, is_valid], custom=options))
    _as_int8(d, out, shape)


def overlapping(d: Drawing) -> None:
    count, step, rows = d.rng.randint(1, 3), d.rng.randint(1, 5), d.rng.randint(1, 2)
    size = step + d.rng.randint(0, 5)
    out = _int16(d, (rows, count * step))
    options = {"T": INT16, "frame_step": step}
    inputs = [_frames(d, (rows, count, size))]
    d.operators.append(Op("SignalOverlapAdd", inputs, [out], custom=options))
    _as_int8(d, out, (rows, count * step))


def _channels(d: Drawing, energies: int, bits: int, bins: int) -> None:
    tables = [d.tensor(t) for t in bank_tables(bins)]
    sums = d.tensor(T((CHANNELS,), "uint64"))
    words = [d.tensor(T((CHANNELS,), "uint32")) for _ in range(4)]
    roots, clean, noise, even = words
    gains = np.linspace(d.rng.randint(5000, 32_000), d.rng.randint(0, 400), 125).astype(np.int16)
    out = _int16(d, (CHANNELS,))
    smoothing, other = d.rng.randint(0, 16_384), d.rng.randint(0, 16_384)
    subtraction = {
        "alternate_one_minus_smoothing": 16_384 - other,
        "alternate_smoothing": other,
        "clamping": d.rng.random() < 0.5,
        "min_signal_remaining": d.rng.randint(0, 2000),
        "num_channels": CHANNELS,
        "one_minus_smoothing": 16_384 - smoothing,
        "smoothing": smoothing,
        "smoothing_bits": 10,
        "spectral_subtraction_bits": 14,
    }
    bank = {"num_channels": CHANNELS}
    root = "SignalFilterBankSquareRoot"
    noise_removal = "SignalFilterBankSpectralSubtraction"
    gain = [clean, noise, d.tensor(constant(gains, "int16"))]
    shift = {"snr_shift": d.rng.choice([2, 6])}
    logarithm = {"input_correction_bits": 3, "output_scale": d.rng.choice([64, 1600])}
    d.operators += [
        Op("SignalFilterBank", [energies, *tables], [sums], custom=bank),
        Op(root, [sums, bits], [roots], custom={}),
        Op(noise_removal, [roots], [clean, noise], custom=subtraction),
        Op("SignalPCAN", gain, [even], custom=shift),
        Op("SignalFilterBankLog", [even], [out], custom=logarithm),
    ]
    _as_int8(d, out, (CHANNELS,))


def _drawn(d: Drawing, count: int) -> np.ndarray:
    limit = d.rng.choice([300, 32_767])
    return np.array([d.rng.randint(-limit, limit) for _ in range(count)], np.int16)


def _frames(d: Drawing, shape: Sequence[int]) -> int:
    """Samples of int16 out of a value of the network, loud or quiet."""
    x = elements(d, shape)
    scale = x.scale / d.rng.choice([1, 16, 256])
    return converted(d, x, T(tuple(shape), "int16", float(np.float32(scale))))


def _int16(d: Drawing, shape: Sequence[int]) -> int:
    return d.tensor(T(tuple(shape), "int16", SCALE))


def _as_int8(d: Drawing, index: int, shape: Sequence[int]) -> None:
    """Let others read the samples."""
    out = d.value(shape, d.scale(), d.zero_point())
    d.emit("QUANTIZE", [index], [out])


def _end(d: Drawing, index: int, shape: Shape) -> None:
    """Return unsigned words to the caller, as int32."""
    assert math.prod(shape) > 0
    out = d.tensor(T(shape, "int32"))
    d.operators.append(Op("CAST", [index], [out], "CastOptions"))
    d.ends.append(out)


SIGNAL_KINDS: list[Draw] = [windowed, spectrum, spectrum, delayed, framed, stacked, overlapping]
