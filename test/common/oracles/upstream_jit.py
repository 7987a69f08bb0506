"""An oracle: TOSA through upstream passes only, down to LLVM, executed in this process.

It shares nothing with the project's own lowering. What upstream cannot lower is done here: the
softmax contract becomes a call back into NumPy, and variables become arguments and results of
`@main` that the caller of `Jit` never sees.
"""

from __future__ import annotations

import ctypes
import io
from collections.abc import Sequence

import numpy as np
from mlir import ir, passmanager, runtime
from mlir.dialects import func, tosa

from common.oracles.contexts import kernel_context
from common.oracles.unoptimized_jit import UnoptimizedEngine
from forebay.ir.softmax import FloatSoftmax, Softmax, softmax_of

_TENSORS = (
    "func.func(tosa-convert-integer-type-to-signless,tosa-infer-shapes,"
    "tosa-optional-decompositions,canonicalize,tosa-make-broadcastable,tosa-to-linalg-named,"
    "canonicalize,tosa-layerwise-constant-fold,tosa-to-linalg,tosa-to-tensor,tosa-to-scf,"
    "tosa-to-arith{include-apply-rescale=true use-32-bit=false},linalg-generalize-named-ops,"
    "linalg-fuse-elementwise-ops,empty-tensor-to-alloc-tensor)"
)
_BUFFERS = (
    "one-shot-bufferize{bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map},"
    "buffer-results-to-out-params{hoist-static-allocs=true modify-public-functions=true}"
)
_LOOPS = "func.func(convert-linalg-to-loops),lower-affine,expand-strided-metadata,lower-affine"
_LLVM = (
    "convert-scf-to-cf,func.func(llvm-request-c-wrappers),convert-math-to-llvm,convert-math-to-libm,"
    "convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,"
    "reconcile-unrealized-casts"
)
PIPELINE = f"builtin.module({_TENSORS},{_BUFFERS},{_LOOPS},{_LLVM})"


