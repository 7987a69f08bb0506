"""accel-share-kernels: let operators with equal kernels call one function."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, func, tosa
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.cpus import schedule_of
from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import AllocOp, PlacementAttr, RowPlacementAttr
from forebay.ir.identity import identity_of
from forebay.ir.liveness.call_order import calls_in_order
from forebay.ir.locations import operator_of
from forebay.ir.machine.devices import ON
from forebay.ir.machine.pools import candidates_of
from forebay.ir.memory.call_sites import CallSites
from forebay.ir.memory.underlying_buffers import entry_functions, functions_in, is_private
from forebay.ir.module import module_of
from forebay.ir.nested import defining_op
from forebay.ir.structure import FunctionStructure, structure_of
from forebay.passes._pass import Pass, option
from forebay.support.records import record

_FACTORS = {1: "multiplier", 2: "shift"}
"""The operands of `tosa.apply_scale` that are factors of the requantisation."""
_ZERO_POINT = "zero_point"
"""The number that is added to a requantised value."""


@record
class AccelShareKernels(Pass):
    """Merge the private functions of operators whose kernels are equal.

    Functions are equal if they differ only in the names of their values, in locations, and in the
    factors and the zero point of a requantisation after a reduction. Different numbers become
    arguments, which costs a few instructions for each result of a reduction, but none in its loop.
    A processor with instructions on vectors may have one that requantises, whose zero point is a
    constant; there, functions with different zero points stay apart. The first function stays, and
    the others are erased; each call keeps the location of its operator.

    A function is merged only with others of the same public function, if the host runs it, if a
    single call uses it, outside of loops or in a loop over rows, and if the planned buffers of its
    call are in the same pools as those of the others. Constants decide the order in which the calls
    of a merged function run, which tells the operators apart in a count of instructions.
    """

    name: ClassVar[str] = "accel-share-kernels"
    dialects: ClassVar[tuple[str, ...]] = ("func",)

    cpu: str = option("generic", "the processor that runs the kernels")

    def run(self, op: ir.Operation) -> None:
        """Merge in a module."""
        has_vectors = bool(schedule_of(self.cpu).vectors)
        roles = {*_FACTORS.values(), *(() if has_vectors else (_ZERO_POINT,))}
        for kernels in _equal(module_of(op), lambda constant: _roles(constant) <= roles):
            _merge(kernels)


class _Kernel(Struct, frozen=True):
    """The function of an operator, its only call, and its structure."""

    function: func.FuncOp
    call: func.CallOp
    structure: FunctionStructure


def _equal(
    module: ModuleOp, is_free: Callable[[arith.ConstantOp], bool]
) -> Iterator[list[_Kernel]]:
    """Yield the functions of equal structure, in the order of the module."""
    by_type: dict[Hashable, list[tuple[func.FuncOp, func.CallOp]]] = defaultdict(list)
    sites = CallSites(functions_in(module))
    ordered = {call for entry in entry_functions(module) for call in calls_in_order(entry)}
    for function in functions_in(module):
        only = _only_call(function, sites, ordered)
        if only is not None and _is_operator_of_host(function):
            caller, call = only
            places = tuple(_pool_of(operand, call) for operand in call.operands)
            by_type[caller, function.type, places].append((function, call))
    for alike in by_type.values():
        by_key: dict[Hashable, list[_Kernel]] = defaultdict(list)
        for function, call in alike if len(alike) > 1 else ():
            structure = structure_of(function, is_free)
            by_key[structure.key].append(_Kernel(function, call, structure))
        yield from (kernels for kernels in by_key.values() if len(kernels) > 1)


def _pool_of(operand: ir.Value, call: func.CallOp) -> Hashable:
    """Return the pool of an operand whose type has several: an address is in one pool.

    A buffer behind a view may be in any of them, so that its call is like no other.
    """
    if len(candidates_of(operand.type)) < 2:
        return None
    owner = defining_op(operand)
    if isinstance(owner, AllocOp):
        place = owner.row_placement or owner.placement
        if isinstance(place, PlacementAttr | RowPlacementAttr):
            return place.pool
    return identity_of(call)


def _only_call(
    function: func.FuncOp, sites: CallSites, ordered: Collection[func.CallOp]
) -> tuple[str, func.CallOp] | None:
    """Return the only call of a function, and its caller, if the call is in known order there."""
    name = function.sym_name.value
    calls = [(caller, call) for caller, calls in sites.of(name).items() for call in calls]
    if len(calls) != 1 or sites.may_be_indirect(name):
        return None
    return calls[0] if calls[0][1] in ordered else None


def _is_operator_of_host(function: func.FuncOp) -> bool:
    return (
        is_private(function)
        and not function.is_external
        and operator_of(function.location) is not None
        and ON not in function.attributes
    )


def _roles(constant: arith.ConstantOp) -> set[str | None]:
    """Return what a constant is in requantisations after a reduction; None stands for all else."""
    return {_role(use.owner.opview, use.operand_number) for use in constant.result.uses} or {None}


def _role(user: ir.OpView, operand: int) -> str | None:
    if not _is_behind_reduction(user):
        return None
    if isinstance(user, tosa.ApplyScaleOp):
        return _FACTORS.get(operand)
    if not isinstance(user, arith.AddIOp) or operand != 1:
        return None
    return _ZERO_POINT if isinstance(defining_op(user.lhs), tosa.ApplyScaleOp) else None


def _is_behind_reduction(op: ir.OpView) -> bool:
    reduce = op.operation.parent
    return (
        reduce is not None
        and isinstance(reduce.opview, ReduceOp)
        and op.operation.block == reduce.opview.finish.blocks[0]
    )


def _merge(kernels: Sequence[_Kernel]) -> None:
    """Let all calls call the first function, and erase the others."""
    first = kernels[0].function
    constants = list(zip(*(it.structure.constants for it in kernels), strict=True))
    different = [them for them in constants if len({it.value for it in them}) > 1]
    for kernel in kernels:
        own = [them[kernels.index(kernel)] for them in different]
        _call(first, kernel.call, own)
    for them in different:
        _add_argument(first, them[0])
    for kernel in kernels[1:]:
        kernel.function.operation.erase()


def _call(callee: func.FuncOp, call: func.CallOp, constants: Sequence[arith.ConstantOp]) -> None:
    """Replace a call by a call of `callee` with more arguments."""
    with call.location, ir.InsertionPoint(call):
        values = [arith.ConstantOp(it.result.type, it.value).result for it in constants]
        func.CallOp([], callee.sym_name.value, [*call.operands_, *values])
    call.operation.erase()


def _add_argument(function: func.FuncOp, constant: arith.ConstantOp) -> None:
    """Replace a constant of a function by a new last argument."""
    (use, *_) = constant.result.uses
    role = _role(use.owner.opview, use.operand_number)
    assert role is not None, "only numbers of requantisations become arguments"
    location = ir.Location.name(role, constant.location)
    argument = function.entry_block.add_argument(constant.result.type, location)
    constant.result.replace_all_uses_with(argument)
    constant.operation.erase()
    inputs = [it.type for it in function.arguments]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, []))
