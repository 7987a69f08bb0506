"""accel-attach-target: write the target's devices, pools and intrinsics into the module."""

from typing import ClassVar

from mlir import ir
from mlir.dialects.builtin import ModuleOp

from forebay import targets
from forebay.ir.machine.target import name_target
from forebay.ir.module import module_of
from forebay.passes._pass import Pass, PassError, option
from forebay.support.records import record


@record
class AccelAttachTarget(Pass):
    """Write the target's devices, pools and intrinsics into the module, as symbols.

    Every later pass reads them from the module and knows no target by name. Only the patterns,
    which are Python, are looked up again, by the module's `accel.target`. Refuses a module that has
    a symbol of the same name already.
    """

    name: ClassVar[str] = "accel-attach-target"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "memref_pool", "arith", "memref", "scf")

    target: str = option("host", "name or file of the target, and parameters: npu.py:sram=65536")

    def run(self, op: ir.Operation) -> None:
        """Insert the operations at the module's beginning."""
        try:
            target = targets.load(self.target)
        except targets.TargetError as error:
            raise PassError(op.location, str(error)) from error
        module = module_of(op)
        _refuse_taken_names(module, target)
        with ir.InsertionPoint.at_block_begin(module.body):
            targets.attach(target)
        name_target(module, self.target)


def _refuse_taken_names(module: ModuleOp, target: targets.Target) -> None:
    symbols = ir.SymbolTable(module.operation)
    for name in targets.symbols(target):
        if name in symbols:
            raise PassError(
                symbols[name].location,
                f"target '{target.name}' brings the symbol @{name}, which the module has "
                "already; rename it or attach the target once",
            )
