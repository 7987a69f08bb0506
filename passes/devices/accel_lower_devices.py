"""accel-lower-devices: run each device's own lowering stage, with the free memory as input."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import ClassVar

from mlir import ir
from mlir.dialects import func
from mlir.dialects.builtin import ModuleOp

from forebay import targets
from forebay.device_stages import CallSite, Stage
from forebay.device_stages.grants import grant
from forebay.device_stages.probe import ModulePipeline, probe
from forebay.dialects import accel
from forebay.ir.locations import operator_of
from forebay.ir.machine.devices import device_of
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.options.choices import Io
from forebay.passes._pass import Pass, PassError, option
from forebay.pipelines import PipelineError, run_pipeline, stages
from forebay.support.records import record

LOWERED = "accel.lowered"
"""Attribute of the module: the devices in the order in which their stages ran."""


@record
class AccelLowerDevices(Pass):
    """Run the stages of the target's devices on their calls, one device after the other.

    A stage gets each `accel.call` of its device on tensors, and the number of bytes of each pool
    that are free while the call runs. These numbers come from a trial plan of the whole program,
    made after the devices before this one were lowered. The result of the stage becomes a private
    function with a grant; `accel-check-grants` compares the grant with the final plan. A device
    without a stage keeps its calls. `share` is below 100 where the final plan has no room for all
    free bytes: they may be in ranges that are too small.
    """

    name: ClassVar[str] = "accel-lower-devices"
    # Includes the dialects of the trial plan's passes: MLIR loads no dialect while passes run.
    dialects: ClassVar[tuple[str, ...]] = (
        "accel",
        "arith",
        "bufferization",
        "func",
        "linalg",
        "memref",
        "memref_pool",
        "scf",
        "tensor",
    )

    target: str = option("host", "name or file of the target whose devices have the stages")
    order: tuple[str, ...] = option((), "devices to lower first; the others follow")
    io: Io = option("caller", "where inputs and outputs live, for the trial plan")
    slots: int = option(2, "buffers for each tile of a pipelined loop, for the trial plan", least=1)
    share: int = option(100, "percent of the free bytes that a stage gets", least=1)

    def run(self, op: ir.Operation) -> None:
        """Plan on trial and lower, device by device."""
        module = module_of(op)
        to_buffers, to_plan = stages.trial(self.io, self.slots)
        trial = partial(run_pipeline, pipeline=to_buffers), partial(run_pipeline, pipeline=to_plan)
        devices = self._in_order(op)
        if not devices:
            return
        op.attributes[LOWERED] = ir.ArrayAttr.get(
            [ir.FlatSymbolRefAttr.get(device.name) for device in devices]
        )
        for device in devices:
            if device.stage is not None:
                _lower_device(module, device, trial, self.share)

    def _in_order(self, op: ir.Operation) -> list[targets.Device]:
        """Return the devices without the host: the named ones, then the others in target order."""
        try:
            target = targets.load(self.target)
        except targets.TargetError as error:
            raise PassError(op.location, str(error)) from error
        known = {device.name: device for device in target.devices if not device.host}
        for name in self.order:
            if name not in known:
                listed = ", ".join(f"'{device}'" for device in known) or "none"
                raise PassError(
                    op.location,
                    f"cannot lower the device '{name}' of the order, which target '{target.name}' "
                    f"does not have; its devices beside the host: {listed}",
                )
        names = dict.fromkeys((*self.order, *known))
        return [known[name] for name in names]


def _lower_device(
    module: ModuleOp,
    device: targets.Device,
    trial: tuple[ModulePipeline, ModulePipeline],
    share: int,
) -> None:
    assert device.stage is not None
    calls = [
        op
        for op in ops_nested_in(module)
        if isinstance(op, accel.CallOp) and op.result_tensors and device_of(op) == device.name
    ]
    if not calls:
        return
    reserved = [{} if device.reserve is None else device.reserve(call) for call in calls]
    try:
        contexts = probe(module, calls, reserved, trial)
    except PipelineError as error:
        raise PassError(
            module.location,
            f"no trial plan for the stage of @{device.name}, which must know the bytes that are "
            f"free: {error}",
        ) from error
    for call, context in zip(calls, contexts, strict=True):
        free = {pool: size * share // 100 for pool, size in context.free.items()}
        _lower_call(module, CallSite(call, device.name, free, context.operand_pools), device.stage)


def _lower_call(module: ModuleOp, site: CallSite, stage: Stage) -> None:
    """Move the call into a function, let the stage lower it there, and call the function."""
    call = site.call
    function, inner = _outlined(module, call)
    with call.location, ir.InsertionPoint(inner):
        made = stage(replace(site, call=inner))
    if made is None:
        function.erase()
        return
    values = list(made)
    if [value.type for value in values] != [result.type for result in inner.result_tensors]:
        found = ", ".join(str(value.type) for value in values) or "nothing"
        wanted = ", ".join(str(result.type) for result in inner.result_tensors)
        raise PassError(
            call.location,
            f"the stage of @{site.device} must return {wanted} for @{call.callee.value}, "
            f"but returned {found}",
        )
    for result, value in zip(list(inner.result_tensors), values, strict=True):
        result.replace_all_uses_with(value)
    inner.erase()
    grant(function, site.free)
    with call.location, ir.InsertionPoint(call):
        results = [result.type for result in call.result_tensors]
        outer = func.CallOp(results, function.sym_name.value, list(call.operands))
    for before, after in zip(list(call.result_tensors), outer.results, strict=True):
        before.replace_all_uses_with(after)
    call.erase()


def _outlined(module: ModuleOp, call: accel.CallOp) -> tuple[func.FuncOp, accel.CallOp]:
    """Return a private function that takes the call's operands and returns its results."""
    symbols = ir.SymbolTable(module.operation)
    inputs = [operand.type for operand in call.operands]
    results = [result.type for result in call.result_tensors]
    with call.location, ir.InsertionPoint.at_block_begin(module.body):
        function = func.FuncOp(
            _unused_name(call, symbols),
            ir.FunctionType.get(inputs, results),
            visibility="private",
        )
    function.operation.move_after(module.body.operations[len(module.body.operations) - 1])
    block = function.add_entry_block([operand.location for operand in call.operands])
    with call.location, ir.InsertionPoint(block):
        inner = call.operation.clone()
        for index, argument in enumerate(block.arguments):
            inner.operands[index] = argument
        func.ReturnOp(list(inner.results))
    lowered = inner.opview
    assert isinstance(lowered, accel.CallOp)
    return function, lowered


def _unused_name(call: accel.CallOp, symbols: ir.SymbolTable) -> str:
    """Return `conv_2d_3_accel` for operator 3, a CONV_2D, on the device `accel`.

    A call that comes from no operator gets the name of its callee. A number makes the name unique.
    """
    operator = operator_of(call.location)
    stem = call.callee.value
    if operator is not None:
        stem = f"{operator.kind.lower()}_{operator.index}_{device_of(call)}"
    base = name = re.sub(r"\W", "_", stem)
    number = 1
    while name in symbols:
        number += 1
        name = f"{base}_{number}"
    return name
