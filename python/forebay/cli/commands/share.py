"""`forebay share`: puts several compiled networks into one image."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from forebay.support.listed import first_repeated

if TYPE_CHECKING:
    from forebay.formats.image_map import ImageMap
    from forebay.reports.table import ReportPart


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "directories",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="folders that 'forebay compile' wrote",
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="DIR", help="the image's folder"
    )
    parser.add_argument(
        "--concurrent",
        action="store_true",
        help="the networks may run at the same time: workspaces do not overlap",
    )
    parser.add_argument(
        "--capacity",
        action="append",
        default=[],
        metavar="POOL=BYTES",
        help="bytes of a pool, to 64K for example, instead of the targets'; repeatable",
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from forebay.reports import table  # noqa: PLC0415
    from forebay.shared_image.share import share_projects  # noqa: PLC0415

    found = share_projects(
        arguments.directories,
        arguments.output,
        concurrent=arguments.concurrent,
        capacities=_capacities(arguments.capacity),
    )
    table.show(_report(found))
    print(f"wrote {arguments.output}")
    return 0


def _capacities(texts: Sequence[str]) -> dict[str, int]:
    from forebay.errors import Error  # noqa: PLC0415

    found = [_capacity(text) for text in texts]
    twice = first_repeated(pool for pool, _ in found)
    if twice is not None:
        raise Error(f"--capacity: pool '{twice}' has two capacities; give one")
    return dict(found)


def _capacity(text: str) -> tuple[str, int]:
    from forebay.errors import Error  # noqa: PLC0415
    from forebay.support.sizes import size_of  # noqa: PLC0415

    name, equals, size = text.rpartition("=")
    if not equals:
        raise Error(f"--capacity {text}: write POOL=BYTES, for example --capacity workspace=64K")
    try:
        return name, size_of(size)
    except ValueError as error:
        raise Error(f"--capacity {text}: {error}") from error


def _report(found: ImageMap) -> list[ReportPart]:
    from forebay.reports.table import TextTable  # noqa: PLC0415

    rows = [
        [it.name, it.kind, f"{it.size:,}", f"{it.alone:,}", f"{it.alone - it.size:,}"]
        for it in found.memories
    ]
    head = ["pool", "kind", "bytes", "without sharing", "saved"]
    names = ", ".join(it.name for it in found.networks)
    return [f"{found.name}: {names}", TextTable(head, rows, numbers=range(2, 5))]
