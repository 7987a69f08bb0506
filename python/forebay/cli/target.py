"""Command-line options about targets: pools, off-load reports, and `forebay target`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from forebay.errors import Error
from forebay.pools import PoolKind
from forebay.support.files import require_writable, write_whole

if TYPE_CHECKING:
    from forebay.driver.compiled import Compiled

_KINDS = tuple(PoolKind.__members__)

Details = dict[tuple[str, str], str]
"""The words about a pool by its kind and name."""


def take_pool_details(arguments: Sequence[str]) -> tuple[list[str], Details]:
    """Split `--<kind>-pool-<name> WORDS` from the others; argparse cannot know the names."""
    rest: list[str] = []
    details: Details = {}
    remaining = list(arguments)
    while remaining:
        argument = remaining.pop(0)
        flag, equals, properties = argument.partition("=")
        key = _pool_of(flag)
        if key is None:
            rest.append(argument)
            continue
        if not equals:
            if not remaining:
                raise Error(
                    f'{flag} needs the properties of the pool: {flag} "access=cpu:rw;size=1000"'
                )
            properties = remaining.pop(0)
        details[key] = properties
    return rest, details


def add_pool_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe pools."""
    for kind in _KINDS:
        parser.add_argument(
            f"--{kind}-pools",
            dest=f"target_{kind}_pools",
            metavar="NAME,NAME",
            help=f"{kind} pools in order of preference, for a target without a file; "
            f"--{kind}-pool-NAME gives the properties of one: access=cpu:rw;size=64K;align=16",
        )


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for the files of the off-load report."""
    parser.add_argument(
        "--offload-report",
        metavar="FILE",
        help="write what runs where and why as JSON, or print it as text if FILE is '-'",
    )
    parser.add_argument(
        "--save-placement",
        type=Path,
        metavar="FILE",
        help="write the devices of all operators for --placement, to be edited",
    )


def target_argument(arguments: argparse.Namespace) -> str | None:
    """Return the target of the options in the form of `forebay.targets.load`, or None without one.

    Raises `Error` when pools are described without the devices, or when a described pool is not
    listed.
    """
    from forebay import targets  # noqa: PLC0415  (loads MLIR)

    pools = {kind: getattr(arguments, f"target_{kind}_pools", None) for kind in _KINDS}
    details: Details = getattr(arguments, "pool_details", {})
    if not details and not any(pools.values()):
        return arguments.target
    if arguments.target is None:
        raise Error("pools without a file need the devices: --target accel,cpu, the host last")
    return targets.text_of_options(arguments.target, pools, details)


def check_report_files(arguments: argparse.Namespace) -> None:
    """Raise `Error` if a report cannot be written, before compiling."""
    if arguments.offload_report not in (None, "-"):
        require_writable(Path(arguments.offload_report))
    if arguments.save_placement is not None:
        require_writable(arguments.save_placement)


def write_reports(compiled: Compiled, arguments: argparse.Namespace) -> None:
    """Write the requested reports; raise `Error` for a program that no target partitioned."""
    from forebay.reports.table import show  # noqa: PLC0415

    if arguments.offload_report is None and arguments.save_placement is None:
        return
    if compiled.offload is None:
        raise Error(
            "the module declares its devices itself: there is nothing to report off-load of"
        )
    if arguments.offload_report == "-":
        show(compiled.offload.parts())
    elif arguments.offload_report is not None:
        write_whole(Path(arguments.offload_report), compiled.offload.to_json())
    if arguments.save_placement is not None:
        write_whole(arguments.save_placement, compiled.offload.placement())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `forebay target`."""
    parser.add_argument("target", nargs="?", metavar="NAME|FILE|DEVICES", help="default: host")
    add_pool_arguments(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    """Print a target as MLIR."""
    from mlir import ir  # noqa: PLC0415

    from forebay import targets  # noqa: PLC0415

    target = targets.load(target_argument(arguments) or "host")
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            targets.attach(target)
        print(module)
    return 0


def _pool_of(flag: str) -> tuple[str, str] | None:
    for kind in _KINDS:
        prefix = f"--{kind}-pool-"
        if flag.startswith(prefix) and len(flag) > len(prefix):
            return kind, flag.removeprefix(prefix)
    return None
