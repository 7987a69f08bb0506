"""Command-line options that describe pools, and the target of a command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from forebay.errors import Error
from forebay.pools import PoolKind

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
        if key in details:
            raise Error(f"{flag} is given twice; give all properties of the pool in one")
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


def _pool_of(flag: str) -> tuple[str, str] | None:
    for kind in _KINDS:
        prefix = f"--{kind}-pool-"
        if flag.startswith(prefix) and len(flag) > len(prefix):
            return kind, flag.removeprefix(prefix)
    return None
