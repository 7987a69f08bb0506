"""Root buffers: all buffers that planning places, and where the IR declares them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mlir import ir
from mlir.dialects import func, memref
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct, field

from forebay.dialects.memref_pool import AllocOp
from forebay.ir.attributes import named_attributes
from forebay.ir.locations import name_hint, operator_of
from forebay.ir.machine.pools import candidates_of
from forebay.ir.module import ops_in_body
from forebay.ir.refused import RefusedError
from forebay.planning import Kind
from forebay.pools import Pool, PoolKind

NAME_ATTRIBUTE = "accel.name"
RESULT_ATTRIBUTE = "bufferize.result"


class Argument(Struct, frozen=True):
    """An argument of a function."""

    function: func.FuncOp
    index: int

    @property
    def value(self) -> ir.BlockArgument:
        """Return the block argument inside the function."""
        return self.function.arguments[self.index]

    @property
    def attributes(self) -> dict[str, ir.Attribute]:
        """Return the attributes of the argument."""
        return named_attributes(self.function.arg_attrs[self.index])


class UnderlyingBuffer(Struct, frozen=True):
    """A buffer in the IR and its declaration: one op, or arguments of entry functions.

    `name` is a preferred name; several buffers may have the same.
    """

    kind: Kind
    name: str
    type: ir.MemRefType
    location: ir.Location
    op: AllocOp | memref.GlobalOp | None = None
    arguments: tuple[Argument, ...] = ()

    @property
    def candidates(self) -> tuple[str, ...]:
        """Return the names of the pools that the buffer may be in, in order of preference."""
        return candidates_of(self.type)

    @property
    def always_live(self) -> bool:
        """Return whether the buffer is a constant or a state variable."""
        return self.kind in {Kind.CONSTANT, Kind.STATE}


class UnderlyingBuffers(Struct):
    """All underlying buffers; the number of a buffer is its index in `buffers`."""

    pools: Mapping[str, Pool]
    buffers: list[UnderlyingBuffer] = field(default_factory=list[UnderlyingBuffer])
    _state: dict[str, int] = field(default_factory=dict[str, int])

    def add_arguments(self, function: func.FuncOp) -> None:
        """Add the planned arguments of an entry function."""
        for index, type_ in enumerate(function.type.inputs):
            if candidates_of(type_):
                self._add_argument(Argument(function, index))

    def add_alloc(self, op: AllocOp) -> int:
        """Add a buffer of the workspace and return its number.

        Raises `RefusedError` for a pool of another kind.
        """
        kind = self._kind_of_pools(ir.MemRefType(op.memref.type), op.location)
        if kind is not PoolKind.workspace:
            raise RefusedError(
                op.location,
                f"memref_pool.alloc makes a buffer in a pool of kind {kind.name}, whose bytes last "
                "from run to run; make it a memref.global, or give it a workspace",
            )
        name = _named(op.location) or "buffer"
        self.buffers.append(
            UnderlyingBuffer(Kind.WORKSPACE, name, ir.MemRefType(op.memref.type), op.location, op)
        )
        return len(self.buffers) - 1

    def add_global(self, op: memref.GlobalOp) -> int:
        """Add a constant or a state variable and return its number.

        Raises `RefusedError` for a pool of the workspace kind.
        """
        type_ = ir.MemRefType(op.type_.value)
        kind = self._kind_of_pools(type_, op.location)
        if kind is PoolKind.workspace:
            raise RefusedError(
                op.location,
                f"memref.global @{op.sym_name.value} lies in a workspace, whose bytes do not last; "
                "give it a pool of constants or of state",
            )
        name = _named(op.location) or op.sym_name.value
        self.buffers.append(UnderlyingBuffer(Kind[kind.name.upper()], name, type_, op.location, op))
        return len(self.buffers) - 1

    def _add_argument(self, argument: Argument) -> None:
        value, attributes = argument.value, argument.attributes
        kind = self._kind_of_pools(value.type, value.location)
        if kind is PoolKind.constant:
            raise RefusedError(
                argument.function.location,
                f"argument {argument.index} of the entry function lies in a pool of constants; "
                "make it a memref.global",
            )
        name = _argument_name(argument, attributes)
        if kind is PoolKind.state:
            self._add_state(argument, name)
            return
        port = Kind.OUTPUT if RESULT_ATTRIBUTE in attributes else Kind.INPUT
        self._append_argument(port, name, argument)

    def _add_state(self, argument: Argument, name: str) -> None:
        """Add a state argument; those with one name in several functions are one variable."""
        if name not in self._state:
            self._state[name] = len(self.buffers)
            self._append_argument(Kind.STATE, name, argument)
            return
        known = self.buffers[self._state[name]]
        if known.type != argument.value.type:
            raise RefusedError(
                argument.function.location,
                f"state '{name}' is {argument.value.type} here but {known.type} elsewhere",
                [(known.arguments[0].function.location, "the other entry function")],
            )
        arguments = (*known.arguments, argument)
        self.buffers[self._state[name]] = UnderlyingBuffer(
            known.kind, known.name, known.type, known.location, None, arguments
        )

    def _append_argument(self, kind: Kind, name: str, argument: Argument) -> None:
        value = argument.value
        type_ = ir.MemRefType(value.type)
        self.buffers.append(
            UnderlyingBuffer(kind, name, type_, value.location, arguments=(argument,))
        )

    def _kind_of_pools(self, type_: ir.Type, location: ir.Location) -> PoolKind:
        """Return the kind that all candidate pools share; raises `RefusedError` if they differ."""
        names = candidates_of(type_)
        kinds = {self._pool(name, location).kind for name in names}
        if len(kinds) != 1:
            raise RefusedError(
                location,
                f"the candidate pools {_listed(names)} are of different kinds; "
                "a buffer is either constant, state or workspace",
            )
        return kinds.pop()

    def _pool(self, name: str, location: ir.Location) -> Pool:
        if name not in self.pools:
            raise RefusedError(
                location,
                f"there is no pool @{name} in the module; it has {_listed(self.pools) or 'none'}",
            )
        return self.pools[name]


def entry_functions(module: ModuleOp) -> list[func.FuncOp]:
    """Return the public functions with a body, in order."""
    return [f for f in functions_in(module) if not f.is_external and not is_private(f)]


def result_arguments(function: func.FuncOp) -> list[ir.BlockArgument]:
    """Return the arguments that the function's results are written to."""
    if "arg_attrs" not in function.attributes:
        return []
    return [
        argument
        for argument, attributes in zip(function.arguments, function.arg_attrs, strict=True)
        if RESULT_ATTRIBUTE in named_attributes(attributes)
    ]


def functions_in(module: ModuleOp) -> list[func.FuncOp]:
    """Return all functions, in order."""
    return ops_in_body(module, func.FuncOp)


def is_private(function: func.FuncOp) -> bool:
    """Return whether only the module itself can call the function."""
    visibility = function.sym_visibility
    return visibility is not None and visibility.value == "private"


def _argument_name(argument: Argument, attributes: dict[str, ir.Attribute]) -> str:
    if NAME_ATTRIBUTE in attributes:
        return ir.StringAttr(attributes[NAME_ATTRIBUTE]).value
    return _named(argument.value.location) or f"arg{argument.index}"


def _named(location: ir.Location) -> str | None:
    """Return the name that a pass or the model gave to the value, or None."""
    hint = name_hint(location)
    if hint is not None:
        return hint
    operator = operator_of(location)
    return None if operator is None else operator.tensor


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"@{name}" for name in names)
