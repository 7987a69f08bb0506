"""Read and write the JSON documents: a type for each, whose fields are those of its schema."""

from forebay.formats.documents import DOCUMENTS
from forebay.formats.mcu_report import McuReport
from forebay.formats.memory_map import MemoryMap
from forebay.formats.memory_plan import MemoryPlan
from forebay.formats.offload_report import OffloadDocument
from forebay.formats.output_manifest import OutputManifest
from forebay.formats.placement import PlacementFile
from forebay.formats.planning_problem import PlanningProblem
from forebay.formats.reading import DocumentError, read_document, read_file
from forebay.formats.trace import TraceDocument
from forebay.formats.weights_manifest import WeightsManifest
from forebay.formats.writing import json_lines, json_text
from forebay.view.operator_graph import operator_edges

__all__ = [
    "DOCUMENTS",
    "DocumentError",
    "McuReport",
    "MemoryMap",
    "MemoryPlan",
    "OffloadDocument",
    "OutputManifest",
    "PlacementFile",
    "PlanningProblem",
    "TraceDocument",
    "WeightsManifest",
    "json_lines",
    "json_text",
    "operator_edges",
    "read_document",
    "read_file",
]
