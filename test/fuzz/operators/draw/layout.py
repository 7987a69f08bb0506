"""Operators that move elements, and reductions."""

from __future__ import annotations

import math

import numpy as np

from fuzz.operators.draw.drawing import Drawing

MOVED = ("int8", "int8", "uint8", "int16", "int32", "int64", "float32", "bool")


def moved(
    d: Drawing, least: int = 1, most: int = 5, largest: int = 6
) -> tuple[int, tuple[int, ...], str, tuple[float, int] | None]:
    """An operand of any type, its shape, type and quantisation."""
    dtype = d.rng.choice(MOVED)
    shape = d.shape(least, most, largest)
    quantization = d.quantization(dtype) if dtype in ("int8", "uint8", "int16") else None
    return d.tensor(shape, dtype, quantization), shape, dtype, quantization


def concatenation(d: Drawing) -> None:
    x, shape, dtype, quantization = moved(d, 1, 5)
    axis = d.rng.randrange(len(shape))
    xs, total = [x], shape[axis]
    for _ in range(d.rng.randint(0, 3)):
        size = d.rng.randint(1, 4)
        total += size
        other = quantization if d.chance(0.8) else None
        xs.append(
            d.tensor(
                (*shape[:axis], size, *shape[axis + 1 :]), dtype, other, constant=d.chance(0.2)
            )
        )
    out = d.tensor((*shape[:axis], total, *shape[axis + 1 :]), dtype, quantization)
    d.emit(
        "CONCATENATION",
        xs,
        [out],
        "ConcatenationOptions",
        Axis=axis - d.rng.choice([0, len(shape)]),
        FusedActivationFunction=0,
    )


def pack(d: Drawing) -> None:
    x, shape, dtype, quantization = moved(d, 0, 4)
    count, axis = d.rng.randint(1, 3), d.rng.randint(0, len(shape))
    xs = [x, *(d.tensor(shape, dtype, quantization) for _ in range(count - 1))]
    out = d.tensor((*shape[:axis], count, *shape[axis:]), dtype, quantization)
    d.emit(
        "PACK",
        xs,
        [out],
        "PackOptions",
        ValuesCount=count,
        Axis=axis - d.rng.choice([0, len(shape) + 1]),
    )


def unpack(d: Drawing) -> None:
    x, shape, dtype, quantization = moved(d, 1, 4, 4)
    axis = d.rng.randrange(len(shape))
    outs = [
        d.tensor(shape[:axis] + shape[axis + 1 :], dtype, quantization) for _ in range(shape[axis])
    ]
    d.emit(
        "UNPACK",
        [x],
        outs,
        "UnpackOptions",
        Num=shape[axis],
        Axis=axis - d.rng.choice([0, len(shape)]),
    )


