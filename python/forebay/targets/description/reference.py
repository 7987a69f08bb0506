"""The reference and cycles of intrinsics: Python functions, text, and regions of the op."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from enum import Enum
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from mlir import ir
from mlir.dialects import func

from forebay.dialects import accel
from forebay.errors import Error
from forebay.targets.description.errors import TargetError
from forebay.targets.description.source_location import place_in

if TYPE_CHECKING:
    from forebay.tracing.lines import AuthorLine
    from forebay.tracing.record import Trace

CyclesFunction = Callable[..., object]
"""A function of an intrinsic's scalars, which it takes by name, that returns a number of cycles."""
TracedReference = Callable[..., None]
"""A function of an intrinsic's operands and scalars, by name, that writes operands."""


class ReferenceTextError(Error):
    """A text that is not one function with a body of one block and the expected results."""


class IntrinsicRegion(Enum):
    """A region of an `accel.intrinsic`; the value is its index."""

    reference = 0
    cycles = 1

    @property
    def results(self) -> list[ir.Type]:
        """The result types of the function in the text, which the region yields."""
        return [ir.IntegerType.get_signless(64)] if self is IntrinsicRegion.cycles else []


@lru_cache(maxsize=1024)
def normal_form(text: str, region: IntrinsicRegion = IntrinsicRegion.reference) -> str:
    """Return the normal form of a region's text: the same for all spellings.

    Raises `ReferenceTextError` with the mistake and its line in the text.
    """
    with _context_of_texts(), ir.Location.unknown():
        module = _parse(text)
        function = _function_in(module, region)
        return _text_of(function.body.blocks[0], function.type)


def fill(intrinsic: accel.IntrinsicOp, region: IntrinsicRegion, text: str) -> None:
    """Fill the empty region of an intrinsic from the text."""
    module = _parse(text)
    block = _function_in(module, region).body.blocks[0]
    block.append_to(intrinsic.operation.regions[region.value])
    _end_with(block, accel.YieldOp)


def reference_text(intrinsic: accel.IntrinsicOp, region: IntrinsicRegion) -> str | None:
    """Return the normal form of an intrinsic's region; None where it has no such region."""
    if not intrinsic.operation.regions[region.value].blocks:
        return None
    scratch = ir.Module.create(ir.Location.unknown())
    with ir.InsertionPoint(scratch.body):
        copy = intrinsic.operation.clone()
    block = copy.regions[region.value].blocks[0]
    inputs = [argument.type for argument in block.arguments]
    text = _text_of(block, ir.FunctionType.get(inputs, region.results))
    copy.erase()
    return text


@contextmanager
def mistakes_of(region: IntrinsicRegion, intrinsic: str) -> Generator[None]:
    """Trace a function of an intrinsic in this context, which reports mistakes at their lines."""
    from forebay.tracing.errors import TraceError  # noqa: PLC0415  (most targets trace nothing)

    try:
        yield
    except TraceError as error:
        place = place_in(error.line.file, error.line.number)
        raise TargetError(f"{region.name} of '{intrinsic}': {error.message}", place) from error


@lru_cache(maxsize=256)
def located_text(trace: Trace) -> str:
    """Return a trace as MLIR, whose operations have the locations of the author's lines."""
    from forebay.tracing.emit import traced_text  # noqa: PLC0415  (most targets trace nothing)

    return traced_text(trace, _location)


@cache
def _context_of_texts() -> ir.Context:
    """Return a context that only `normal_form` uses: to create one takes longer than its work.

    It has no threads, because a process that is forked would not have them.
    """
    context = ir.Context()
    context.enable_multithreading(False)
    return context


def _parse(text: str) -> ir.Module:
    """Parse the text; keep the module, because it owns the function."""
    try:
        return ir.Module.parse(text)
    except ir.MLIRError as error:  # pyright: ignore[reportAttributeAccessIssue]
        diagnostic = error.error_diagnostics[0]
        line = getattr(diagnostic.location, "start_line", 0)
        raise ReferenceTextError(f"line {line}: {diagnostic.message}") from error


def _function_in(module: ir.Module, region: IntrinsicRegion) -> func.FuncOp:
    ops = list(module.body.operations)
    if len(ops) != 1 or not isinstance(ops[0], func.FuncOp) or ops[0].is_external:
        raise ReferenceTextError("the text must be one func.func with a body")
    if len(ops[0].body.blocks) != 1 or ops[0].type.results != region.results:
        results = " and ".join(f"return an {type_}" for type_ in region.results) or "no results"
        raise ReferenceTextError(f"the function must have one block and {results}")
    return ops[0]


def _text_of(block: ir.Block, type_: ir.FunctionType) -> str:
    scratch = ir.Module.create(ir.Location.unknown())
    with ir.InsertionPoint(scratch.body), ir.Location.unknown():
        function = func.FuncOp("reference", type_)
    block.append_to(function.body)
    _end_with(block, func.ReturnOp)
    return str(function)


def _end_with(block: ir.Block, terminator: type[accel.YieldOp] | type[func.ReturnOp]) -> None:
    last = block.operations[len(block.operations) - 1]
    with ir.InsertionPoint(last), last.location:
        terminator(list(last.operands))
    last.operation.erase()


def _location(line: AuthorLine) -> ir.Location:
    return place_in(line.file, line.number).location
