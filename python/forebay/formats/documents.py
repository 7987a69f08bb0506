"""The list of all documents."""

from __future__ import annotations

from forebay.errors import Error
from forebay.formats.budget_report import BudgetReport
from forebay.formats.environment_report import EnvironmentReport
from forebay.formats.image_map import ImageMap
from forebay.formats.mcu_report import McuReport
from forebay.formats.memory_map import MemoryMap
from forebay.formats.memory_plan import MemoryPlan
from forebay.formats.offload_report import OffloadDocument
from forebay.formats.output_manifest import OutputManifest
from forebay.formats.placement import PlacementFile
from forebay.formats.planning_problem import PlanningProblem
from forebay.formats.record import Document
from forebay.formats.sweep_file import SweepFile
from forebay.formats.sweep_record import SweepRecord
from forebay.formats.trace import TraceDocument
from forebay.formats.weights_manifest import WeightsManifest

DOCUMENTS: tuple[type[Document], ...] = (
    PlanningProblem,
    MemoryPlan,
    MemoryMap,
    ImageMap,
    WeightsManifest,
    OutputManifest,
    PlacementFile,
    OffloadDocument,
    McuReport,
    BudgetReport,
    EnvironmentReport,
    SweepFile,
    SweepRecord,
    TraceDocument,
)


def document_named(name: str) -> type[Document]:
    """Return the type of a document; raise `Error` for an unknown name."""
    by_name = {kind.document: kind for kind in DOCUMENTS}
    if name not in by_name:
        raise Error(f"there is no document '{name}'; documents: {', '.join(by_name)}")
    return by_name[name]
