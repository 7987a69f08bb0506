"""The description of a planned module's network, before placements become addresses."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import pairwise

from mlir import ir
from mlir.dialects import memref, scf
from msgspec import structs

from forebay.dialects.memref_pool import PlacementAttr
from forebay.frontends.tensors import ModelTensor, ModelTensors
from forebay.ir.interleaved import Interleaving, interleaving_of
from forebay.ir.machine.budget_limits import memories_in
from forebay.ir.machine.device_commands import commanded_devices
from forebay.ir.machine.devices import devices_in, has_handle, host_of
from forebay.ir.memory.access_constraints import AccessConstraints
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.ir.problem.parts import BufferPart
from forebay.ir.problem.ports import EntryPort, numpy_name_of, ports_of
from forebay.ir.problem.problem import PLACEMENT, ProblemExtraction, extract_problem
from forebay.ir.rows.layout import is_rows, row_dims_of, rows_of
from forebay.network.model import (
    BoundInfo,
    BufferInfo,
    DeviceInfo,
    ModelInfo,
    PlannedPool,
    Port,
    Quantization,
)
from forebay.network.quantization import tensors_in_buffers
from forebay.pipelines.schedule import alias_groups, scheduled_operators, steps_of
from forebay.planning import Buffer, Kind, Plan, PoolCertificate, Problem
from forebay.pools import Pool
from forebay.reports.offload import OffloadReport
from forebay.reports.plan_report import PlanReport

NO_MODEL_TENSORS = ModelTensors()


def describe(
    module: ir.Module,
    name: str,
    source_hash: str,
    report: PlanReport,
    *,
    tensors: ModelTensors = NO_MODEL_TENSORS,
    offload: OffloadReport | None = None,
    extraction: ProblemExtraction | None = None,
) -> ModelInfo:
    """Return the ports, pools, buffers and steps of a module between planning and materialisation.

    `tensors` are those of the model's file, with the quantisation of buffers. `extraction` is the
    module's, if it is known.
    """
    root, host = module_of(module), host_of(module.operation)
    extraction = extraction or extract_problem(root)
    held = tensors_in_buffers(extraction.liveness, AccessConstraints(root), tensors)
    operators = scheduled_operators(extraction, offload, host)
    ports = [port for port in ports_of(root) if port.function == "main"]
    return ModelInfo(
        name=name,
        inputs=tuple(_port(port) for port in ports if not port.is_result),
        outputs=tuple(_port(port) for port in ports if port.is_result),
        pools=_pools(module, report, local=False),
        inside=_pools(module, report, local=True),
        source_hash=source_hash,
        devices=_devices(module),
        buffers=_buffers(extraction, report.plan, held),
        steps=steps_of(root, extraction, operators),
        operators=operators,
        target="" if offload is None else offload.target,
        host=host,
        planner=report.plan.planner,
        budget_steps=report.steps,
        ends_loops_by_data=bool(ops_of(root, scf.WhileOp)),
    )


def with_interleaved(model: ModelInfo, module: ir.Module) -> ModelInfo:
    """Return the description with the order of the elements of constants in the final module."""
    orders: dict[tuple[str, int], Interleaving] = {}
    for op in module.body.operations:
        placement = op.attributes.get(PLACEMENT, None)
        if isinstance(op, memref.GlobalOp) and isinstance(placement, PlacementAttr):
            orders[placement.pool, placement.offset] = interleaving_of(op)
    buffers = tuple(
        structs.replace(
            buffer, interleaved=orders.get((buffer.pool, buffer.offset), Interleaving())
        )
        if buffer.kind is Kind.CONSTANT
        else buffer
        for buffer in model.buffers
    )
    return dataclasses.replace(model, buffers=buffers)


def _port(port: EntryPort) -> Port:
    return Port(
        port.name,
        port.dtype,
        port.shape,
        port.scale,
        port.zero_point,
        None if port.placement is None else port.placement.pool,
        0 if port.placement is None else port.placement.offset,
        port.by_rows,
    )


def _pools(module: ir.Module, report: PlanReport, *, local: bool) -> tuple[PlannedPool, ...]:
    """Return the pools that are used: those inside of devices if `local`, else the others."""
    declared = memories_in(module.operation)
    host = host_of(module.operation)
    return tuple(
        _planned(declared[certificate.pool], certificate, report.plan, host)
        for certificate in report.certificates
        if certificate.peak and declared[certificate.pool].local == local
    )


def _planned(pool: Pool, certificate: PoolCertificate, plan: Plan, host: str) -> PlannedPool:
    pool = dataclasses.replace(pool, alignment=plan.base_alignment(pool.name))
    return PlannedPool(
        **vars(pool),
        size=certificate.peak,
        lower_bound=certificate.lower_bound,
        bound=BoundInfo(
            certificate.argument,
            certificate.at_bound,
            certificate.tick,
            tuple((hole.start, hole.end) for hole in certificate.holes),
        ),
        is_host_readable=pool.lets_read(host),
    )


def _devices(module: ir.Module) -> tuple[DeviceInfo, ...]:
    commanded = commanded_devices(module.operation)
    entries = {
        op: tuple(
            entry for entry in ("main", "reset") if op.sym_name.value in commanded.get(entry, ())
        )
        for op in devices_in(module.operation)
    }
    return tuple(
        DeviceInfo(op.sym_name.value, op.kind.value, by, has_handle(op))
        for op, by in entries.items()
        if by
    )


def _buffers(
    extraction: ProblemExtraction, plan: Plan, held: Sequence[ModelTensor | None]
) -> tuple[BufferInfo, ...]:
    problem, roots = extraction.problem, extraction.liveness.buffers
    groups = {
        number: problem.buffers[first].name for number, first in alias_groups(extraction).items()
    }
    return tuple(
        _buffer(
            buffer,
            roots[part.root],
            part,
            problem=problem,
            plan=plan,
            tensor=held[part.root],
            alias_group=groups.get(number, ""),
        )
        for number, (buffer, part) in enumerate(zip(problem.buffers, extraction.parts, strict=True))
    )


def _buffer(
    buffer: Buffer,
    root: UnderlyingBuffer,
    part: BufferPart,
    *,
    problem: Problem,
    plan: Plan,
    tensor: ModelTensor | None,
    alias_group: str,
) -> BufferInfo:
    rows = (0, 0) if part.first is None else (part.first, part.first + part.count)
    return BufferInfo(
        name=buffer.name,
        pool=plan.placements[buffer.name].pool,
        offset=plan.placements[buffer.name].offset,
        size=buffer.size,
        start=min((interval.start for interval in buffer.lifetime), default=0),
        end=max((interval.end for interval in buffer.lifetime), default=len(problem.steps)),
        dtype=numpy_name_of(root.type.element_type) if tensor is None else tensor.dtype,
        shape=_shape_of(root.type, part),
        quantization=None if tensor is None else _quantization(tensor),
        part_of="" if part.first is None else buffer.name.removesuffix(part.suffix),
        rows=rows,
        is_row=part.first is not None and is_rows(root.type),
        kind=buffer.kind,
        gaps=tuple((one.end, two.start) for one, two in pairwise(buffer.lifetime)),
        alias_group=alias_group,
    )


def _shape_of(type_: ir.MemRefType, part: BufferPart) -> tuple[int, ...]:
    shape = tuple(type_.shape)
    if part.first is None:
        return shape
    rows = rows_of(type_)
    dims = row_dims_of(shape) or 1 if rows is None else rows.dims
    return (*(1,) * (dims - 1), part.count, *shape[dims:])


def _quantization(tensor: ModelTensor) -> Quantization:
    return Quantization(tensor.scales, tensor.zero_points, tensor.stride)
