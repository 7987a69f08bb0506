"""Conversion of the options that a user gives to the fields of `Options`, with their checks.

Each converter also takes the value that it returns. MLIR, targets and planners are imported only
by the converters that need them, so that the command can list its options quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from forebay.cpus import NATIVE, names
from forebay.options.choices import phase_and_pass
from forebay.support.given import ObjectName
from forebay.support.listed import first_repeated
from forebay.support.option_kinds import OptionError
from forebay.support.option_text import can_be_quoted
from forebay.support.sizes import EVERY_POOL, SMALLEST, size_of

if TYPE_CHECKING:
    from forebay.frontends.tflite.custom.load import Operators
    from forebay.frontends.tflite.lowering.registry import OperatorLowering
    from forebay.options.choices import Phase
    from forebay.options.user_passes import Passes
    from forebay.planning.contract.planner import Planner
    from forebay.planning.user import UserFunction
    from forebay.targets import Target

_T = TypeVar("_T")
Choices = Mapping[str, str | Sequence[str]] | Sequence[str] | Sequence[tuple[str, Any]]
"""`NAME=CHOICE` texts, or choices by name."""
Pairs = tuple[tuple[str, str], ...]
PoolLists = tuple[tuple[str, tuple[str, ...]], ...]
Budgets = str | int | Mapping[str, str | int] | Sequence[str] | Pairs
"""Bytes or `min`, for all pools or by pool."""
Shapes = Mapping[str, Sequence[int]] | list[tuple[str, Sequence[int]]]

_TRIPLES = ("x86_64-unknown-linux-gnu", "aarch64-none-elf", "thumbv7em-none-eabi")
"""Triples of the kinds of processors for which LLVM's library generates code."""

_DEVICE_FORM = "OPERATOR=DEVICE"
_POOLS_FORM = "NAME=POOL or, in order of preference, NAME=POOL+POOL"


def target_text(given: str | Path | Target | None) -> str | None:
    """Return a name by which passes find the target; None stands for no target.

    Loads the target, so that an error in its file is not an error of a pass.
    """
    if given is None or isinstance(given, ObjectName):
        return given
    from forebay import targets  # noqa: PLC0415

    return _name(given, _loaded_target(given), targets.name_for_target)


def _loaded_target(given: object) -> Target:
    from forebay import targets  # noqa: PLC0415

    if isinstance(given, targets.Target):
        return given
    if not isinstance(given, str | Path):
        raise OptionError(
            f"{given!r} is no target: give a name, a file or a forebay.api.target.Target"
        )
    return targets.load(str(given))


def planner_name(given: str | Path | Planner | UserFunction) -> str:
    """Return a name by which passes find the planner, which is loaded here."""
    if isinstance(given, ObjectName):
        return given
    from forebay.planning import registry  # noqa: PLC0415

    return _name(given, registry.planner_of(given), registry.name_for_planner)


def cpu_name(given: str) -> str:
    """Return the name of a processor that schedules or LLVM know."""
    if given not in (NATIVE, *names()) and not _is_known_to_llvm(given):
        raise OptionError(
            f"no schedule is made for a CPU '{given}', and LLVM knows none of this name; with "
            f"schedules: {', '.join(names())}"
        )
    return given


def _is_known_to_llvm(cpu: str) -> bool:
    from forebay._libs import _forebay  # noqa: PLC0415  (loads MLIR)

    for triple in (_forebay.host_triple(), *_TRIPLES):
        with suppress(ValueError):
            _forebay.pointer_bits(triple, cpu)
            return True
    return False


def _name(given: object, found: _T, word_for: Callable[[_T], str]) -> str:
    """Return a text for a pipeline: a given name as it is, else a generated name."""
    text = str(given)
    is_name = isinstance(given, str | Path) and can_be_quoted(text)
    return text if is_name else word_for(found)


def user_passes(given: Passes) -> Mapping[Phase, tuple[str, ...]]:
    """Return pipeline texts by phase, after loading and registering passes in Python."""
    if not given:
        return {}
    from forebay.options.user_passes import passes_by_phase  # noqa: PLC0415

    return passes_by_phase(given)


def user_operators(given: Operators) -> tuple[OperatorLowering, ...]:
    """Return the TFLite operators in Python files, and those given as objects."""
    if not given:
        return ()
    from forebay.frontends.tflite.custom.load import load_operators  # noqa: PLC0415

    return load_operators(given)


def pass_of_text(text: str) -> str:
    """Return the text `PHASE=PASS` after a check of its form."""
    phase_and_pass(text)
    return text


def path_or_none(given: str | Path | None) -> Path | None:
    """Return the path; None and an empty text stand for no file."""
    return Path(given) if given else None


def callback(given: Callable[[str], None] | None) -> Callable[[str], None] | None:
    """Return a function that takes a text."""
    if given is not None and not callable(given):
        raise OptionError(f"progress is a function that takes a text, not {given!r}")
    return given


def order_of_devices(given: Sequence[str]) -> tuple[str, ...]:
    """Return a tuple of names of devices."""
    return _names("order", given)


def names_of_passes(given: Sequence[str]) -> tuple[str, ...]:
    """Return a tuple of names of passes."""
    return _names("print_after", given)


def inputs_by_rows(given: Sequence[str]) -> tuple[str, ...]:
    """Return a tuple of names of inputs, each once."""
    return tuple(dict.fromkeys(_names("input_rows", given)))


