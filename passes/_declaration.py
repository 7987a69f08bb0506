"""The declaration of a pass, read from its file without importing it.

`forebay-opt` registers all passes and runs only a few. Importing the others would take most of its
start-up time. So this module reads the name, the options and the documentation from the syntax tree
of the class, up to its first method; the trees of whole files take ten times as long. A `Literal`
or an `Enum` that is the type of an option is read in the same way, from the file that defines it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from forebay.support.option_kinds import Choice, ListOf, Number, OptionKind, Size, Switch, kind_of
from forebay.support.option_text import text_of

Registered = tuple[str, str, str, str]
"""Name, kind, help text and default of an option, in the form of MLIR's registry."""


class PassOption(Struct, frozen=True):
    """An option of a pass: its name in pipelines, the kind of its values, its text of help."""

    name: str
    kind: OptionKind
    help: str
    default: object

    @property
    def registered(self) -> Registered:
        """The option for MLIR's registry, to which all values but switches and lists are texts."""
        element = self.kind.element if isinstance(self.kind, ListOf) else self.kind
        is_plain = not isinstance(element, Choice | Number) or element == Number()
        help_ = self.help if is_plain else f"{self.help} ({element.allowed})"
        return self.name, _registered_kind(self.kind), help_, text_of(self.default)


def _registered_kind(kind: OptionKind) -> str:
    if isinstance(kind, Switch):
        return "bool"
    return "list" if isinstance(kind, ListOf) else "str"


_HEAD = re.compile(
    r"^class \w+\([^)]*\bPass\b[^)]*\):\n(?:(?! {4}(?:async |def |@)).*\n)*", re.MULTILINE
)
"""The statement of a pass's class, with its body up to the first method."""

_PACKAGE = Path(__file__).parents[1]
"""The folder of the package `forebay`, in which the passes are installed."""

_IMPORT = re.compile(r"^from (\S+) import (\([^)]*\)|.*)$", re.MULTILINE)
_LITERAL = r"^{0} = (Literal\[[^]]*\])"
_ENUM = r"^class {0}\(Enum\):\n(?:(?! {{4}}(?:def |@)|\S).*\n)*"


class PassDeclaration(Struct, frozen=True):
    """The class and name of a pass, and what MLIR's registry needs to know about it."""

    class_name: str
    name: str
    description: str
    anchor: str = "builtin.module"
    dialects: tuple[str, ...] = ()
    options: tuple[PassOption, ...] = ()
    needs: tuple[str, ...] = ()


def declaration_in(path: Path) -> PassDeclaration:
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
    return PassDeclaration(
        declared.name,
        expected,
        " ".join((ast.get_docstring(declared) or "").split()),
        literals.get("anchor", "builtin.module"),
        literals.get("dialects", ()),
        tuple(_options(declared, path, _Names(text))),
        literals.get("needs", ()),
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
        and _is_class_variable(item.annotation)
    }


def _is_class_variable(annotation: ast.expr) -> bool:
    outer = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return isinstance(outer, ast.Name) and outer.id == "ClassVar"


def _options(node: ast.ClassDef, path: Path, names: _Names) -> Iterator[PassOption]:
    for item in node.body:
        if not (
            isinstance(item, ast.AnnAssign)
            and isinstance(item.target, ast.Name)
            and isinstance(item.value, ast.Call)
        ):
            continue
        name = item.target.id
        try:
            default, help_ = (names.value_of(argument) for argument in item.value.args)
            limits = {word.arg or "": names.value_of(word.value) for word in item.value.keywords}
            kind = kind_of(names.value_of(item.annotation), **limits)
        except (NameError, TypeError, ValueError) as error:
            raise TypeError(f"{path.name}: option {name}: {error}") from error
        yield PassOption(name.replace("_", "-"), kind, help_, default)


class _Names(dict[str, Any]):
    """The names in annotations and defaults: the types of options, and enumerations of any file."""

    def __init__(self, text: str) -> None:
        super().__init__(
            {known.__name__: known for known in (bool, int, str, tuple, Path, Size)},
            Literal=Literal,
        )
        self._text = text

    def value_of(self, node: ast.expr) -> Any:
        """Evaluate an expression of these names."""
        if isinstance(node, ast.Constant):
            return node.value
        code = compile(ast.Expression(node), "<declaration>", "eval")
        return eval(code, {"__builtins__": {}}, self)

    def __missing__(self, name: str) -> Any:
        modules = (module for module, names in _IMPORT.findall(self._text) if name in _words(names))
        module = next(modules, None)
        self[name] = _defined(self._text if module is None else _text_of(module, name), name)
        return self[name]


def _words(names: str) -> list[str]:
    return re.findall(r"\w+", names)


def _text_of(module: str, name: str) -> str:
    """Return the text of a module of forebay, without importing it."""
    package, *parts = module.split(".")
    path = _PACKAGE.joinpath(*parts).with_suffix(".py")
    if package != _PACKAGE.name or not path.is_file():
        raise NameError(f"import {name} from the module of forebay that defines it")
    return path.read_text(encoding="utf-8")


def _defined(text: str, name: str) -> Any:
    """Return a `Literal` with the same texts as in the text, or an `Enum` with the same members."""
    literal = re.search(_LITERAL.format(name), text, re.MULTILINE)
    if literal is not None:
        return _Names("").value_of(ast.parse(literal[1], mode="eval").body)
    head = re.search(_ENUM.format(name), text, re.MULTILINE)
    if head is None:
        raise NameError(f"there is no Literal or Enum {name}")
    (node,) = ast.parse(head[0]).body
    assert isinstance(node, ast.ClassDef)
    members = [item for item in node.body if isinstance(item, ast.Assign)]
    return Enum(name, [(ast.unparse(m.targets[0]), ast.literal_eval(m.value)) for m in members])
