"""Documents as JSON text: the same document always gives the same text."""

from __future__ import annotations

import msgspec

from forebay.formats.record import Record


def json_text(document: Record, indent: int = 1) -> str:
    """Return the document as JSON with one value per line."""
    return msgspec.json.format(msgspec.json.encode(document), indent=indent).decode() + "\n"


def json_lines(document: Record) -> str:
    """Return the document as JSON with one line per field, and one per entry of a list."""
    fields = msgspec.json.decode(msgspec.json.encode(document), type=dict[str, msgspec.Raw])
    lines = ",\n".join(f'  "{name}": {_value(bytes(raw))}' for name, raw in fields.items())
    return f"{{\n{lines}\n}}\n"


def _value(raw: bytes) -> str:
    if not raw.startswith(b"[") or raw == b"[]":
        return _one_line(raw)
    entries = msgspec.json.decode(raw, type=list[msgspec.Raw])
    lines = ",\n".join(f"    {_one_line(bytes(entry))}" for entry in entries)
    return f"[\n{lines}\n  ]"


def _one_line(raw: bytes) -> str:
    return msgspec.json.format(raw, indent=0).decode()
