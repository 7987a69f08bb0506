"""The language server knows our dialects."""

import json
import subprocess
import sys
from pathlib import Path

SERVER = Path(sys.executable).with_name("forebay-lsp-server")


def message(**content: object) -> str:
    body = json.dumps({"jsonrpc": "2.0", **content})
    return f"Content-Length: {len(body)}\r\n\r\n{body}"


def test_diagnostics_of_our_dialects_reach_the_editor() -> None:
    document = {
        "uri": "test:///pool.mlir",
        "languageId": "mlir",
        "version": 1,
        "text": "memref_pool.pool @p workspace align 24\n",
    }
    session = [
        message(id=0, method="initialize", params={"processId": 1, "capabilities": {}}),
        message(method="textDocument/didOpen", params={"textDocument": document}),
        message(id=1, method="shutdown"),
        message(method="exit"),
    ]
    result = subprocess.run(
        [str(SERVER)],
        input="".join(session),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "alignment must be a power of two, but is 24" in result.stdout