def operator_devices(given: Choices) -> Pairs:
    """Return the device by operator name or index, from `OPERATOR=DEVICE` texts or a mapping."""
    return tuple((name, one) for name, (one,) in _entries("place", _DEVICE_FORM, 1, given))


def device_of_text(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the name and the device in `OPERATOR=DEVICE`."""
    return _entry("place", _DEVICE_FORM, 1, text)


def pool_budgets(given: Budgets) -> Pairs:
    """Return the budget by pool, `*` for all others: `24K`, `min`, `sram=24K`, or a mapping."""
    if isinstance(given, str | int):
        return (budget_of_text(str(given)),)
    if isinstance(given, Mapping):
        return tuple(_budget(pool, str(amount)) for pool, amount in given.items())
    found = tuple(budget_of_text(it) if isinstance(it, str) else _budget(*it) for it in given)
    twice = first_repeated(pool for pool, _ in found)
    if twice is not None:
        which = "all pools have" if twice == EVERY_POOL else f"pool '{twice}' has"
        raise OptionError(f"budget: {which} two budgets; give one")
    return found


def budget_of_text(text: str) -> tuple[str, str]:
    """Return the pool, or `*`, and the bytes or `min` in `24K`, `min` or `sram=24K`."""
    pool, _, amount = text.rpartition("=")
    return _budget(pool or EVERY_POOL, amount)


def _budget(pool: str, amount: str) -> tuple[str, str]:
    if amount.strip().lower() == SMALLEST:
        return pool, SMALLEST
    try:
        return pool, str(size_of(amount.strip()))
    except ValueError as error:
        raise OptionError(f"budget: {error}; or {SMALLEST}, the smallest that works") from error


def input_pools(given: Choices) -> PoolLists:
    """Return the pools of inputs by name, from `NAME=POOL+POOL` texts or a mapping."""
    return _pools("input_pools", given)


def output_pools(given: Choices) -> PoolLists:
    """Return the pools of outputs by name, from `NAME=POOL+POOL` texts or a mapping."""
    return _pools("output_pools", given)


def constant_pools(given: Choices) -> PoolLists:
    """Return the pools of constants by name, from `NAME=POOL+POOL` texts or a mapping."""
    return _pools("constant_pools", given)


def pools_of_text(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the name and the pools in `NAME=POOL+POOL`."""
    return _entry("pools", _POOLS_FORM, None, text)


def shapes_by_input(given: Shapes | None) -> Mapping[str, tuple[int, ...]]:
    """Return the bounds of inputs of dynamic shape by their names."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, sizes in given if isinstance(given, list) else (given or {}).items():
        shape: Any = tuple(sizes)
        if not shape or any(isinstance(s, bool) or not isinstance(s, int) or s < 1 for s in shape):
            raise OptionError(f"the shape of '{name}' is positive numbers, not {sizes!r}")
        if name in shapes:
            raise OptionError(f"shape: '{name}' has two shapes; give one")
        shapes[name] = shape
    return shapes


def shape_of_text(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the name and the shape in `input=1x96x96x1`."""
    name, _, sizes = text.rpartition("=")
    try:
        shape = tuple(int(size) for size in sizes.split("x"))
    except ValueError:
        shape = ()
    if not name or not shape or min(shape) <= 0:
        raise OptionError(f"'{text}' is not of the form input=1x96x96x1")
    return name, shape


def _names(what: str, values: object) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise OptionError(f"{what} is a list of names, not {values!r}")
    for value in values:
        if not isinstance(value, str) or not value:
            raise OptionError(f"{what} is a list of names, and {value!r} is none")
    return tuple(values)


def _pools(what: str, given: object) -> PoolLists:
    return _entries(what, _POOLS_FORM, None, given)


def _entries(what: str, form: str, most: int | None, given: object) -> PoolLists:
    """Return names, each with one or, unless `most` is 1, several values."""
    if isinstance(given, Mapping):
        return tuple((str(name), _values(what, form, most, it)) for name, it in given.items())
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise OptionError(f"{what} is a list of {form}, or a mapping, not {given!r}")
    found = tuple(_entry(what, form, most, it) for it in given)
    twice = first_repeated(name for name, _ in found)
    if twice is not None:
        raise OptionError(f"{what}: '{twice}' is named twice; give one entry for it")
    return found


def _entry(what: str, form: str, most: int | None, given: object) -> tuple[str, tuple[str, ...]]:
    if isinstance(given, str):
        name, _, chosen = given.rpartition("=")
        values = tuple(chosen.split("+")) if most is None else (chosen,)
        if not name or not all(values):
            raise OptionError(f"{given!r} is not {form}")
        return name, values
    match given:
        case (str(name), chosen):
            return name, _values(what, form, most, chosen)
        case _:
            raise OptionError(f"{given!r} is not {form}")


def _values(what: str, form: str, most: int | None, chosen: object) -> tuple[str, ...]:
    values = (chosen,) if isinstance(chosen, str) else chosen
    if (
        not isinstance(values, Sequence)
        or not values
        or not all(isinstance(value, str) and value for value in values)
        or len(values) > (most or len(values))
    ):
        raise OptionError(f"{chosen!r} in {what} is no name; entries are {form}")
    return tuple(values)
