"""What every pass is: a frozen dataclass whose fields are its options."""

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, get_type_hints

from mlir import ir

from forebay._libs import _forebay
from forebay.ir.refused import RefusedError

_KINDS: dict[object, str] = {bool: "bool", int: "int", str: "str", tuple[str, ...]: "list"}


class PassError(RefusedError):
    """A pass refuses its input: where, what and the way out, and notes at what else is involved."""


def option(default: bool | int | str | tuple[str, ...], help: str) -> Any:
    """A pass option: a dataclass field with a default and the text that `--help` shows."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class Pass:
    """Base of all passes.

    A pass lives in a file of its own, named as the pass: `memref_pool_plan.py` holds the pass
    `memref-pool-plan`. Its docstring is its documentation in `forebay-opt --help`; its dataclass
    fields, made by `option`, are its options (`bool`, `int`, `str`, `tuple[str, ...]`), spelled
    with dashes in pipelines. No `ir` object may be kept beyond `run`.
    """

    name: ClassVar[str]
    anchor: ClassVar[str] = "builtin.module"
    """Name of the operation the pass runs on; an empty string means any."""
    dialects: ClassVar[tuple[str, ...]] = ()
    """Dialects whose operations the pass creates."""

    def run(self, op: ir.Operation) -> None:
        """Transform `op` in place; raise `PassError`, or any `RefusedError`, to refuse it."""
        raise NotImplementedError


_registered: dict[str, type[Pass]] = {}
"""The class behind each name in MLIR's registry, which keeps a name for the process's life."""


def register(pass_class: type[Pass]) -> None:
    """Put a pass into MLIR's registry, for textual pipelines and `forebay-opt`.

    Registered again under its name, a class takes the place of the one before; its options are
    those that the name was first registered with, so others raise `TypeError`.
    """
    known = _registered.get(pass_class.name)
    if known is not None and _options_of(known) != _options_of(pass_class):
        raise TypeError(f"a pass '{pass_class.name}' with other options has been registered")
    options = _options_of(pass_class)
    name = pass_class.name
    _registered[name] = pass_class
    if known is not None:
        return

    def run(op: ir.Operation, values: list[list[str]]) -> bool:
        return _run_reporting(_registered[name], op, values)

    description = " ".join((pass_class.__doc__ or "").split())
    _forebay.register_pass(name, description, pass_class.anchor, options, pass_class.dialects, run)


def _options_of(pass_class: type[Pass]) -> list[tuple[str, str, str, str]]:
    """Name, kind, help and default of each option."""
    hints = get_type_hints(pass_class)
    return [
        (
            item.name.replace("_", "-"),
            _KINDS[hints[item.name]],
            str(item.metadata["help"]),
            _as_text(item.default),
        )
        for item in fields(pass_class)
    ]


def _as_text(default: object) -> str:
    if default is MISSING:
        raise TypeError("every option of a pass needs a default")
    return str(default).lower() if isinstance(default, bool) else str(default)


def _parse(kind: object, values: list[str]) -> object:
    if kind is bool:
        return values[0] in ("1", "true")
    if kind is int:
        return int(values[0])
    return values[0] if kind is str else tuple(values)


def _run_reporting(pass_class: type[Pass], op: ir.Operation, values: list[list[str]]) -> bool:
    """Run the pass; turn whatever it raises into diagnostics."""
    hints = get_type_hints(pass_class)
    arguments = {
        item.name: _parse(hints[item.name], value)
        for item, value in zip(fields(pass_class), values, strict=True)
    }
    with op.context, op.location:
        try:
            pass_class(**arguments).run(op)
        except RefusedError as error:
            _forebay.emit_error(error.location, str(error), error.notes)
            return False
        except ir.MLIRError as error:  # pyright: ignore[reportAttributeAccessIssue]
            for diagnostic in error.error_diagnostics:
                _forebay.emit_error(
                    diagnostic.location, f"in pass '{pass_class.name}': {diagnostic.message}", []
                )
            return False
        except Exception as error:
            _forebay.emit_error(
                op.location, f"pass '{pass_class.name}' failed: {type(error).__name__}: {error}", []
            )
            return False
    return True