def split(d: Drawing) -> None:
    x, shape, dtype, quantization = moved(d, 1, 5)
    axis = d.rng.randrange(len(shape))
    position = d.integers(axis - d.rng.choice([0, len(shape)]))
    if d.chance(0.5):
        counts = [n for n in range(1, shape[axis] + 1) if shape[axis] % n == 0]
        count = d.rng.choice(counts)
        sizes = [shape[axis] // count] * count
        inputs, name, options = [position, x], "SPLIT", "SplitOptions"
    else:
        cuts = sorted(
            d.rng.sample(range(1, shape[axis]), d.rng.randint(0, min(2, shape[axis] - 1)))
        )
        sizes = [b - a for a, b in zip([0, *cuts], [*cuts, shape[axis]], strict=True)]
        given = list(sizes)
        if d.chance(0.3):
            given[d.rng.randrange(len(given))] = -1
        inputs, name, options = [x, d.integers(given), position], "SPLIT_V", "SplitVOptions"
    outs = [d.tensor((*shape[:axis], n, *shape[axis + 1 :]), dtype, quantization) for n in sizes]
    d.emit(name, inputs, outs, options, NumSplits=len(sizes))


def reshape(d: Drawing) -> None:
    x, shape, dtype, quantization = moved(d, 0, 5)
    kind = d.rng.choice(["RESHAPE", "RESHAPE", "SQUEEZE", "EXPAND_DIMS"])
    if kind == "RESHAPE":
        factors = list(shape)
        d.rng.shuffle(factors)
        target = [n for n in factors if n > 1 or d.chance(0.5)]
        if len(target) > 1 and d.chance(0.5):
            target = [target[0] * target[1], *target[2:]]
        given = list(target)
        if given and d.chance(0.4):
            given[d.rng.randrange(len(given))] = -1
        inputs = [x, d.integers(np.array(given, np.int32))]
        out = d.tensor(target, dtype, quantization)
        if d.chance(0.2):
            return d.emit(kind, [x], [out], "ReshapeOptions", NewShape=given)
        return d.emit(kind, inputs, [out], "ReshapeOptions", NewShape=target)
    if kind == "SQUEEZE":
        ones = [i for i, n in enumerate(shape) if n == 1]
        chosen = d.rng.sample(ones, d.rng.randint(0, len(ones)))
        dropped = chosen or ones
        given = [i - d.rng.choice([0, len(shape)]) for i in chosen]
        target = [n for i, n in enumerate(shape) if i not in dropped]
        return d.emit(
            kind, [x], [d.tensor(target, dtype, quantization)], "SqueezeOptions", SqueezeDims=given
        )
    axis = d.rng.randint(0, len(shape))
    out = d.tensor((*shape[:axis], 1, *shape[axis:]), dtype, quantization)
    given = axis - d.rng.choice([0, len(shape) + 1])
    return d.emit(kind, [x, d.integers(d.rng.choice([given, [given]]))], [out], "ExpandDimsOptions")


def transpose(d: Drawing) -> None:
    x, shape, dtype, quantization = moved(d, 1, 5)
    order = list(range(len(shape)))
    d.rng.shuffle(order)
    out = d.tensor([shape[i] for i in order], dtype, quantization)
    d.emit("TRANSPOSE", [x, d.integers(order)], [out], "TransposeOptions")


def pad(d: Drawing) -> None:
    name = d.rng.choice(["PAD", "PADV2", "MIRROR_PAD"])
    x, shape, dtype, quantization = moved(d, 1, 5)
    mode = d.rng.choice([0, 1])
    most = [min(2, n - (0 if mode else 1)) if name == "MIRROR_PAD" else 3 for n in shape]
    amounts = [[d.rng.choice([0, d.rng.randint(0, m)]) for _ in range(2)] for m in most]
    out = d.tensor(
        [n + a + b for n, (a, b) in zip(shape, amounts, strict=True)], dtype, quantization
    )
    inputs = [x, d.integers(amounts, d.rng.choice(["int32", "int32", "int64"]))]
    if name == "MIRROR_PAD":
        return d.emit(name, inputs, [out], "MirrorPadOptions", Mode=mode)
    if name == "PADV2":
        inputs.append(d.tensor((1,), dtype, quantization, constant=True))
    return d.emit(name, inputs, [out], "PadOptions" if name == "PAD" else "PadV2Options")


def slicing(d: Drawing) -> None:
    x, shape, dtype, quantization = moved(d, 1, 5)
    if d.chance(0.4):
        begin = [d.rng.randrange(n) for n in shape]
        size = [d.rng.randint(1, n - b) for n, b in zip(shape, begin, strict=True)]
        given = [
            -1 if n - b == s and d.chance(0.5) else s
            for n, b, s in zip(shape, begin, size, strict=True)
        ]
        kind = d.rng.choice(["int32", "int32", "int64"])
        out = d.tensor(size, dtype, quantization)
        return d.emit(
            "SLICE", [x, d.integers(begin, kind), d.integers(given, kind)], [out], "SliceOptions"
        )
    return _strided(d, x, shape, dtype, quantization)


def _strided(
    d: Drawing, x: int, shape: tuple[int, ...], dtype: str, quantization: tuple[float, int] | None
) -> None:
    masks = {"BeginMask": 0, "EndMask": 0, "ShrinkAxisMask": 0}
    begins, ends, strides, target = [], [], [], []
    for i, n in enumerate(shape):
        stride = d.rng.choice([1, 1, 1, 2, 3, -1, -2])
        first, last = sorted(d.rng.sample(range(n + 1), 2))
        begin, end = (first, last) if stride > 0 else (last - 1, first - 1)
        bits = {name: d.chance(0.2) for name in ("BeginMask", "EndMask")}
        shrink = d.chance(0.15) and len(target) + len(shape) - i > 1
        if shrink:
            stride, end, bits = 1, begin + 1, {}
        real_begin = (0 if stride > 0 else n - 1) if bits.get("BeginMask") else begin
        real_end = (n if stride > 0 else -1) if bits.get("EndMask") else end
        if end < 0:
            end -= n  # before the first element
        elif begin > 0 and d.chance(0.3):
            begin -= n
        begins.append(begin), ends.append(end), strides.append(stride)
        for name, bit in bits.items():
            masks[name] |= int(bit) << i
        if shrink:
            masks["ShrinkAxisMask"] |= 1 << i
        else:
            target.append(len(range(real_begin, real_end, stride)))
    out = d.tensor(target, dtype, quantization)
    inputs = [x, *(d.integers(v) for v in (begins, ends, strides))]
    d.emit("STRIDED_SLICE", inputs, [out], "StridedSliceOptions", **masks)


def blocks(d: Drawing) -> None:
    dtype = d.rng.choice(("int8", "uint8", "float32", "int16", "int32"))
    quantization = d.quantization(dtype) if dtype in ("int8", "uint8", "int16") else None
    name = d.rng.choice(
        ["DEPTH_TO_SPACE", "SPACE_TO_DEPTH", "SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND"]
    )
    b, h, w, c = (
        d.rng.choice([1, 1, 2]),
        d.rng.randint(1, 4),
        d.rng.randint(1, 4),
        d.rng.randint(1, 4),
    )
    n = d.rng.choice([1, 2, 2, 3])
    if name == "DEPTH_TO_SPACE":
        x, out = (b, h, w, c * n * n), (b, h * n, w * n, c)
        return d.emit(
            name,
            [d.tensor(x, dtype, quantization)],
            [d.tensor(out, dtype, quantization)],
            "DepthToSpaceOptions",
            BlockSize=n,
        )
    if name == "SPACE_TO_DEPTH":
        x, out = (b, h * n, w * n, c), (b, h, w, c * n * n)
        return d.emit(
            name,
            [d.tensor(x, dtype, quantization)],
            [d.tensor(out, dtype, quantization)],
            "SpaceToDepthOptions",
            BlockSize=n,
        )
    spatial = d.rng.choice([1, 2, 2])
    block = [d.rng.choice([1, 2, 3]) for _ in range(spatial)]
    inner = [h, w][:spatial]
    edges = [[d.rng.randint(0, 2) for _ in range(2)] for _ in block]
    big = [m * k for m, k in zip(inner, block, strict=True)]
    open_ = [m - sum(e) for m, e in zip(big, edges, strict=True)]
    # TFLite Micro pads integers with a value that it does not set, mostly 0.
    if min(open_) < 1 or (name == "SPACE_TO_BATCH_ND" and quantization and quantization[1]):
        edges, open_ = [[0, 0]] * spatial, big
    batched, plain = (b * math.prod(block), *inner, c), (b, *open_, c)
    inputs = [d.integers(block), d.integers(edges)]
    if name == "SPACE_TO_BATCH_ND":
        return d.emit(
            name,
            [d.tensor(plain, dtype, quantization), *inputs],
            [d.tensor(batched, dtype, quantization)],
            "SpaceToBatchNDOptions",
        )
    return d.emit(
        name,
        [d.tensor(batched, dtype, quantization), *inputs],
        [d.tensor(plain, dtype, quantization)],
        "BatchToSpaceNDOptions",
    )


def gather(d: Drawing) -> None:
    x, shape, dtype, quantization = moved(d, 1, 4)
    kind = d.rng.choice(["int32", "int32", "int16", "int64", "int8"])
    if d.chance(0.3):
        depth = d.rng.randint(1, len(shape))
        rows = d.shape(0, 2)
        values = np.stack(
            [
                np.array([d.rng.randrange(shape[i]) for _ in range(math.prod(rows))]).reshape(rows)
                for i in range(depth)
            ],
            -1,
        )
        indices = d.tensor(
            values.shape, kind if kind != "int8" else "int32", values=values.astype(kind)
        )
        return d.emit(
            "GATHER_ND",
            [x, indices],
            [d.tensor((*rows, *shape[depth:]), dtype, quantization)],
            "GatherNdOptions",
        )
    axis = d.rng.randrange(len(shape))
    batch = d.rng.choice([0, 0, 0, d.rng.randint(0, axis)])
    own = (*shape[:batch], *d.shape(0, 2))
    values = np.array([d.rng.randrange(shape[axis]) for _ in range(math.prod(own))], kind).reshape(
        own
    )
    kind = "int32" if kind == "int8" else kind
    indices = d.tensor(own, kind, values=values.astype(kind), constant=d.chance(0.4))
    out = d.tensor((*shape[:axis], *own[batch:], *shape[axis + 1 :]), dtype, quantization)
    return d.emit(
        "GATHER",
        [x, indices],
        [out],
        "GatherOptions",
        Axis=axis - d.rng.choice([0, len(shape)]),
        BatchDims=batch,
    )


def embedding(d: Drawing) -> None:
    shape = d.shape(2, 3)
    count = d.rng.randint(1, 4)
    values = np.array([d.rng.randrange(shape[0]) for _ in range(count)], np.int32)
    indices = d.tensor((count,), "int32", values=values)
    kind = d.rng.choice(["float32", "int8"])
    table = d.tensor(shape, kind, (d.scale(), 0), constant=True)
    target = d.rng.choice(["float32", kind])
    out = d.tensor(
        (count, *shape[1:]), target, (d.tensors[table].scale, 0) if target == "int8" else None
    )  # type: ignore[arg-type]
    d.emit("EMBEDDING_LOOKUP", [indices, table], [out])


def repetition(d: Drawing) -> None:
    x, shape, dtype, quantization = moved(d, 1, 4)
    name = d.rng.choice(["BROADCAST_TO", "TILE", "REVERSE_V2", "FILL", "SHAPE", "RANK"])
    if name == "BROADCAST_TO":
        target = [d.rng.randint(1, 4) if n == 1 else n for n in shape]
        target = [*[d.rng.randint(1, 3) for _ in range(d.rng.randint(0, 5 - len(shape)))], *target]
        return d.emit(
            name,
            [x, d.integers(target, d.rng.choice(["int32", "int64"]))],
            [d.tensor(target, dtype, quantization)],
            "BroadcastToOptions",
        )
    if name == "TILE":
        times = [d.rng.randint(1, 3) for _ in shape]
        target = [n * t for n, t in zip(shape, times, strict=True)]
        return d.emit(
            name, [x, d.integers(times)], [d.tensor(target, dtype, quantization)], "TileOptions"
        )
    if name == "REVERSE_V2":
        axes = d.rng.sample(range(len(shape)), d.rng.randint(1, len(shape)))
        return d.emit(
            name, [x, d.integers(axes)], [d.tensor(shape, dtype, quantization)], "ReverseV2Options"
        )
    if name == "FILL":
        value = d.tensor((), dtype, quantization)
        return d.emit(
            name, [d.integers(shape), value], [d.tensor(shape, dtype, quantization)], "FillOptions"
        )
    target = (len(shape),) if name == "SHAPE" else ()
    return d.emit(
        name,
        [x],
        [d.tensor(target, "int32")],
        "ShapeOptions" if name == "SHAPE" else "RankOptions",
        **({"OutType": 2} if name == "SHAPE" else {}),
    )


def reduction(d: Drawing) -> None:
    name = d.rng.choice(
        [
            "MEAN",
            "MEAN",
            "SUM",
            "REDUCE_MAX",
            "REDUCE_MIN",
            "REDUCE_PROD",
            "REDUCE_ALL",
            "REDUCE_ANY",
        ]
    )
    dtype = (
        "bool"
        if name in ("REDUCE_ALL", "REDUCE_ANY")
        else d.rng.choice(["int8", "int8", "uint8", "int16", "int32", "int64", "float32"])
    )
    shape = d.shape(1, 5 if d.chance(0.2) else 4)
    axes = d.rng.sample(range(len(shape)), d.rng.randint(1, len(shape)))
    keep = d.chance(0.5)
    target = [1 if i in axes else n for i, n in enumerate(shape) if keep or i not in axes]
    given = [i - d.rng.choice([0, len(shape)]) for i in axes]
    quantization = d.quantization(dtype) if dtype in ("int8", "uint8", "int16") else None
    x = d.tensor(shape, dtype, quantization)
    same = name.startswith("REDUCE_M") or d.chance(0.3)
    axis = d.integers(given if len(given) > 1 or d.chance(0.5) else given[0])
    d.emit(
        name,
        [x, axis],
        [d.tensor(target, dtype, quantization if same else None)],
        "ReducerOptions",
        KeepDims=keep,
    )


def arg_extremum(d: Drawing) -> None:
    name = d.rng.choice(["ARG_MAX", "ARG_MIN"])
    dtype = d.rng.choice(["int8", "uint8", "int16", "int32", "float32"])
    shape = d.shape(1, 4)
    axis = d.rng.randrange(len(shape))
    kind = d.rng.choice(["int32", "int64"])
    out = d.tensor(shape[:axis] + shape[axis + 1 :], kind)
    inputs = [d.tensor(shape, dtype), d.integers(axis - d.rng.choice([0, len(shape)]))]
    words = "ArgMax" if name == "ARG_MAX" else "ArgMin"
    d.emit(name, inputs, [out], f"{words}Options", OutputType=2 if kind == "int32" else 4)


def cumsum(d: Drawing) -> None:
    dtype = d.rng.choice(["float32", "int8", "int32", "int64"])
    shape = d.shape(1, 4)
    axis = d.rng.randrange(len(shape)) - d.rng.choice([0, len(shape)])
    quantization = d.quantization("int8")
    x, out = (
        d.tensor(shape, dtype, quantization),
        d.tensor(shape, dtype, quantization if d.chance(0.5) else None),
    )
    d.emit(
        "CUMSUM",
        [x, d.integers(axis)],
        [out],
        "CumsumOptions",
        Exclusive=d.chance(0.5),
        Reverse=d.chance(0.5),
    )


def dynamic_update(d: Drawing) -> None:
    dtype = d.rng.choice(["int8", "float32"])
    shape = d.shape(1, 4, 6)
    block = [d.rng.randint(1, n) for n in shape]
    x = d.tensor(shape, dtype)
    quantization = (d.tensors[x].scale, d.tensors[x].zero_point) if dtype == "int8" else None
    update = d.tensor(block, dtype, quantization)  # type: ignore[arg-type]
    index = d.rng.choice(["int32", "int64"])
    starts = np.array([d.rng.randint(-2, n + 1) for n in shape], index)
    start = d.tensor(starts.shape, index, constant=d.chance(0.3), values=starts)
    out = d.tensor(shape, dtype, quantization)  # type: ignore[arg-type]
    d.emit("DYNAMIC_UPDATE_SLICE", [x, update, start], [out])


DRAWS = (
    dynamic_update,
    concatenation,
    pack,
    unpack,
    split,
    reshape,
    transpose,
    pad,
    slicing,
    slicing,
    blocks,
    gather,
    embedding,
    repetition,
    reduction,
    reduction,
    arg_extremum,
    cumsum,
)
