"""Loops and branches; a loop-carried value is one C variable from its init to the loop's result."""

from __future__ import annotations

from typing import Any

from mlir.dialects import scf
from mlir.ir import Block, BlockArgument, Value

from forebay.codegen.c.function import FunctionPrinter
from forebay.codegen.c.naming.roles import counter_name
from forebay.codegen.c.registry import printable_check, statement
from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr
from forebay.codegen.c.syntax.statements import Block as Statements
from forebay.codegen.c.syntax.statements import (
    Break,
    For,
    If,
    While,
)
from forebay.codegen.c.syntax.types import is_pointer_like, scalar_type
from forebay.ir.machine.tokens import is_token


@printable_check(scf.ForOp)
def _check_for(op: scf.ForOp) -> str | None:
    if op.unsignedCmp:
        return "a loop that compares unsigned has no C form"
    return _check_carried(op)


@printable_check(scf.IfOp, scf.WhileOp)
def _check_carried(op: Any) -> str | None:
    if any(is_pointer_like(value.type) for value in op.operation.results):
        return f"'{op.operation.name}' yields a buffer; let it write to one instead"
    return None


@statement(scf.ForOp)
def for_(op: scf.ForOp, f: FunctionPrinter) -> None:
    """Print `for (int32_t i = 0; i < 32; ++i) {`."""
    lower = f.operand(op.lowerBound)
    upper, step = f.stable(op.upperBound, "end"), f.stable(op.step, "step")
    variables = _carry(f, op, list(op.initArgs))
    f.settle()
    f.scope.push()
    ctype = scalar_type(op.induction_variable.type)
    i = f.scope.unique(counter_name(op, f.depth))
    loop = For(ctype, i, lower, upper, step)
    f.add(loop)
    f.values[op.induction_variable] = expr.name_expr(i, ctype)
    _bind(f, list(op.inner_iter_args), variables)
    _body(f, op.body, variables, loop.body)
    f.scope.pop()
    _bind(f, list(op.results), variables)


def _body(f: FunctionPrinter, block: Block, variables: list[Expr], into: Statements) -> None:
    with f.inside(into):
        yielded = f.block(block)
        f.assign(variables, list(yielded.operation.operands))


def _carry(f: FunctionPrinter, op: Any, inits: list[Value]) -> list[Expr]:
    """Return a variable per loop-carried value: the init's own if it has no other use."""
    return [_carry_one(f, op, init, i) for i, init in enumerate(inits)]


def _carry_one(f: FunctionPrinter, op: Any, init: Value, index: int) -> Expr:
    value = f.operand(init)
    ends_here = len(f.uses.of(init)) == 1 and _block_of(init) == op.operation.block
    fits = value.is_atom and value.variables and value.ctype == scalar_type(init.type)
    if fits and ends_here:
        return value
    results = op.operation.results
    name = "ticket" if is_token(init.type) else "acc"
    wanted = f.wanted_name(results[index], name) if index < len(results) else name
    return f.declare_variable(wanted, scalar_type(init.type), value)


def _block_of(value: Value) -> Block:
    owner: Any = value.owner
    return owner if isinstance(value, BlockArgument) else owner.operation.block


def _bind(f: FunctionPrinter, values: list[Value], variables: list[Expr]) -> None:
    f.values.update(zip(values, variables, strict=True))


@statement(scf.IfOp)
def if_(op: scf.IfOp, f: FunctionPrinter) -> None:
    """Print `if (c) { ... } else { ... }`; results are variables that both branches assign."""
    condition = f.operand(op.condition)
    f.settle()
    variables = [
        f.declare_variable(f.wanted_name(result, "chosen"), scalar_type(result.type), None)
        for result in op.results
    ]
    otherwise = op.else_block
    has_else = otherwise is not None and (variables or len(otherwise.operations) > 1)
    branch = If(condition, otherwise=Statements() if has_else else None)
    f.add(branch)
    _branch(f, op.then_block, variables, branch.then)
    if otherwise is not None and branch.otherwise is not None:
        _branch(f, otherwise, variables, branch.otherwise)
    _bind(f, list(op.results), variables)


def _branch(f: FunctionPrinter, block: Block, variables: list[Expr], into: Statements) -> None:
    f.scope.push()
    _body(f, block, variables, into)
    f.scope.pop()


@statement(scf.WhileOp)
def while_(op: scf.WhileOp, f: FunctionPrinter) -> None:
    """Print `while (c) {`, or an endless loop with a break if c needs statements to compute."""
    variables = _carry(f, op, list(op.inits))
    f.settle()
    before, after = op.before.blocks[0], op.after.blocks[0]
    _bind(f, list(before.arguments), variables)
    condition = list(before.operations)[-1]
    passed = _passed(f, op, variables)
    f.scope.push()
    body = Statements()
    with f.inside(body):
        f.block(before)
        test, *forwarded = condition.operation.operands
        f.assign(passed, forwarded)
        found = f.operand(test)
    if body.statements:
        body.add(If(expr.unary_expr("!", found, "bool"), Statements([Break()])))
        f.add(While(None, body))
    else:
        f.add(While(found, body))
    _bind(f, list(after.arguments), passed)
    _body(f, after, variables, body)
    f.scope.pop()
    _bind(f, list(op.results), passed)


def _passed(f: FunctionPrinter, op: scf.WhileOp, variables: list[Expr]) -> list[Expr]:
    """Return a variable per forwarded value: the loop-carried one once, otherwise a new one."""
    before = op.before.blocks[0]
    _, *forwarded = list(before.operations)[-1].operation.operands
    passed: list[Expr] = []
    for value, result in zip(forwarded, op.results, strict=True):
        own = variables[value.arg_number] if _is_argument_of(value, before) else None
        if own is None or own in passed:
            wanted = f.wanted_name(result, "last")
            own = f.declare_variable(wanted, scalar_type(value.type), None)
        passed.append(own)
    return passed


def _is_argument_of(value: Value, block: Block) -> bool:
    return isinstance(value, BlockArgument) and value.owner == block


@statement(scf.YieldOp, scf.ConditionOp)
def terminator(op: Any, f: FunctionPrinter) -> None:
    """Print nothing: the op that the terminator ends prints it."""
