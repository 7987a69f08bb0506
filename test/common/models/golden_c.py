"""Generated files as they are expected, and a network with state for them.

`FOREBAY_UPDATE_GOLDEN=1` writes them again; read the difference before committing it.
"""

from __future__ import annotations

import os
from pathlib import Path

from forebay.network.model import BufferInfo, ModelInfo, PlannedPool, Port
from forebay.pools import PoolKind

FOLDER = Path(__file__).parents[2] / "python" / "codegen"
COUNTER = ModelInfo(
    name="counter",
    inputs=(Port("x", "int16", (4,), pool="workspace", offset=0),),
    outputs=(Port("y", "int32", (1,), pool="workspace", offset=32),),
    pools=(
        PlannedPool(
            "workspace", PoolKind.workspace, size=64, lower_bound=36, section=".bss.workspace"
        ),
        PlannedPool("kept", PoolKind.state, size=32, capacity=1024),
    ),
    buffers=(BufferInfo("x", "workspace", 0, 8, 0, 1, "int16", (4,)),),
    source_hash="0123456789abcdef" * 4,
)


def assert_golden(files: dict[str, str], name: str) -> None:
    path = FOLDER / "golden" / name
    if os.environ.get("FOREBAY_UPDATE_GOLDEN"):
        path.write_text(files[name])
    assert files[name] == path.read_text()
