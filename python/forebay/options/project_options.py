"""The options of a written project, for `Compiled.write` and the command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from forebay.options.option_class import Flag, option_class, option_field

GoldenFrom = Literal["model", "program"]


def _golden(given: str | Path | Sequence[Any] | None) -> Path | tuple[Any, ...] | None:
    """Return a file, or steps, as they are."""
    if given is None or isinstance(given, Path):
        return given
    return Path(given) if isinstance(given, str) else tuple(given)


def _text(given: str | None) -> str | None:
    return given


@option_class
class ProjectOptions:
    """The contents of a project. Raises `Error` (its subclasses) for an invalid option."""

    golden: Path | tuple[Any, ...] | None = option_field(
        default=None,
        converter=_golden,
        flag=Flag(metavar="FILE.npz"),
        help="inputs and outputs of the self-test (in0_0, out0_0, ...); default: drawn inputs, and "
        "the outputs of an interpreter of the model, with which the program must agree",
    )
    golden_from: GoldenFrom = option_field(
        default="model",
        help="the source of the self-test's outputs for drawn inputs: the model, or the program "
        "itself, for devices and passes that change values on purpose",
    )
    weights_blob: bool = option_field(
        default=False,
        help="keep constants out of the image: a file per pool, which the application puts there",
    )
    internal_pools: bool = option_field(
        default=False,
        help="define the pools inside the C code, whose functions take only inputs and outputs",
    )
    operator_hooks: bool = option_field(
        default=False,
        help="macros around each operator in the C, by which an application measures it "
        "(docs/mcu.md)",
    )
    emit: str | None = option_field(
        default=None,
        converter=_text,
        flag=Flag(metavar="NAME"),
        help="write this emission of the target instead of the C project (docs/targets.md); an "
        "unknown name lists those of the target. obj, llvm: the project with the network as an "
        "object file, or as LLVM IR. c: the project. tosa, linalg, planned, memref: the program at "
        "that stage, for forebay-opt",
    )
    triple: str | None = option_field(
        default=None,
        converter=_text,
        flag=Flag(metavar="TRIPLE"),
        help="of an object: LLVM's triple, as thumbv7em-none-eabi; default: this machine's",
    )
