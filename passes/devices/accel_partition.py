"""accel-partition: turn operators into calls of the intrinsics of devices."""

from pathlib import Path
from typing import ClassVar

from mlir import ir

from forebay import targets
from forebay.errors import Error
from forebay.ir.machine.target import target_name
from forebay.ir.module import module_of
from forebay.ir.refused import RefusedError
from forebay.partition import PlacementRequestError, partition
from forebay.passes._pass import Pass, PassError, option
from forebay.reports.offload_attribute import write_offload
from forebay.support.files import printable, write_whole
from forebay.support.records import record


@record
class AccelPartition(Pass):
    """Give each TOSA operator to the device whose pattern accepts it; the host runs the others.

    The patterns are those of the target that `accel-attach-target` attached. A pattern sees an
    operator with its padding, rescales and clamp as one view. An operator that a device accepts
    becomes `accel.call`s, layout changes around them in TOSA, and constants in the device's layout.
    All of them get the location of the operator. The module's attribute `accel.offload` reports the
    device of each operator, and why the other devices did not accept it.
    """

    name: ClassVar[str] = "accel-partition"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "tensor", "tosa")

    place: tuple[tuple[str, str], ...] = option(
        (), "operator=device, the operator by its index or name"
    )
    placement: Path | None = option(None, "JSON file that says the device of operators")
    report: Path | None = option(None, "file to write the off-load report to, as JSON")

    def run(self, op: ir.Operation) -> None:
        """Partition all functions of the module."""
        module = module_of(op)
        named = target_name(module)
        if named is None:
            raise PassError(op.location, "the module has no target; run accel-attach-target before")
        try:
            target = targets.load(named)
            report = partition(module, target, place=self.place, placement=self.placement)
            write_offload(op, report)
            if self.report is not None:
                write_whole(self.report, report.to_json())
        except RefusedError:
            raise
        except PlacementRequestError as error:
            raise PassError(_location(op, error.file), str(error)) from error
        except (Error, OSError) as error:
            raise PassError(op.location, str(error)) from error


def _location(op: ir.Operation, file: Path | None) -> ir.Location:
    """Return the place of a wrong request: the placement file, or else the module."""
    return op.location if file is None else ir.Location.file(printable(str(file)), 0, 0)
