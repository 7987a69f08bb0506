"""The identity of a project's model and plan, so that files of two compilations do not mix."""

from __future__ import annotations

import hashlib
import json

from forebay.codegen.project.interface.runtime import RUNTIME_HEADER, RUNTIME_VERSION
from forebay.network.model import BufferInfo, ModelInfo
from forebay.network.names import Naming


def plan_hash(model: ModelInfo) -> str:
    """Return a hex digest of the plan and of the functions' parameters.

    It covers the pools, ports and buffers of the plan, the order of elements in constants, the
    pools that are passed, and the devices.
    """
    pools = [(p.name, p.kind.name, p.size, p.alignment, p.fill.name, p.base) for p in model.pools]
    ports = [
        (p.name, p.dtype, p.shape, p.pool, p.offset, *(["rows"] if p.by_rows else []))
        for p in model.ports
    ]
    buffers = [
        (b.name, b.pool, b.offset, b.size, b.start, b.end, b.dtype, b.shape, *_order_of(b))
        for b in model.buffers
    ]
    handed = [pool.name for pool in model.handed_pools]
    devices = [(d.name, d.kind, d.entries, d.handle) for d in model.devices]
    facts = json.dumps([model.source_hash, pools, ports, buffers, handed, *devices])
    return hashlib.sha256(facts.encode()).hexdigest()


def _order_of(buffer: BufferInfo) -> list[int]:
    """Return the order of a constant's elements, if it is not that of the model."""
    order = buffer.interleaved
    if not order:
        return []
    return [order.channels] if order.word == 1 else [order.channels, order.word]


def plan_id(model: ModelInfo) -> str:
    """Return the first 32 bits of the plan's hash as a C number, for use in `#if`."""
    return f"0x{plan_hash(model)[:8]}u"


def identity_macros(model: ModelInfo, naming: Naming) -> str:
    """Return the header's macros, and the check of the runtime header's version."""
    macro = naming.macro
    return "\n".join(
        [
            f"#if FOREBAY_RUNTIME_VERSION != {RUNTIME_VERSION}",
            f'#error "{naming.prefix} needs version {RUNTIME_VERSION} of {RUNTIME_HEADER}"',
            "#endif",
            "",
            "/* SHA-256 of the model file and of the memory plan; the plan's first 32 bits. */",
            f'#define {macro}_MODEL_HASH "{model.source_hash}"',
            f'#define {macro}_PLAN_HASH "{plan_hash(model)}"',
            f"#define {macro}_PLAN_ID {plan_id(model)}",
        ]
    )


def identity_check(file: str, model: ModelInfo, naming: Naming) -> str:
    """Return the check that a source file and the header are of the same compilation."""
    m = naming.prefix
    return "\n".join(
        [
            f"#if {naming.macro}_PLAN_ID != {plan_id(model)}",
            f'#error "{file} and {m}.h are of different compilations"',
            "#endif",
        ]
    )
