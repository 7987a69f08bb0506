"""The text of C statements: one line each, long lines broken, blocks in braces."""

from __future__ import annotations

from collections.abc import Iterator

from forebay.codegen.c.syntax.statements import (
    Assign,
    Block,
    Break,
    Comment,
    Declare,
    DeclareArray,
    Evaluate,
    For,
    If,
    Return,
    Statement,
    While,
)
from forebay.codegen.c.syntax.wrap import wrap_line

INDENT = "    "


def statements_text(block: Block, depth: int = 1) -> list[str]:
    """Return the lines of a block's statements, indented by `depth` levels."""
    return [
        piece
        for line_depth, line in _lines(block, depth)
        for piece in wrap_line(INDENT * line_depth + line)
    ]


def _lines(block: Block, depth: int) -> Iterator[tuple[int, str]]:
    for statement in block.statements:
        match statement:
            case If():
                yield depth, f"if ({statement.condition.text}) {{"
                yield from _lines(statement.then, depth + 1)
                if statement.otherwise is not None:
                    yield depth, "} else {"
                    yield from _lines(statement.otherwise, depth + 1)
                yield depth, "}"
            case For() | While():
                yield depth, _head(statement)
                yield from _lines(statement.body, depth + 1)
                yield depth, "}"
            case _:
                yield depth, _line(statement)


def _head(loop: For | While) -> str:
    if isinstance(loop, While):
        return "for (;;) {" if loop.condition is None else f"while ({loop.condition.text}) {{"
    i = loop.counter
    advance = f"++{i}" if loop.step.literal == 1 else f"{i} += {loop.step.text}"
    return f"for ({loop.ctype} {i} = {loop.first.text}; {i} < {loop.end.text}; {advance}) {{"


def _line(statement: Statement) -> str:
    match statement:
        case Declare() | DeclareArray():
            return _declaration(statement)
        case Assign():
            return f"{statement.target.text} {statement.operator} {statement.value.text};"
        case Evaluate():
            return f"{'(void)' if statement.discards else ''}{statement.call.text};"
        case Return():
            return f"return {statement.value.text};"
        case Comment():
            return statement.text
        case Break():
            return "break;"
        case _:
            raise TypeError(f"{type(statement).__name__} takes several lines")


def _declaration(declared: Declare | DeclareArray) -> str:
    if isinstance(declared, DeclareArray):
        return f"{declared.ctype} {declared.name}[{declared.size}];"
    space = "" if declared.ctype.endswith("*") else " "
    value = "" if declared.value is None else f" = {declared.value.text}"
    comment = f" /* {declared.comment} */" if declared.comment else ""
    return f"{declared.ctype}{space}{declared.name}{value};{comment}"
