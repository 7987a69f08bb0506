"""Partitions modules and executes them: every call runs its intrinsic's reference, by LLVM."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from mlir import ir
from mlir.dialects import func, memref

from common.host_jit import BUFFERS, LLVM, LOOPS, _numpy_type, invoke, lower
from common.oracles.unoptimized_jit import UnoptimizedEngine
from forebay import targets
from forebay.dialects import accel, memref_pool
from forebay.frontends.tflite import import_model
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.partition import partition
from forebay.pipelines.host import HOST_LOWERING
from forebay.reports.offload import OffloadReport
from forebay.targets import Target
from forebay.targets.description import reference

_MACHINE = accel.DeviceOp | accel.QueueOp | accel.TransferOp | memref_pool.PoolOp


def partitioned(
    source: str | Path,
    target: Target,
    *,
    place: Iterable[tuple[str, str]] = (),
    placement: Path | None = None,
) -> tuple[ir.Module, OffloadReport]:
    """A module, from text or a model's file, with the target attached, after partitioning."""
    module = ir.Module.parse(source) if isinstance(source, str) else import_model(source)
    with ir.InsertionPoint.at_block_begin(module.body):
        targets.attach(target)
    report = partition(module_of(module), target, place=place, placement=placement)
    assert module.operation.verify()
    return module, report


def calls_in(module: ir.Module) -> list[accel.CallOp]:
    return [op for op in ops_nested_in(module.operation) if isinstance(op, accel.CallOp)]


def run(module: ir.Module, *inputs: np.ndarray) -> list[np.ndarray]:
    """The results of `@main` in signless integers; the module is lowered for that."""
    return Program(module)(*inputs)


class Program:
    """A partitioned module as machine code."""

    def __init__(self, module: ir.Module) -> None:
        main = next(op for op in module.body.operations if isinstance(op, func.FuncOp))
        main.attributes["arg_attrs"] = ir.ArrayAttr.get(
            [ir.DictAttr.get({"bufferization.writable": ir.BoolAttr.get(False)})]
            * len(main.type.inputs)
        )
        self._results = [ir.RankedTensorType(t) for t in main.type.results]
        self._shapes = [(tuple(t.shape), _numpy_type(t.element_type)) for t in self._results]
        lower(module, HOST_LOWERING, BUFFERS)
        _calls_to_functions(module)
        lower(module, LOOPS, LLVM)
        self._engine = UnoptimizedEngine(module)

    def __call__(self, *inputs: np.ndarray) -> list[np.ndarray]:
        results = [np.zeros(shape, dtype) for shape, dtype in self._shapes]
        invoke(self._engine, [*inputs, *results])
        return results


def _calls_to_functions(module: ir.Module) -> None:
    """Each intrinsic as a function of its reference, each call as one of that function."""
    for op in ops_nested_in(module.operation):
        if isinstance(op, accel.CallOp):
            _to_function_call(op)
    for op in list(module.body.operations):
        if isinstance(op, accel.IntrinsicOp):
            text = reference.reference_text(op, reference.IntrinsicRegion.reference)
            assert text is not None
            parsed = ir.Module.parse(text)
            function = parsed.body.operations[0].operation.clone()
            module.body.append(function)
            function.attributes["sym_name"] = op.sym_name
            function.attributes["sym_visibility"] = ir.StringAttr.get("private")
            op.operation.erase()
    for op in list(module.body.operations):
        if isinstance(op, _MACHINE):
            op.operation.erase()


def _to_function_call(call: accel.CallOp) -> None:
    callee = ir.SymbolTable(call.operation.parent.parent)[call.callee.value]
    reads, writes = iter(call.inputs), iter(call.outputs)
    operands = [accel.OperandAttr(attribute) for attribute in callee.signature]
    config = call.config
    with ir.InsertionPoint(call), call.location:
        pointers = [_pointer(next(reads if o.access == "in" else writes)) for o in operands]
        word = ir.IntegerType.get_signless(32)
        scalars = [
            ir.Operation.create(
                "arith.constant",
                results=[word],
                attributes={
                    "value": ir.IntegerAttr.get(
                        word, ir.IntegerAttr(config[ir.StringAttr(name).value]).value
                    )
                },
            ).result
            for name in callee.scalars
        ]
        func.CallOp([], call.callee.value, [*pointers, *scalars])
    call.operation.erase()


def _pointer(value: ir.Value) -> ir.Value:
    type_ = ir.MemRefType(value.type)
    size = int(np.prod(type_.shape))
    flat = ir.MemRefType.get([size], type_.element_type)
    groups = [list(range(len(type_.shape)))]
    if type_ != flat:
        value = memref.CollapseShapeOp(flat, value, groups).result
    dynamic = ir.MemRefType.get([ir.ShapedType.get_dynamic_size()], type_.element_type)
    return memref.CastOp(dynamic, value).result
