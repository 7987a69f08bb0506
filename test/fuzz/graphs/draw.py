"""A network out of a case number."""

from __future__ import annotations

from random import Random

from common.model_file import Op, T

from fuzz.graphs.any_operator import any_operator
from fuzz.graphs.control import CONTROL_KINDS
from fuzz.graphs.drawing import Drawing, Value
from fuzz.graphs.more_operators import MORE_KINDS, division
from fuzz.graphs.operators import KINDS, state
from fuzz.graphs.replaced import REPLACED_KINDS
from fuzz.graphs.signal import SIGNAL_KINDS

INPUTS = ["int8", "int8", "int8", "int8", "uint8", "float32"]


FIRST_WITH_ALL = 6_000_000
"""The first number of a network with every kind; smaller ones keep what they always had."""


def draw_network(seed: int) -> bytes:
    """The `.tflite` file of this number."""
    return draw_networks(seed)[0]


def draw_networks(seed: int) -> tuple[bytes, bytes]:
    """The file of this number, and that for TFLite Micro, which lacks some operators."""
    d = Drawing(Random(seed))
    inputs = [_input(d) for _ in range(d.rng.choice([1, 1, 1, 2, 3]))]
    stateful = d.rng.random() < 0.25
    if stateful:
        d.first_subgraph, fields = 2, {"InitSubgraphIndex": 1}
        d.operators.append(Op("CALL_ONCE", [], [], "CallOnceOptions", fields))
        state(d)
    kinds = [*KINDS, *MORE_KINDS]
    if seed % 4:  # the others keep the networks that they always had
        kinds += [any_operator] * 8
    if seed >= FIRST_WITH_ALL:
        kinds += [division, *CONTROL_KINDS, *REPLACED_KINDS, *SIGNAL_KINDS] * 2
    for _ in range(d.rng.choice([1, 2, 3, 5, 8, 12])):
        d.rng.choice(kinds)(d)
    if stateful and d.rng.random() < 0.5:
        state(d)
    outputs = _outputs(d, inputs)
    return d.file(inputs, outputs), d.micro_file(inputs, outputs)


def _input(d: Drawing) -> int:
    """An input; one that is not int8 goes through a QUANTIZE."""
    rank = d.rng.choice([4, 4, 4, 3, 2, 1])
    shape = [d.rng.randint(1, 9) for _ in range(rank)]
    shape[-1] = d.rng.choice([1, 3, 8, 16, 17, shape[-1]])
    if rank == 4:
        shape[0] = d.rng.choice([1, 1, 1, 1, 2])
    dtype = d.rng.choice(INPUTS)
    x = d.value(shape, d.scale(), d.zero_point())
    if dtype == "int8":
        d.values.append(x)
        return x.index
    zero_point = x.zero_point + 128 if dtype == "uint8" else 0
    scale = x.scale if dtype == "uint8" else None
    outer = d.tensor(T(shape, dtype, scale, zero_point))
    d.emit("QUANTIZE", [outer], [x])
    return outer


def _outputs(d: Drawing, inputs: list[int]) -> list[int]:
    """Unread tensors, at most four; sometimes others, repeated ones, an input or a constant."""
    read = {index for op in d.operators for index in op.inputs}
    unread = [v.index for v in d.values if v.index not in read]
    outputs = unread[-4:]
    if not outputs or d.rng.random() < 0.2:
        outputs.append(d.rng.choice(d.values).index)
    if d.rng.random() < 0.05:
        outputs.append(d.rng.choice(outputs))
    if d.rng.random() < 0.05:
        outputs.append(d.rng.choice(inputs))
    if d.rng.random() < 0.1:
        outputs.append(_as_unsigned(d, d.rng.choice(d.values)))
    outputs += d.ends
    d.rng.shuffle(outputs)
    return outputs


def _as_unsigned(d: Drawing, x: Value) -> int:
    out = d.tensor(T(x.shape, "uint8", x.scale, x.zero_point + 128))
    d.operators.append(Op("QUANTIZE", [x.index], [out]))
    return out
