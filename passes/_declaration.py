"""The declaration of a pass, read from its file without importing it.

`forebay-opt` registers all passes and runs only a few. Importing the others would take most of its
start-up time. So this module reads the name, the options and the documentation from the syntax tree
of the class, up to its first method; the trees of whole files take ten times as long.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Option = tuple[str, str, str, str]
"""Name, kind, help text and default of an option, in the form of MLIR's registry."""

_KINDS = {"bool": "bool", "int": "int", "str": "str", "tuple[str, ...]": "list"}

_HEAD = re.compile(
    r"^class \w+\([^)]*\bPass\b[^)]*\):\n(?:(?! {4}(?:async |def |@)).*\n)*", re.MULTILINE
)
"""The statement of a pass's class, with its body up to the first method."""


@dataclass(frozen=True)
class Declaration:
    """The class and name of a pass, and what MLIR's registry needs to know about it."""

    class_name: str
    name: str
    description: str
    anchor: str = "builtin.module"
    dialects: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()


def declaration_in(path: Path) -> Declaration:
    """Read the declaration of the one pass in a file.

    Raises `TypeError` when the file does not hold exactly the pass that its name promises, or when
    a part of the declaration is not a literal.
    """
    text = path.read_text(encoding="utf-8")
    heads = [_parsed(head[0], path) for head in _HEAD.finditer(text)]
    classes = [node for node in heads if isinstance(node, ast.ClassDef) and _is_pass(node)]
    names = [_literals(node).get("name") for node in classes]
    expected = path.stem.replace("_", "-")
    if names != [expected]:
        found = ", ".join(str(name) for name in names) or "none"
        raise TypeError(f"{path.name} must hold the pass '{expected}' alone, but holds {found}")
    (declared,) = classes
    literals = _literals(declared)
    return Declaration(
        declared.name,
        expected,
        " ".join((ast.get_docstring(declared) or "").split()),
        literals.get("anchor", "builtin.module"),
        literals.get("dialects", ()),
        tuple(_options(declared, path)),
    )


def _parsed(head: str, path: Path) -> ast.stmt:
    try:
        return ast.parse(head).body[0]
    except SyntaxError as error:
        raise TypeError(
            f"{path.name}: no line of the pass's docstring or of its options may begin like a "
            f"method: {error}"
        ) from error


def _is_pass(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "Pass" for base in node.bases)


def _literals(node: ast.ClassDef) -> dict[str, Any]:
    """Return the class variables with their values."""
    return {
        item.target.id: ast.literal_eval(item.value)
        for item in node.body
        if isinstance(item, ast.AnnAssign)
        and isinstance(item.target, ast.Name)
        and item.value is not None
        and ast.unparse(item.annotation).startswith("ClassVar")
    }


def _options(node: ast.ClassDef, path: Path) -> Iterator[Option]:
    for item in node.body:
        if not isinstance(item, ast.AnnAssign) or not isinstance(item.value, ast.Call):
            continue
        name, kind = ast.unparse(item.target), _KINDS.get(ast.unparse(item.annotation))
        if kind is None:
            raise TypeError(f"{path.name}: option {name} is none of {', '.join(_KINDS)}")
        default, help_ = (ast.literal_eval(argument) for argument in item.value.args)
        yield name.replace("_", "-"), kind, help_, option_text(default)


def option_text(default: bool | int | str | tuple[str, ...]) -> str:
    """Return a default value as a pipeline spells it."""
    return str(default).lower() if isinstance(default, bool) else str(default)
