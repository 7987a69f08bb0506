"""Products of matrices, and layers with a state."""

from __future__ import annotations

import numpy as np
from common.model_file import T

from fuzz.operators.draw.drawing import Drawing


def batch_matmul(d: Drawing) -> None:
    a_type, b_type, out_type = d.rng.choice(
        [
            ("int8",) * 3,
            ("int8",) * 3,
            ("int16",) * 3,
            ("float32",) * 3,
            ("float32", "int8", "float32"),
        ]
    )
    outer = [d.rng.randint(1, 3) for _ in range(d.rng.randint(0, 3))]
    m, k, n = (d.rng.randint(1, 6) for _ in range(3))
    lhs, rhs = ([1 if d.chance(0.2) else b for b in outer] for _ in range(2))
    adj_x, adj_y = d.chance(0.4), d.chance(0.4)
    x = d.tensor((*lhs, *((k, m) if adj_x else (m, k))), a_type)
    fixed = d.chance(0.4) or b_type != a_type
    y = d.tensor(
        (*rhs, *((n, k) if adj_y else (k, n))),
        b_type,
        (d.scale(), 0) if b_type != a_type else None,
        constant=fixed,
    )
    if fixed and a_type != "float32" and d.chance(0.5):
        d.tensors[y].zero_point = 0
    shape = (*np.broadcast_shapes(tuple(lhs), tuple(rhs)), m, n)
    quantization = None
    if out_type != "float32":
        scale = (
            d.tensors[x].scale * d.tensors[y].scale * (80 if out_type == "int8" else 3000) * k**0.5
        )  # type: ignore[operator]
        quantization = (float(np.float32(scale)), d.quantization(out_type)[1])
    out = d.tensor(shape, out_type, quantization)
    d.emit(
        "BATCH_MATMUL",
        [x, y],
        [out],
        "BatchMatMulOptions",
        AdjX=adj_x,
        AdjY=adj_y,
        AsymmetricQuantizeInputs=False,
    )


def svdf(d: Drawing) -> None:
    dtype = d.rng.choice(["int8", "float32"])
    batch, depth, units, rank, memory = (
        d.rng.randint(1, 2),
        d.rng.randint(1, 6),
        d.rng.randint(1, 4),
        d.rng.randint(1, 2),
        d.rng.randint(1, 5),
    )
    filters = units * rank
    if dtype == "float32":
        x = d.tensor((batch, depth), dtype)
        ws = [
            d.tensor((filters, depth), dtype, constant=True),
            d.tensor((filters, memory), dtype, constant=True),
        ]
        bias = d.tensor((units,), dtype, constant=True) if d.chance(0.7) else -1
        state = d.add(T((batch, filters * memory), dtype, is_variable=True))
        out = d.tensor((batch, units), dtype)
    else:
        kind = d.rng.choice(["int8", "int16"])
        x = d.tensor((batch, depth), "int8")
        ws = [
            d.tensor((filters, depth), "int8", (d.scale() / 8, 0), constant=True),
            d.tensor((filters, memory), kind, (d.scale() / 64, 0), constant=True),
        ]
        state = d.add(
            T(
                (batch, filters * memory),
                kind,
                0.05 if kind == "int8" else 0.003,
                0,
                is_variable=True,
            )
        )
        bias = (
            d.add(T((units,), "int32", 1e-4, data=d.random((units,), "int32", -2000, 2000)))
            if d.chance(0.8)
            else -1
        )
        out = d.tensor((batch, units), "int8")
    activation = 1 if dtype == "int8" else d.rng.choice([0, 1])
    d.emit(
        "SVDF",
        [x, *ws, bias, state],
        [out],
        "SVDFOptions",
        Rank=rank,
        FusedActivationFunction=activation,
    )


def lstm(d: Drawing) -> None:
    dtype = d.rng.choice(["float32", "int8", "int16"])
    batch, steps, depth, units = (
        d.rng.randint(1, 2),
        d.rng.randint(1, 5),
        d.rng.randint(1, 5),
        d.rng.randint(1, 4),
    )
    time_major = d.chance(0.5)
    outer = (steps, batch) if time_major else (batch, steps)
    weights = "float32" if dtype == "float32" else "int8"
    biases = {"float32": "float32", "int8": "int32", "int16": "int64"}[dtype]
    reach = 1 if dtype == "float32" else 900
    shapes = [(units, depth)] * 4 + [(units, units)] * 4
    x = d.tensor((*outer, depth), dtype, (0.03, 3) if dtype == "int8" else (0.0005, 0))
    ws = [d.tensor(s, weights, (0.008, 0), constant=True, low=-1, high=1) for s in shapes]
    bs = [
        d.add(
            T(
                (units,),
                biases,
                1e-4 if dtype != "float32" else None,
                data=d.random((units,), biases, -reach, reach),
            )
        )
        for _ in range(4)
    ]
    hidden_scale = (1 / 128, 0) if dtype == "int8" else (1 / 32768, 0)
    hidden = d.add(
        T(
            (batch, units),
            dtype,
            *(hidden_scale if dtype != "float32" else (None, 0)),
            is_variable=True,
        )
    )
    cell = d.add(
        T(
            (batch, units),
            "float32" if dtype == "float32" else "int16",
            None if dtype == "float32" else 2.0**-11,
            0,
            is_variable=True,
        )
    )
    out = d.tensor((*outer, units), dtype, hidden_scale)
    inputs = [x, *ws, -1, -1, -1, *bs, -1, -1, hidden, cell, -1, -1, -1, -1]
    clip = d.rng.choice([0.0, 0.0, 1.0, 10.0])
    d.emit(
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
        inputs,
        [out],
        "UnidirectionalSequenceLSTMOptions",
        FusedActivationFunction=4,
        CellClip=clip,
        ProjClip=0.0,
        TimeMajor=time_major,
    )


DRAWS = (batch_matmul, batch_matmul, svdf, lstm, lstm)
