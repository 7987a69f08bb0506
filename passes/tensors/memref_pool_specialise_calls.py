"""memref-pool-specialise-calls: clone a private function for each combination of memories."""

from collections import defaultdict
from typing import ClassVar

from mlir import ir
from mlir.dialects import func

from forebay.ir.memory.call_signatures import Instance, callees_of, entry_instance
from forebay.ir.memory.underlying_buffers import entry_functions, functions_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.passes._pass import Pass


class MemrefPoolSpecialiseCalls(Pass):
    """Clone private functions whose callers' tensors are in different memories.

    A function has one memory space for each argument and result. If one call passes an input of the
    program and another call passes a buffer of a pool, the function would need copies in and out.
    With a clone for each combination of memories it needs none. Calls with equal combinations share
    one clone. The first keeps the name; the names of the others end with a number.
    """

    name: ClassVar[str] = "memref-pool-specialise-calls"

    def run(self, op: ir.Operation) -> None:
        """Find all combinations, starting at the entry functions, then clone."""
        module = module_of(op)
        functions = {f.sym_name.value: f for f in functions_in(module)}
        calls: dict[Instance, list[Instance | None]] = {}
        waiting = [entry_instance(function) for function in entry_functions(module)]
        while waiting:
            instance = waiting.pop(0)
            if instance not in calls:
                calls[instance] = list(callees_of(instance, functions))
                waiting += [callee for callee in calls[instance] if callee is not None]
        made = _made(op, functions, list(calls))
        for instance, callees in calls.items():
            _call(made[instance], [None if c is None else made[c] for c in callees])


def _made(
    module: ir.Operation, functions: dict[str, func.FuncOp], instances: list[Instance]
) -> dict[Instance, func.FuncOp]:
    """Return a function for each instance; the calls in it are not changed yet."""
    symbols = ir.SymbolTable(module)
    numbers: dict[str, int] = defaultdict(int)
    made: dict[Instance, func.FuncOp] = {}
    for instance in instances:
        original = functions[instance.function]
        if not numbers[instance.function]:
            numbers[instance.function] = 1
            made[instance] = original
            continue
        while (name := f"{instance.function}_{numbers[instance.function]}") in symbols:
            numbers[instance.function] += 1
        clone = original.operation.clone(ir.InsertionPoint(original)).opview
        assert isinstance(clone, func.FuncOp)
        clone.attributes["sym_name"] = ir.StringAttr.get(name)
        symbols = ir.SymbolTable(module)
        made[instance] = clone
    return made


def _call(function: func.FuncOp, callees: list[func.FuncOp | None]) -> None:
    for call, callee in zip(ops_of(function, func.CallOp), callees, strict=True):
        if callee is not None:
            call.attributes["callee"] = ir.FlatSymbolRefAttr.get(callee.sym_name.value)
