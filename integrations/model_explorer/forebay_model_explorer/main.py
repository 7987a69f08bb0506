"""The adapter, which Model Explorer loads as the module `main` of an extension."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from model_explorer import Adapter, AdapterMetadata, ModelExplorerGraphs

from forebay.api.formats import MemoryMap, read_file
from forebay_model_explorer.graph import graph_of


class ForebayAdapter(Adapter):
    """Shows the operators of a memory map with their devices, buffers and pools."""

    metadata = AdapterMetadata(
        id="forebay_memory_map",
        name="Forebay memory map",
        description="Operators of a compiled network with their devices, pools, bytes and cycles.",
        fileExts=["json"],
    )

    def convert(self, model_path: str, settings: dict[str, Any]) -> ModelExplorerGraphs:
        """Return the graph of a memory map; raises `DocumentError` for any other file."""
        return {"graphs": [graph_of(read_file(Path(model_path), MemoryMap))]}
