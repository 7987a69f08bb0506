"""Small ONNX networks for tests, and what ONNX's reference evaluator makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

Array = NDArray[Any]
_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9}


class _Dequantize(OpRun):
    """DequantizeLinear by its definition in opset 13: `(x - zero point) * scale`."""

    op_domain = ""

    def _run(self, x: Array, scale: Array, zero_point: Any = None, axis: int = 1, **_: Any) -> Any:
        shape = [-1 if d == axis % x.ndim else 1 for d in range(x.ndim)] if scale.size > 1 else []
        offset = 0 if zero_point is None else zero_point.astype(np.int32).reshape(shape)
        return (((x.astype(np.int32) - offset) * scale.reshape(shape)).astype(scale.dtype),)


_Dequantize.__name__ = "DequantizeLinear"


class OnnxNetwork:
    """A network under construction; each method returns the name of a tensor."""

    def __init__(self, seed: int = 1, *, unsigned: bool = False, opset: int = 21) -> None:
        self.rng = np.random.default_rng(seed)
        self.dtype = np.uint8 if unsigned else np.int8
        self._opset = opset
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[TensorProto] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._count = 0

    def input(self, name: str, shape: Sequence[int], dtype: str = "float32") -> str:
        self._inputs.append(helper.make_tensor_value_info(name, _TYPES[dtype], shape))
        return name

    def output(self, name: str, dtype: str = "float32") -> str:
        self._outputs.append(helper.make_tensor_value_info(name, _TYPES[dtype], None))
        return name

    def output_of(self, name: str, dtype: str, rank: int) -> str:
        """Add an output that ONNX cannot infer the type of."""
        sizes = [f"{name}_{i}" for i in range(rank)]
        self._outputs.append(helper.make_tensor_value_info(name, _TYPES[dtype], sizes))
        return name

    def constant(self, values: Any, name: str = "") -> str:
        array = np.asarray(values)
        name = name or self._name("const")
        self._constants.append(numpy_helper.from_array(array, name))
        return name

    def op(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        results = [self._name(kind.lower()) for _ in range(outputs)]
        self._nodes.append(helper.make_node(kind, list(inputs), results, **attributes))
        return results[0] if outputs == 1 else results

    def scale(self, low: float = 0.01, high: float = 0.05) -> np.float32:
        return np.float32(self.rng.uniform(low, high))

    def quantised(self, x: str, scale: Any = None, zero_point: int | None = None) -> str:
        """Quantise and dequantise a tensor, as a quantiser marks an activation."""
        scale = self.scale() if scale is None else np.float32(scale)
        limits = np.iinfo(self.dtype)
        if zero_point is None:
            zero_point = int(self.rng.integers(limits.min + 60, limits.max - 60))
        return self.dequantised(self.op("QuantizeLinear", x, *self._at(scale, zero_point)))

    def dequantised(self, q: str) -> str:
        """Dequantise what the last QuantizeLinear gave."""
        quantise = next(n for n in reversed(self._nodes) if q in n.output)
        return self.op("DequantizeLinear", q, *quantise.input[1:])

    def weights(self, *shape: int, axis: int | None = 0, unsigned: bool = False) -> tuple[str, Any]:
        """Return dequantised random weights, and their scales."""
        kind = np.uint8 if unsigned else np.int8
        limits = np.iinfo(kind)
        q = self.rng.integers(limits.min, limits.max + 1, shape).astype(kind)
        count = 1 if axis is None else shape[axis]
        scales = self.rng.uniform(0.002, 0.01, count).astype(np.float32)
        scales = scales[0] if axis is None else scales
        zero = np.full(np.shape(scales), 120 if unsigned else 0, kind)
        attributes = {} if axis is None else {"axis": axis}
        name = self.op(
            "DequantizeLinear",
            *(self.constant(q), self.constant(scales), self.constant(zero)),
            **attributes,
        )
        return name, scales

    def bias(self, count: int, scales: Any) -> str:
        q = self.rng.integers(-3000, 3000, count).astype(np.int32)
        both = np.broadcast_to(np.asarray(scales, np.float32), count)
        return self.op(
            "DequantizeLinear",
            *(self.constant(q), self.constant(np.array(both)), self.constant(q * 0)),
            axis=0,
        )

    def conv(self, x: str, channels: tuple[int, int], kernel: int, **attributes: Any) -> str:
        """Convolve a quantised tensor, whose DequantizeLinear is the last with that name."""
        out, depth = channels
        w, scales = self.weights(out, depth, kernel, kernel)
        return self.op("Conv", x, w, self.bias(out, self.scale_of(x) * scales), **attributes)

    def scale_of(self, x: str) -> Any:
        dequantise = next(n for n in self._nodes if x in n.output)
        constant = next(c for c in self._constants if c.name == dequantise.input[1])
        return numpy_helper.to_array(constant)

    def model(self) -> onnx.ModelProto:
        graph = helper.make_graph(
            self._nodes, "net", self._inputs, self._outputs, initializer=self._constants
        )
        model = helper.make_model(
            graph,
            opset_imports=[
                helper.make_opsetid("", self._opset),
                helper.make_opsetid("com.microsoft", 1),
            ],
        )
        model.ir_version = 10
        model = onnx.shape_inference.infer_shapes(model)
        return model

    def save(self, path: Path) -> Path:
        onnx.save(self.model(), path)
        return path

    def _at(self, scale: Any, zero_point: int) -> tuple[str, str]:
        return self.constant(np.float32(scale)), self.constant(np.array(zero_point, self.dtype))

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}_{self._count}"


def reference(path: Path, inputs: Sequence[Array]) -> list[Array]:
    """Return the outputs of ONNX's reference evaluator, which has no DequantizeLinear before 19."""
    evaluator = ReferenceEvaluator(onnx.load(path), new_ops=[_Dequantize])
    return evaluator.run(None, dict(zip(evaluator.input_names, inputs, strict=True)))


def exact_reference(path: Path, inputs: Sequence[Array]) -> list[Array]:
    """Return the outputs with all scales and floats as float64: sums without rounding errors."""
    model = onnx.load(path)
    for constant in model.graph.initializer:
        if constant.data_type == TensorProto.FLOAT:
            wide = numpy_helper.to_array(constant).astype(np.float64)
            constant.CopyFrom(numpy_helper.from_array(wide, constant.name))
    evaluator = ReferenceEvaluator(model, new_ops=[_Dequantize])
    wide_inputs = [x.astype(np.float64) if x.dtype == np.float32 else x for x in inputs]
    return evaluator.run(None, dict(zip(evaluator.input_names, wide_inputs, strict=True)))