def run_tosa(module: ir.Module, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The outputs of `@main`, as signless integers or floats."""
    return Jit(module)(*inputs)


class Jit:
    """A compiled copy of the module; each call is one inference, on the state of the one before."""

    def __init__(self, module: ir.Module) -> None:
        buffer = io.BytesIO()
        module.operation.write_bytecode(buffer)
        with kernel_context() as context:
            context.allow_unregistered_dialects = True
            copy = ir.Module.parse(buffer.getvalue())
            main = next(
                op
                for op in copy.body.operations
                if isinstance(op, func.FuncOp) and op.name.value == "main"
            )
            for name in ("arg_attrs", "res_attrs"):
                if name in main.attributes:
                    del main.attributes[name]
            softmaxes = _softmaxes_to_calls(copy, main)
            self._state = _state_to_arguments(copy, main)
            _mark_arguments(main, {"bufferization.writable": ir.BoolAttr.get(False)})
            self._results = [
                (tuple(t.shape), _numpy_type(t.element_type))
                for t in map(ir.RankedTensorType, main.type.results)
            ]
            copy.operation.verify()
            passmanager.PassManager.parse(PIPELINE).run(copy.operation)
            self._engine = UnoptimizedEngine(copy)
        self._callbacks = []
        for name, (parameters, rank) in softmaxes.items():
            callback = _softmax_callback(parameters, rank)
            self._callbacks.append(callback)
            self._engine.register_runtime(name, callback)

    def __call__(self, *inputs: np.ndarray) -> list[np.ndarray]:
        operands = [np.array(x, order="C") for x in (*inputs, *self._state)]
        results = [np.zeros(shape, dtype) for shape, dtype in self._results]
        pointers = [
            ctypes.pointer(ctypes.pointer(runtime.get_ranked_memref_descriptor(array)))
            for array in (*operands, *results)
        ]
        self._engine.invoke("main", *pointers)
        outputs = len(results) - len(self._state)
        self._state = results[outputs:]
        return results[:outputs]


def softmax(values: np.ndarray, parameters: Softmax) -> np.ndarray:
    """TFLite's reference softmax over the last dimension."""
    if isinstance(parameters, FloatSoftmax):
        exponentials = np.exp(
            (values - values.max(-1, keepdims=True)) * np.float32(parameters.beta)
        )
        return exponentials / exponentials.sum(-1, keepdims=True)
    rows = values.reshape(-1, values.shape[-1]).astype(int)
    return np.array([_softmax_row(row, parameters) for row in rows.tolist()], np.int8).reshape(
        values.shape
    )


def _softmax_row(row: list[int], parameters) -> list[int]:
    highest = max(row)
    exponentials = []
    for value in row:
        difference = value - highest
        if difference < parameters.diff_min:
            exponentials.append(None)
            continue
        shifted = difference << parameters.input_left_shift
        exponentials.append(
            _exp_on_negative_values(_high_mul(shifted, parameters.input_multiplier))
        )
    total = sum(_divide_pot(e, 12) for e in exponentials if e is not None)
    # reciprocal of the Q12.19 sum: normalise to [1, 2) and take 1 / (1 + x)
    headroom = 32 - total.bit_length()
    over_unit = 12 - headroom
    fraction = ((total << headroom) & 0xFFFFFFFF) - (1 << 31)
    scale = _one_over_one_plus_x(fraction)
    outputs = []
    for e in exponentials:
        scaled = 0 if e is None else _divide_pot(_high_mul(scale, e), over_unit + 31 - 8)
        outputs.append(max(-128, min(127, scaled - 128)))
    return outputs


def _high_mul(a: int, b: int) -> int:
    """gemmlowp's SaturatingRoundingDoublingHighMul."""
    if a == b == -(1 << 31):
        return (1 << 31) - 1
    product = a * b
    nudged = product + ((1 << 30) if product >= 0 else 1 - (1 << 30))
    return nudged >> 31 if nudged >= 0 else -((-nudged) >> 31)


def _divide_pot(value: int, exponent: int) -> int:
    mask = (1 << exponent) - 1
    threshold = (mask >> 1) + (1 if value < 0 else 0)
    return (value >> exponent) + (1 if (value & mask) > threshold else 0)


def _saturating_shift(value: int, exponent: int) -> int:
    return max(-(1 << 31), min((1 << 31) - 1, value << exponent))


def _exp_on_interval(a: int) -> int:
    """exp(a) for a in [-1/4, 0) in Q0.31."""
    x = a + (1 << 28)
    x2 = _high_mul(x, x)
    x3 = _high_mul(x2, x)
    x4 = _high_mul(x2, x2)
    x4_over_4 = _divide_pot(x4, 2)
    inner = _divide_pot(_high_mul(x4_over_4 + x3, 715827883) + x2, 1)
    return 1895147668 + _high_mul(1895147668, x + inner)


def _exp_on_negative_values(a: int) -> int:
    """exp(a) in Q0.31 of a Q5.26 number a <= 0."""
    if a == 0:
        return (1 << 31) - 1
    quarter = 1 << 24
    modulo = (a & (quarter - 1)) - quarter
    result = _exp_on_interval(_saturating_shift(modulo, 5))
    remainder = modulo - a
    factors = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
    for exponent, factor in zip(range(-2, 5), factors, strict=True):
        if remainder & (1 << (26 + exponent)):
            result = _high_mul(result, factor)
    return result


def _one_over_one_plus_x(a: int) -> int:
    """1 / (1 + a) for a in [0, 1) in Q0.31, by three Newton-Raphson steps in Q2.29."""
    half = (a + ((1 << 31) - 1) + 1) >> 1
    x = 1515870810 + _high_mul(half, -1010580540)
    for _ in range(3):
        product = _high_mul(half, x)
        error = (1 << 29) - product
        x = x + _saturating_shift(_high_mul(x, error), 2)
    return _saturating_shift(x, 1)


def _softmaxes_to_calls(module: ir.Module, main: func.FuncOp) -> dict[str, tuple[Softmax, int]]:
    found: dict[str, tuple[Softmax, int]] = {}
    for op in list(main.body.blocks[0].operations):
        parameters = softmax_of(op)
        if parameters is None:
            continue
        name = f"softmax_{len(found)}"
        kind = ir.RankedTensorType(op.operation.results[0].type)
        found[name] = (parameters, kind.rank)
        with ir.InsertionPoint.at_block_begin(module.body), op.location:
            declared = func.FuncOp(name, ([kind], [kind]), visibility="private")
            declared.attributes["llvm.emit_c_interface"] = ir.UnitAttr.get()
            _mark_arguments(declared, {"bufferization.access": ir.StringAttr.get("read")})
        with ir.InsertionPoint(op), op.location:
            call = func.CallOp([kind], name, list(op.operation.operands))
        op.operation.results[0].replace_all_uses_with(call.results[0])
        op.operation.erase()
    return found


def _softmax_callback(parameters: Softmax, rank: int):
    """The C interface of an external function: the result's descriptor first, to be filled in."""
    kept = []

    def callback(result, source) -> None:
        values = runtime.ranked_memref_to_numpy([source.contents])
        output = np.ascontiguousarray(softmax(values, parameters), dtype=values.dtype)
        kept[:] = [output]
        filled = runtime.get_ranked_memref_descriptor(output)
        ctypes.memmove(result, ctypes.byref(filled), ctypes.sizeof(filled))

    element = ctypes.c_float if isinstance(parameters, FloatSoftmax) else ctypes.c_int8
    descriptor = ctypes.POINTER(runtime.make_nd_memref_descriptor(rank, element))
    return ctypes.CFUNCTYPE(None, descriptor, descriptor)(callback)


def _state_to_arguments(module: ir.Module, main: func.FuncOp) -> list[np.ndarray]:
    """Turn variables into trailing arguments and results; gives their initial values."""
    variables = [op for op in module.body.operations if isinstance(op, tosa.VariableOp)]
    block = main.body.blocks[0]
    terminator = block.operations[len(block.operations) - 1]
    results = list(terminator.operands)
    state = []
    current: dict[str, ir.Value] = {}
    for variable in variables:
        initial = ir.DenseElementsAttr(variable.attributes["initial_value"])
        current[_symbol(variable, "sym_name")] = block.add_argument(initial.type, variable.location)
        state.append(np.array(initial))
    for op in list(block.operations):
        if isinstance(op, tosa.VariableReadOp):
            op.results[0].replace_all_uses_with(current[_symbol(op, "name")])
            op.operation.erase()
        elif isinstance(op, tosa.VariableWriteOp):
            current[_symbol(op, "name")] = op.operands[0]
            op.operation.erase()
    if variables:
        results += list(current.values())
        with ir.InsertionPoint(terminator), terminator.location:
            func.ReturnOp(results)
        terminator.operation.erase()
        types = ir.FunctionType.get([a.type for a in block.arguments], [r.type for r in results])
        main.attributes["function_type"] = ir.TypeAttr.get(types)
        for variable in variables:
            variable.operation.erase()
    return state


def _symbol(op: ir.OpView, name: str) -> str:
    return ir.StringAttr(op.operation.attributes[name]).value


def _mark_arguments(function: func.FuncOp, attributes: dict[str, ir.Attribute]) -> None:
    """Arguments count as writable otherwise, and the caller's inputs get overwritten."""
    count = len(function.type.inputs)
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(attributes)] * count)


def _numpy_type(element: ir.Type) -> np.dtype:
    if isinstance(element, ir.F32Type):
        return np.dtype(np.float32)
    width = ir.IntegerType(element).width
    return np.dtype(bool) if width == 1 else np.dtype(f"int{width}")
