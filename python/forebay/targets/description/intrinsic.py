"""Intrinsics: the C functions of a device, and the pools that their operands may be in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, field, replace
from typing import TYPE_CHECKING, Literal, get_args

from forebay.ir.machine.wrappers import Wrapper
from forebay.support.records import record
from forebay.targets.description.errors import TargetError
from forebay.targets.description.reference import (
    CyclesFunction,
    IntrinsicRegion,
    ReferenceTextError,
    TracedReference,
    located_text,
    mistakes_of,
    normal_form,
)
from forebay.targets.description.source_location import DescribedObject

if TYPE_CHECKING:
    from forebay.computations.computation import Computation
    from forebay.computations.layout import OperandLayout
    from forebay.targets.description.declaration import Limit
    from forebay.tracing.record import Trace

Access = Literal["in", "out", "inout"]
Names = str | tuple[str, ...]


@record
class Operand(DescribedObject):
    """A pointer parameter of an intrinsic.

    An operand `in` is read. Of an operand `out`, every byte is written and none is read. An operand
    `inout` is read and written. `pools` lists the pools that the operand may be in and overrides
    the device's access rights; without it, the access rights decide. `alignment` of the address is
    in bytes. `flags` are bits that the C function gets with the address of an operand inside the
    device, such as one that makes it accumulate: `address | flags`.
    """

    name: str
    access: Access
    pools: tuple[str, ...] | None = None
    alignment: int = 1
    flags: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.access not in get_args(Access):
            raise TargetError(
                f"operand '{self.name}' has the access '{self.access}'; it is one of "
                f"{', '.join(get_args(Access))}",
                self.place,
            )
        if self.alignment < 1 or self.alignment & (self.alignment - 1):
            raise TargetError(
                f"operand '{self.name}' has the alignment {self.alignment}, which is no power of "
                "two; the rows of a pool inside the device need none: its unit aligns buffers",
                self.place,
            )
        if self.pools is not None:
            object.__setattr__(self, "pools", _tuple_of(self.pools))

    @property
    def is_written(self) -> bool:
        """Return whether the intrinsic writes the operand."""
        return self.access != "in"


@record
class Intrinsic(DescribedObject):
    """A C function of a device: a pointer per operand, then an `int32_t` per scalar.

    It returns its status as an `int32_t`: 0, or an error code that the device defines.

    `reference` defines what it computes: a Python function of operands, as `TypedPointer`s, and
    scalars, by name, or the text of a `func.func` on `memref<?xT>` and `i32`, in `arith`, `scf` and
    `memref`. The emulator and tests execute it. `cycles` defines how long a call takes: a Python
    function of scalars, by name, or the text of a `func.func` that takes all scalars and returns an
    `i64`. Both fields always hold the text. With a `queue` of the same device, the intrinsic can be
    launched asynchronously and waited for.

    `pools` is shorthand for the operands' pools. The key is "all" for every operand, "in" or "out"
    for the operands that are only read or that are written, or the index or name of one operand.
    The more precise key wins, and the operand's own `pools` override all keys.

    `needs` and `sets` name registers of the device, each of which becomes an operand of this name
    after the others: first those that are needed, then those that are set. A register in both is
    an operand `inout`. The C function does not get these operands, the reference does.

    `computes` declares the intrinsic: patterns and tiles are derived from it, and the reference is
    the computation's. Operands and scalars have the computation's names; where none are given, the
    intrinsic takes the usual ones, with this `alignment`. `limits` has, by dimension, the
    `TileLimit` of a call, and for other scalars the values that they may have. `layouts` has how
    operands lie: `"columns/16 depth columns%16"`; the others are dense.

    `wrapper` is the C function as calls of a library; without it, a driver defines the function.
    """

    name: str
    symbol: str
    operands: tuple[Operand, ...] = ()
    scalars: tuple[str, ...] = ()
    reference: str | TracedReference | None = None
    pools: InitVar[Mapping[str | int, Names] | None] = None
    queue: str | None = None
    cycles: str | CyclesFunction | None = None
    needs: InitVar[Names] = ()
    sets: InitVar[Names] = ()
    computes: Computation | None = None
    limits: Mapping[str, Limit] = field(default_factory=dict[str, "Limit"], compare=False)
    layouts: Mapping[str, str] = field(default_factory=dict[str, str], compare=False)
    alignment: InitVar[int] = 1
    wrapper: Wrapper | None = None
    traces: Mapping[IntrinsicRegion, Trace] = field(init=False, repr=False, compare=False)

    def __post_init__(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        pools: Mapping[str | int, Names] | None,
        needs: Names,
        sets: Names,
        alignment: int,
    ) -> None:
        super().__post_init__()
        if self.wrapper is not None and self.queue is not None:
            raise TargetError(
                f"'{self.name}' has a wrapper and a queue, but a wrapper cannot be started and "
                "waited for; leave the queue out, or let a driver define the functions",
                self.place,
            )
        self._check_operands(self.operands)
        if self.computes is not None:
            self._declare(self.computes, alignment)
        registers = _register_operands(_tuple_of(needs), _tuple_of(sets))
        object.__setattr__(self, "operands", (*self.operands, *registers))
        if pools is not None:
            object.__setattr__(self, "operands", self._constrained(pools))
        self._trace()
        for region in IntrinsicRegion:
            text: str | None = getattr(self, region.name)
            if text is None:
                continue
            try:
                object.__setattr__(self, region.name, normal_form(text, region))
            except ReferenceTextError as error:
                message = f"{region.name} of '{self.name}': {error}"
                raise TargetError(message, self.place) from error

    def _check_operands(self, given: tuple[object, ...]) -> None:
        """Refuse operands that are only names."""
        for operand in given:
            if not isinstance(operand, Operand):
                raise TargetError(
                    f"'{self.name}' has the operand {operand!r}, which is no Operand; write "
                    'Operand("x", "in"), and "out" or "inout" for operands that are written',
                    self.place,
                )

    def cycles_of(self, **scalars: int) -> int:
        """Return the cycles of a call with these scalars, as the emulator counts them.

        Raises `TargetError` when the cycles are not given as a Python function, when the scalars
        are not those of the intrinsic, or when the result is negative.
        """
        trace = self.traces.get(IntrinsicRegion.cycles)
        if trace is None:
            raise TargetError(
                f"the cycles of '{self.name}' are no Python function, and only these are "
                "evaluated without a module",
                self.place,
            )
        if set(scalars) != set(self.scalars):
            raise TargetError(
                f"cycles of '{self.name}' for {', '.join(scalars) or 'no scalars'}; the scalars "
                f"are {', '.join(self.scalars) or 'none'}",
                self.place,
            )
        from forebay.tracing.evaluate import evaluate_trace  # noqa: PLC0415  (few targets trace)

        cycles = evaluate_trace(trace, scalars)
        if cycles < 0:
            raise TargetError(f"'{self.name}' takes {cycles} cycles for {scalars}", self.place)
        return cycles

    def layout_of(self, operand: str) -> OperandLayout:
        """Return how an operand of a computation lies."""
        from forebay.targets.description import declaration  # noqa: PLC0415  (few declare)

        assert self.computes is not None
        layouts = {name: layout for name, layout in self.layouts.items() if name == operand}
        return declaration.layouts_of(self.computes, (operand,), layouts)[operand]

    def _declare(self, computation: Computation, alignment: int) -> None:
        """Take what is not given, and the reference, from the computation; check what is given."""
        from forebay.computations.arranged_pointer import in_layouts  # noqa: PLC0415
        from forebay.targets.description import declaration  # noqa: PLC0415  (few declare)

        if not self.operands:
            usual = declaration.usual_operands(computation).items()
            operands = tuple(Operand(n, access, alignment=alignment) for n, access in usual)
            object.__setattr__(self, "operands", operands)
        accesses = {operand.name: operand.access for operand in self.operands}
        if not self.scalars:
            usual_scalars = declaration.usual_scalars(computation, list(accesses))
            object.__setattr__(self, "scalars", usual_scalars)
        try:
            declaration.check_operands(computation, accesses)
            declaration.check_scalars(computation, self.scalars)
            layouts = declaration.layouts_of(computation, list(accesses), self.layouts)
            declaration.check_limits(computation, self.limits, layouts)
        except declaration.DeclarationError as error:
            raise TargetError(f"'{self.name}' {error}", self.place) from error
        if self.reference is None:
            reference = in_layouts(computation.reference, layouts)
            object.__setattr__(self, "reference", reference)

    def _trace(self) -> None:
        """Replace Python functions by their text, and keep their traces."""
        traces: dict[IntrinsicRegion, Trace] = {}
        if callable(self.reference):
            from forebay.tracing.reference import trace_reference  # noqa: PLC0415  (few trace)

            with mistakes_of(IntrinsicRegion.reference, self.name):
                operands = {operand.name: operand.is_written for operand in self.operands}
                trace = trace_reference(self.reference, operands, self.scalars)
            traces[IntrinsicRegion.reference] = trace
        if callable(self.cycles):
            from forebay.tracing.cycles import trace_cycles  # noqa: PLC0415  (few trace)

            with mistakes_of(IntrinsicRegion.cycles, self.name):
                traces[IntrinsicRegion.cycles] = trace_cycles(self.cycles, self.scalars)
        for region, trace in traces.items():
            object.__setattr__(self, region.name, located_text(trace))
        object.__setattr__(self, "traces", traces)

    def _constrained(self, pools: Mapping[str | int, Names]) -> tuple[Operand, ...]:
        self._refuse_unknown(pools)
        return tuple(self._with_pools(index, pools) for index in range(len(self.operands)))

    def _refuse_unknown(self, pools: Mapping[str | int, Names]) -> None:
        names = [operand.name for operand in self.operands]
        for key in pools:
            if key in names and key in _GROUPS:
                raise TargetError(
                    f"pools of '{self.name}' name '{key}', which is both an operand and a group "
                    "of them; give the operand its pools itself",
                    self.place,
                )
            if key not in _GROUPS and key not in names and key not in range(len(names)):
                known = [*_GROUPS, *names, *(str(index) for index in range(len(names)))]
                raise TargetError(
                    f"pools of '{self.name}' name '{key}', which is none of {', '.join(known)}",
                    self.place,
                )

    def _with_pools(self, index: int, pools: Mapping[str | int, Names]) -> Operand:
        operand = self.operands[index]
        if operand.pools is not None:
            return operand
        group = "out" if operand.is_written else "in"
        for key in (operand.name, index, group, "all"):
            if key in pools:
                names = pools[key]
                return replace(operand, pools=_tuple_of(names))
        return operand


def _register_operands(needs: tuple[str, ...], sets: tuple[str, ...]) -> list[Operand]:
    """Return the operands of registers, first those that are only needed."""
    read = [Operand(name, "in", (name,)) for name in needs if name not in sets]
    return [*read, *(Operand(name, "inout" if name in needs else "out", (name,)) for name in sets)]


def _tuple_of(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


_GROUPS = ("all", "in", "out")
