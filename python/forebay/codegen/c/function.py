"""The printer of one function, which decides between expressions and variables."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from mlir.dialects import arith, func, tosa
from mlir.ir import (
    Attribute,
    Block,
    BlockArgument,
    FlatSymbolRefAttr,
    IndexType,
    OpView,
    Value,
    VectorType,
)
from msgspec import Struct, field

from forebay.codegen.c.analysis.layout import PoolLayout
from forebay.codegen.c.analysis.ranges import Ranges
from forebay.codegen.c.analysis.writes import Writes
from forebay.codegen.c.comments import operator_comment
from forebay.codegen.c.live_uses import LiveUses, total_before
from forebay.codegen.c.naming.roles import value_name
from forebay.codegen.c.pointers import Pointer
from forebay.codegen.c.registry import (
    ExpressionPrinter,
    printers,
    require_printer,
    statement_of,
)
from forebay.codegen.c.row_source import RowRead, RowSourceType
from forebay.codegen.c.row_table import RowTable
from forebay.codegen.c.status import StatusChecks, StatusSource
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.instruction_sets import ScalarFunctions
from forebay.codegen.c.syntax.statements import Block as Statements
from forebay.codegen.c.syntax.statements import (
    Comment,
    Declare,
    Statement,
    assignment,
)
from forebay.codegen.c.syntax.types import scalar_type
from forebay.dialects.memref_pool import AddressOp
from forebay.ir.interfaces import is_view
from forebay.ir.locations import OperatorLocation, name_hint, operator_of
from forebay.ir.memory.addresses import buffer_inside
from forebay.ir.views.queries import view_kind_of
from forebay.ir.views.rules import ViewKind
from forebay.network.constants import ConstantMemory
from forebay.network.names import NameScope, identifier

MAX_FOLDED = 100
MAX_REPEATED = 8
_ARITHMETIC = (arith.AddIOp, arith.SubIOp, arith.MulIOp)
_SILENT = (AddressOp, func.ReturnOp)
_OPERATORS = (None, ViewKind.RESHAPED, ViewKind.PERMUTED)
"""The kinds of views that may be an operator of the model."""


class Signature(Struct, frozen=True):
    """A function in C: its name and, per parameter, the element type or type.

    If it returns a status, the status comes from `devices`; if that is not 0, an entry function
    fills a structure of the type `error`.
    """

    name: str
    parameters: tuple[str, ...]
    operator: OperatorLocation | None = None
    is_static: bool = True
    returns_status: bool = False
    devices: tuple[str, ...] = ()
    error: str = ""
    row_sources: Mapping[int, RowSourceType] = MappingProxyType({})
    """The parameters that are inputs which are read row by row."""


class FunctionPrinter(Struct):
    """The state of printing one function.

    A pure value with one use, in its own block, is kept in `pending` and folded into its user. It
    is written as a variable before a statement that could change the memory or variables it reads.
    """

    ranges: Ranges
    writes: Writes
    functions: dict[str, Signature]
    scope: NameScope
    memory: ConstantMemory
    layouts: Mapping[str, PoolLayout]
    uses: LiveUses
    blocks: list[Statements] = field(default_factory=lambda: [Statements()])
    """The function's body, and the nested blocks that contain the next statement."""
    values: dict[Value, Expr] = field(default_factory=dict[Value, Expr])
    pending: dict[Value, Expr] = field(default_factory=dict[Value, Expr])
    pointers: dict[Value, Pointer] = field(default_factory=dict[Value, Pointer])
    operator: str = ""
    addresses: Mapping[str, str] = field(default_factory=dict[str, str])
    """The C expression of the base address of each pool with a fixed address."""
    status: StatusChecks | None = None
    has_hooks: bool = False
    """Whether macros stand around each call of an operator, by which an application measures it."""
    hooked: list[int] = field(default_factory=list[int])
    """The operators with such macros, by index."""
    tables: Mapping[str, RowTable] = field(default_factory=dict[str, RowTable])
    """The tables of places of rows, by the symbol of their constant."""
    instructions: ScalarFunctions = field(default_factory=ScalarFunctions)
    with_addend: set[Value] = field(default_factory=set[Value])
    """Values whose expression includes the constant that their only user adds."""
    with_offset: set[Value] = field(default_factory=set[Value])
    """Values whose expression includes 128 more, which the second limit of their user subtracts."""
    no_signed_wrap: dict[Attribute, bool] = field(default_factory=dict[Attribute, bool])
    """Whether flags of integer arithmetic say that there is no signed overflow."""
    row_sources: dict[Value, RowRead] = field(default_factory=dict[Value, RowRead])
    """Inputs that are read row by row, and their rows."""

    # Reading values

    def operand(self, value: Value) -> Expr:
        """Return the C expression of a value and remove it from the pending ones."""
        waiting = self.pending.pop(value, None)
        return self.values[value] if waiting is None else waiting

    def operands(self, *values: Value) -> tuple[Expr, ...]:
        """Return the C expressions of several values."""
        return tuple(map(self.operand, values))

    def stable(self, value: Value, wanted: str) -> Expr:
        """Return a value as a name or literal that no statement changes."""
        found = self.operand(value)
        if found.literal is not None or (found.is_atom and not found.variables):
            return found
        return self.declare(wanted, scalar_type(value.type), found)

    def pointer(self, value: Value) -> Pointer:
        """Return the pointer of a memref."""
        return self.pointers[value]

    # Adding statements

    @property
    def body(self) -> Statements:
        """Return the statements of the function."""
        return self.blocks[0]

    @property
    def depth(self) -> int:
        """Return how many loops and branches contain the next statement."""
        return len(self.blocks) - 1

    def add(self, statement: Statement) -> None:
        """Add a statement to the innermost block."""
        self.blocks[-1].add(statement)

    @contextmanager
    def inside(self, block: Statements) -> Generator[None]:
        """Add statements to `block`, the body of a loop or branch, inside the `with` statement."""
        self.blocks.append(block)
        yield
        self.blocks.pop()

    def checked_call(self, op: OpView, call: Expr, devices: tuple[str, ...], where: str) -> None:
        """Add a call of a driver function that returns a status of `devices`."""
        assert self.status is not None  # the function issues a command to a device
        is_nested = self.depth > 0
        self.status.call(
            call, StatusSource.of(op, devices, where), self.blocks[-1], is_nested=is_nested
        )

    def declare(self, wanted: str, ctype: str, value: Expr) -> Expr:
        """Write `const T name = value;` and return the name."""
        chosen = self.scope.unique(identifier(wanted, "v"))
        self.add(Declare(f"const {ctype}", chosen, value, ctype, if_used=True))
        return expr.name_expr(chosen, ctype)

    def declare_variable(self, wanted: str, ctype: str, value: Expr | None) -> Expr:
        """Write a variable that later statements assign."""
        chosen = self.scope.unique(identifier(wanted, "v"))
        self.add(Declare(ctype, chosen, value, ctype))
        return expr.name_expr(chosen, ctype, changes=True)

    # Binding results

    def _define(self, op: OpView, value: Value, found: Expr) -> None:
        """Bind the result of a pure op: repeat it, fold it into its single user, or name it."""
        if (found.is_atom and not found.variables) or _is_small(value, found):
            self.values[value] = found
            return
        uses = self.uses.of(value)
        if len(uses) == 1 and _is_foldable(op, value, uses[0], found):
            self.pending[value] = found
        else:
            self.name_value(value, found)

    def name_value(self, value: Value, found: Expr) -> None:
        """Write a value as a named constant."""
        self.values[value] = self.declare(self.wanted_name(value), scalar_type(value.type), found)

    def wanted_name(self, value: Value, fallback: str | None = None) -> str:
        """Return the name that a pass gave to a value, else the fallback, else one from its use."""
        if isinstance(value, BlockArgument):
            return fallback or "value"
        return name_hint(value.owner.location) or fallback or value_name(value, self.depth)

    # Statements and pending values

    def settle_reads(self) -> None:
        """Name the pending values that read memory, since the next statement may write it."""
        self._settle(lambda waiting: waiting.reads_memory)

    def settle(self) -> None:
        """Name the pending values that read memory or variables.

        Called before a statement with a body, or one that may change what they read.
        """
        self._settle(lambda waiting: waiting.reads_memory or bool(waiting.variables))

    def _settle(self, must: Callable[[Expr], bool]) -> None:
        for value in [v for v, waiting in self.pending.items() if must(waiting)]:
            self.name_value(value, self.pending.pop(value))

    def block(self, block: Block) -> OpView:
        """Write a block's ops except the terminator, and return the terminator."""
        *body, terminator = block.operations
        for op in body:
            self.op(op)
        require_printer(terminator)
        return terminator

    def op(self, op: OpView) -> None:
        """Write one op, or fold its result."""
        expression = printers().expressions.get(type(op))
        if expression is not None:
            self._evaluate(op, expression)
            return
        require_printer(op)
        if is_view(op) and buffer_inside(op.results[0]) is not None:
            return  # an address inside a device is a number, which the calls that use it compute
        self._comment(op)
        printer = statement_of(op)
        assert printer is not None  # required above
        printer(op, self)

    def _evaluate(self, op: OpView, expression: ExpressionPrinter) -> None:
        result = op.operation.results[0]
        if self.uses.is_used(result):
            found = expression(op, self)
            if not self._accumulate(op, result, found):
                self._define(op, result, found)

    def _accumulate(self, op: OpView, result: Value, found: Expr) -> bool:
        """Write a sum that a loop carries as `acc += x;` at once, so that terms stay in order.

        This is possible if nothing else uses the value before, and the loop's next value is made
        of this one only.
        """
        total = total_before(op)
        base = None if total is None else self.values.get(total)
        if total is None or base is None or not base.variables or len(self.uses.of(total)) != 1:
            return False
        carried = self.uses.carried_value(result)
        variable = None if carried is None else self.values.get(carried)
        if variable is None or base.text != variable.text:
            return False
        self.add(assignment(variable, found))
        self.values[result] = variable
        return True

    def _comment(self, op: OpView) -> None:
        """Add a comment with the model's operator if it changes within the function."""
        if self.depth > 0:
            return
        operator = operator_of(op.location)
        if operator is None:
            return
        if isinstance(op, _SILENT) or view_kind_of(op) not in _OPERATORS:
            return
        if isinstance(op, func.CallOp) and self._callee_has_comment(op):
            return
        text = operator_comment(operator)
        if text != self.operator:
            self.operator = text
            self.add(Comment(text))

    def _callee_has_comment(self, call: func.CallOp) -> bool:
        callee = self.functions[FlatSymbolRefAttr(call.callee).value]
        return callee.operator == operator_of(call.location)

    def assign(self, variables: list[Expr], values: list[Value]) -> None:
        """Assign loop-carried values in parallel: `acc += x;`, or through temporaries."""
        found = list(self.operands(*values))
        changing = [i for i, new in enumerate(found) if new.text != variables[i].text]
        assigned: set[str] = set()
        for i in changing:  # a variable that a later right side reads must not be assigned first
            if found[i].variables & assigned:
                return self._assign_by_temporaries(variables, found, changing)
            assigned.add(variables[i].text)
        for i in changing:
            self.add(assignment(variables[i], found[i]))
        return None

    def _assign_by_temporaries(
        self, variables: list[Expr], found: list[Expr], changing: list[int]
    ) -> None:
        ready = {
            i: self.declare(f"next_{variables[i].text}", variables[i].ctype, found[i])
            if found[i].variables
            else found[i]
            for i in changing
        }
        for i in changing:
            self.add(assignment(variables[i], ready[i]))


def _is_foldable(op: OpView, value: Value, user: OpView, found: Expr) -> bool:
    if len(found.text) > MAX_FOLDED:
        return False
    # A requantised value reads better with a name, and so does each step of vectors.
    is_step = isinstance(op, _ARITHMETIC) and isinstance(value.type, VectorType)
    is_named = is_step or isinstance(op, tosa.ApplyScaleOp)
    return not is_named and user.operation.block == op.operation.block


def _is_small(value: Value, found: Expr) -> bool:
    """Return whether an index such as `y * 2` is better repeated than named."""
    if found.variables or found.reads_memory or not isinstance(value.type, IndexType):
        return False
    return len(found.text) <= MAX_REPEATED
