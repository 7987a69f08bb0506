"""Operators on each element of one operand, and along its last dimension."""

from __future__ import annotations

from fuzz.operators.draw.drawing import Drawing

FLOATS = (
    "CEIL",
    "COS",
    "ELU",
    "EXP",
    "FLOOR",
    "LOG",
    "NEG",
    "ROUND",
    "RSQRT",
    "SIN",
    "SQRT",
    "SQUARE",
    "ABS",
)
OPTIONS = {
    "ABS": "AbsOptions",
    "COS": "CosOptions",
    "EXP": "ExpOptions",
    "NEG": "NegOptions",
    "SQUARE": "SquareOptions",
    "HARD_SWISH": "HardSwishOptions",
    "LEAKY_RELU": "LeakyReluOptions",
    "QUANTIZE": "QuantizeOptions",
    "DEQUANTIZE": "DequantizeOptions",
    "LOGICAL_NOT": "LogicalNotOptions",
    "ZEROS_LIKE": "ZerosLikeOptions",
}
POSITIVE = ("LOG", "RSQRT", "SQRT")


def function(d: Drawing) -> None:
    name = d.rng.choice(FLOATS)
    kinds = {
        "ABS": ("float32", "int8", "int16"),
        "RSQRT": ("float32", "int8", "int16"),
        "NEG": ("float32",),
        "EXP": ("float32", "int8", "int16"),
        "ELU": ("float32", "int8"),
        "LOG": ("float32", "int8"),
    }
    dtype = d.rng.choice(kinds.get(name, ("float32",)))
    low = 0.01 if name in POSITIVE else -4
    shape = d.shape(0, 5)
    if name == "RSQRT" and dtype != "float32":
        quantization = (d.scale(), -128) if dtype == "int8" else (d.scale(), 0)
        x = d.tensor(
            shape, dtype, quantization, values=abs(d.random(shape, dtype) // 2).astype(dtype)
        )
    else:
        x = d.tensor(shape, dtype, low=low)
    d.emit(name, [x], [d.tensor(shape, dtype)], OPTIONS.get(name, ""))


def activation(d: Drawing) -> None:
    name = d.rng.choice(
        ["RELU", "RELU6", "RELU_N1_TO_1", "HARD_SWISH", "LEAKY_RELU", "LOGISTIC", "TANH"]
    )
    dtype = d.rng.choice(["int8", "int8", "uint8", "int16", "float32"])
    shape = d.shape(0, 5)
    fixed = {
        "int8": {"LOGISTIC": (1 / 256, -128), "TANH": (1 / 128, 0)},
        "uint8": {"LOGISTIC": (1 / 256, 0), "TANH": (1 / 128, 128)},
        "int16": {"LOGISTIC": (2.0**-15, 0), "TANH": (2.0**-15, 0)},
    }
    source = d.quantization(dtype) if dtype != "float32" else None
    if dtype == "int16" and name in ("TANH", "LOGISTIC") and d.chance(0.5):
        source = (2.0 ** d.rng.randint(-13, -9), 0)
    x = d.tensor(shape, dtype, source)
    out = d.tensor(
        shape, dtype, fixed.get(dtype, {}).get(name) or (source if d.chance(0.4) else None)
    )
    fields = (
        {"Alpha": d.rng.choice([0.0, 0.1, 0.3, 1.0, 1.7, -0.2])} if name == "LEAKY_RELU" else {}
    )
    d.emit(name, [x], [out], OPTIONS.get(name, ""), **fields)


def softmax(d: Drawing) -> None:
    source, target = d.rng.choice(
        [
            ("int8", "int8"),
            ("int8", "int16"),
            ("uint8", "uint8"),
            ("int16", "int16"),
            ("float32", "float32"),
        ]
    )
    shape = d.shape(1, 4, 12)
    fixed = {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 32768, 0)}
    if (source, target) == ("int8", "int16"):
        fixed = {"int16": (1 / 65536, -32768)}
    name = d.rng.choice(["SOFTMAX", "SOFTMAX", "LOG_SOFTMAX"])
    x = d.tensor(shape, source)
    if name == "LOG_SOFTMAX":
        d.emit(
            name,
            [x],
            [d.tensor(shape, source, (16 / 256, 127) if source == "int8" else None)],
            "LogSoftmaxOptions",
        )
    else:
        out = d.tensor(shape, target, fixed.get(target))
        d.emit(name, [x], [out], "SoftmaxOptions", Beta=d.rng.choice([1.0, 1.0, 0.3, 2.5]))


def l2_normalisation(d: Drawing) -> None:
    dtype = d.rng.choice(["int8", "uint8", "float32"])
    shape = d.shape(1, 4, 9)
    quantization = {"int8": (1 / 128, 0), "uint8": (1 / 128, 128)}.get(dtype)
    out = d.tensor(shape, dtype, quantization)
    d.emit(
        "L2_NORMALIZATION",
        [d.tensor(shape, dtype)],
        [out],
        "L2NormOptions",
        FusedActivationFunction=0,
    )


def conversion(d: Drawing) -> None:
    kinds = ["int8", "uint8", "int16", "int32", "float32"]
    name = d.rng.choice(["QUANTIZE", "QUANTIZE", "DEQUANTIZE", "CAST"])
    shape = d.shape(0, 5)
    if name == "CAST":
        more = [*kinds, "int64", "bool", "uint32"]
        source, target = d.rng.choice(more), d.rng.choice(more)
        source, target = (k if k != "uint32" else "int32" for k in (source, target))
        d.emit(name, [d.tensor(shape, source)], [d.tensor(shape, target)], "CastOptions")
        return
    source = d.rng.choice(kinds)
    target = "float32" if name == "DEQUANTIZE" else d.rng.choice(kinds[:4])
    x, out = d.tensor(shape, source), d.tensor(shape, target)
    for index in (x, out):
        if d.tensors[index].dtype == "int32":
            d.tensors[index].scale = d.scale()
    d.emit(name, [x], [out], OPTIONS[name])


def plain(d: Drawing) -> None:
    name = d.rng.choice(["LOGICAL_NOT", "ZEROS_LIKE"])
    dtype = "bool" if name == "LOGICAL_NOT" else d.rng.choice(["int8", "int32", "int64", "float32"])
    shape = d.shape(0, 5)
    d.emit(name, [d.tensor(shape, dtype)], [d.tensor(shape, dtype)], OPTIONS[name])


DRAWS = (
    function,
    activation,
    activation,
    softmax,
    softmax,
    l2_normalisation,
    conversion,
    conversion,
    plain,
)
