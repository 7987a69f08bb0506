"""Describe a target without a file: devices, and pools in order of preference.

    forebay compile net.tflite --target accel,cpu
        --workspace-pools dtcm,sram
        --workspace-pool-dtcm "access=cpu:rw;size=1000;align=16"
        --workspace-pool-sram "access=cpu:rw,accel:rw"
        --constant-pools itcm,flash
        --constant-pool-itcm "access=cpu:r;size=5000"

The same as one text, which `--target` and pass options also accept:

    devices=accel,cpu/workspace=dtcm;access=cpu:rw;size=1000;align=16/workspace=sram/constant=itcm

The last device is the host. A kind without pools gets one pool, which all devices can access. A
pool without `access` is accessible to all devices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from forebay.pools import PoolKind
from forebay.support.sizes import size_of
from forebay.targets.complete.target import Target
from forebay.targets.description.device import Device
from forebay.targets.description.errors import TargetError
from forebay.targets.description.pool import Pool

PREFIX = "devices="
"""The prefix of the text of such a target."""

RESET_MARKER = (0, 16)
"""The range of a state pool that holds the marker of generated code that state was reset."""

_OWN_NAMES: dict[PoolKind, str] = {
    PoolKind.workspace: "workspace",
    PoolKind.constant: "weights",
    PoolKind.state: "state",
}


def text_of_options(
    devices: str, pools: Mapping[str, str | None], details: Mapping[tuple[str, str], str]
) -> str:
    """Return the text of a target from `--target`, `--<kind>-pools` and `--<kind>-pool-<name>`.

    `pools` holds the names per kind, `details` the properties per kind and name. Raises
    `TargetError` for details of a pool that no list names.
    """
    entries = [f"{PREFIX}{devices}"]
    known: list[tuple[str, str]] = []
    for kind, names in pools.items():
        for name in (names or "").split(",") if names else ():
            known.append((kind, name))
            words = details.get((kind, name))
            entries.append(f"{kind}={name}" + (f";{words}" if words else ""))
    for kind, name in details:
        if (kind, name) not in known:
            listed = ", ".join(other for k, other in known if k == kind) or "none"
            raise TargetError(
                f"--{kind}-pool-{name} describes no pool of --{kind}-pools, which lists {listed}"
            )
    return "/".join(entries)


def target_of_options(text: str) -> Target:
    """Return the target of a text that begins with `devices=`."""
    first, *entries = text.split("/")
    names = first.removeprefix(PREFIX).split(",")
    if "" in names:
        raise TargetError(f"'{first}' names no device; write devices=accel,cpu")
    devices = tuple(Device(name, kind=name, host=name == names[-1]) for name in names)
    pools = [_pool(entry) for entry in entries]
    missing = [kind for kind in PoolKind if kind not in {pool.kind for pool in pools}]
    pools_of_target = [_own_pool(kind, [pool.name for pool in pools]) for kind in missing]
    return Target(name="options", devices=devices, pools=(*pools, *pools_of_target))


def _own_pool(kind: PoolKind, taken: Sequence[str]) -> Pool:
    name = _OWN_NAMES[kind]
    while name in taken:
        name += "_"
    return Pool(name, kind, reserved=(RESET_MARKER,) if kind is PoolKind.state else ())


def _pool(entry: str) -> Pool:
    head, *words = entry.split(";")
    kind, _, name = head.partition("=")
    if kind not in PoolKind.__members__ or not name:
        raise TargetError(
            f"'{head}' describes no pool; it begins with one of "
            f"{', '.join(f'{known}=NAME' for known in PoolKind)}"
        )
    values: dict[str, Any] = {"reserved": (RESET_MARKER,)} if kind == "state" else {}
    for word in filter(None, words):
        values.update(_values(name, word))
    return Pool(name, PoolKind[kind], **values)


def _values(pool: str, word: str) -> dict[str, Any]:
    key, _, value = word.partition("=")
    if key not in _KEYS:
        raise TargetError(
            f"pool '{pool}' has no property '{key}'; the properties are {', '.join(_KEYS)}"
        )
    try:
        return dict(_KEYS[key](value))
    except ValueError:
        raise TargetError(f"'{word}' of pool '{pool}' cannot be read; {_FORMS[key]}") from None


def _number(field: str) -> Callable[[str], Iterator[tuple[str, Any]]]:
    def read(text: str) -> Iterator[tuple[str, Any]]:
        yield field, int(text, 0)

    return read


def _bytes(field: str) -> Callable[[str], Iterator[tuple[str, Any]]]:
    def read(text: str) -> Iterator[tuple[str, Any]]:
        yield field, size_of(text)

    return read


def _text(field: str) -> Callable[[str], Iterator[tuple[str, Any]]]:
    def read(text: str) -> Iterator[tuple[str, Any]]:
        if not text:
            raise ValueError
        yield field, text

    return read


def _access(text: str) -> Iterator[tuple[str, Any]]:
    """Parse `cpu:rw,accel:r` into readers and writers."""
    rights = [part.rpartition(":") for part in text.split(",")]
    if any(not name or right not in ("r", "w", "rw") for name, _, right in rights):
        raise ValueError
    yield "readers", tuple(name for name, _, right in rights if "r" in right)
    writers = tuple(name for name, _, right in rights if "w" in right)
    if writers:
        yield "writers", writers


def _reserved(text: str) -> Iterator[tuple[str, Any]]:
    """Parse `0-16,64-1K` into half-open ranges."""
    bounds = [part.split("-") for part in text.split(",")]
    yield "reserved", tuple((size_of(start), size_of(end)) for start, end in bounds)


_KEYS: dict[str, Callable[[str], Iterator[tuple[str, Any]]]] = {
    "access": _access,
    "size": _bytes("capacity"),
    "align": _bytes("alignment"),
    "start": _bytes("start"),
    "base": _bytes("base"),
    "unit": _bytes("unit"),
    "banks": _number("banks"),
    "cost": _number("cost"),
    "weight": _number("weight"),
    "reserved": _reserved,
    "section": _text("section"),
    "fill": _text("fill"),
}

_FORMS = {
    **dict.fromkeys(_KEYS, "it is a number: cost=2"),
    **dict.fromkeys(
        ("size", "align", "start", "base", "unit"), "it is a number of bytes: size=65536, size=64K"
    ),
    "access": "it is like access=cpu:rw,accel:r",
    "reserved": "it is like reserved=0-16,64-128",
    "section": "it is a name: section=.bss.sram",
    "fill": "it is like fill=at_init",
}
