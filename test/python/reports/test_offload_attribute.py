"""The off-load report as an attribute of the module."""

from mlir import ir

from forebay.reports.offload import OffloadReport, OperatorOffload
from forebay.reports.offload_attribute import OFFLOAD, take_offload, write_offload

REPORT = OffloadReport(
    "npu",
    ("accel", "cpu"),
    (
        OperatorOffload(3, "CONV_2D", 'the "sum", {x}', "accel", "conv2d", (), 2**40, 4096),
        OperatorOffload(None, "tosa.add", "", "cpu", None, ("accel: too wide", "last"), 0, 12),
    ),
)


def test_a_report_survives_the_text_of_the_module() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        write_offload(module.operation, REPORT)
        again = ir.Module.parse(str(module))
        assert take_offload(again.operation) == REPORT
        assert OFFLOAD not in again.operation.attributes
        assert take_offload(again.operation) is None
