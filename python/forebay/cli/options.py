"""Options of the command for the compilation, and the arguments of `compile` for them."""

from __future__ import annotations

import argparse
from typing import Any

from forebay.cli.target import add_pool_arguments, target_of


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add all options of a compilation except the model."""
    _add_devices(parser)
    _add_pools(parser)
    parser.add_argument("--planner", default="auto", help="a name or a Python file; default: auto")
    parser.add_argument(
        "--slots",
        type=_slots,
        default=2,
        metavar="N",
        help="buffers for each tile in loops whose transfers run in queues, at most; 1: pipeline "
        "no loop; default: 2",
    )
    _repeatable(
        parser,
        "--pass",
        "passes",
        "PHASE=PASS",
        "run a pass of your own: a Python file, an entry point or a pipeline text at "
        "before-partition, after-partition, before-assign, after-bufferize or after-plan",
    )


def _slots(text: str) -> int:
    from forebay.pipelines.choices import ChoiceError, slots_of  # noqa: PLC0415  (loads MLIR)

    try:
        return slots_of(text)
    except ChoiceError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def compile_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments of `forebay.compile` for the options."""
    names = (
        "target",
        "place",
        "placement",
        "order",
        "io",
        "input_pools",
        "output_pools",
        "constant_pools",
        "strict",
        "planner",
        "slots",
        "passes",
    )
    options = {name: getattr(arguments, name) for name in names}
    return options | {"target": target_of(arguments)}


def _add_devices(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--target",
        help="a target's name or file, with parameters: fetch_conv:act_mem=64K; or devices, the "
        "host last, of pools in words; default: the devices that the module declares, or host",
    )
    add_pool_arguments(parser)
    _repeatable(
        parser,
        "--place",
        "place",
        "OPERATOR=DEVICE",
        "run an operator, by its name or index, on a device",
    )
    parser.add_argument("--placement", metavar="FILE.json", help="a file of such placements")
    parser.add_argument(
        "--order",
        type=lambda text: text.split(","),
        default=[],
        metavar="DEVICE,DEVICE",
        help="devices whose own stages run first",
    )


def _add_pools(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--io",
        choices=("caller", "pool"),
        default="caller",
        help="inputs and outputs in the caller's memory (default) or planned in the workspace",
    )
    for what in ("input", "output", "constant"):
        every = "; '*' stands for all others" if what == "constant" else ""
        _repeatable(
            parser,
            f"--{what}-pool",
            f"{what}_pools",
            "NAME=POOL[+POOL]",
            f"the pools that the {what} of that name may live in, in order of preference{every}",
        )
    parser.add_argument(
        "--strict", action="store_true", help="refuse what needs a copy between pools"
    )


def _repeatable(
    parser: argparse.ArgumentParser, flag: str, name: str, metavar: str, help_: str
) -> None:
    parser.add_argument(
        flag,
        action="append",
        default=[],
        dest=name,
        metavar=metavar,
        help=f"{help_}; repeatable",
    )
