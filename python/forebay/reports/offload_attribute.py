"""The off-load report as an attribute of the module, from the partition to the driver.

::

    accel.offload = {devices = ["accel", "cpu"], operators = [
      {bytes = 4096 : i64, device = "accel", index = 0 : i64, kind = "CONV_2D", macs = 147456 : i64,
       name = "conv", pattern = "conv2d", reasons = []}], target = "fetch_conv"}
"""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir

from forebay.reports.offload import OffloadReport, OperatorOffload

OFFLOAD = "accel.offload"


def write_offload(module: ir.Operation, report: OffloadReport) -> None:
    """Set the attribute of the module."""
    entries = {
        "target": ir.StringAttr.get(report.target),
        "devices": _strings(report.devices),
        "operators": ir.ArrayAttr.get([_entry(operator) for operator in report.operators]),
    }
    module.attributes[OFFLOAD] = ir.DictAttr.get(entries)


def take_offload(module: ir.Operation) -> OffloadReport | None:
    """Remove the attribute from the module and return its report; None if it has none."""
    if OFFLOAD not in module.attributes:
        return None
    entries = ir.DictAttr(module.attributes[OFFLOAD])
    report = OffloadReport(
        ir.StringAttr(entries["target"]).value,
        _texts(entries["devices"]),
        tuple(_operator(ir.DictAttr(entry)) for entry in ir.ArrayAttr(entries["operators"])),
    )
    del module.attributes[OFFLOAD]
    return report


def _entry(operator: OperatorOffload) -> ir.DictAttr:
    wide = ir.IntegerType.get_signless(64)
    entry: dict[str, ir.Attribute] = {
        "kind": ir.StringAttr.get(operator.kind),
        "name": ir.StringAttr.get(operator.name),
        "device": ir.StringAttr.get(operator.device),
        "reasons": _strings(operator.reasons),
        "macs": ir.IntegerAttr.get(wide, operator.macs),
        "bytes": ir.IntegerAttr.get(wide, operator.bytes),
    }
    if operator.index is not None:
        entry["index"] = ir.IntegerAttr.get(wide, operator.index)
    if operator.pattern is not None:
        entry["pattern"] = ir.StringAttr.get(operator.pattern)
    return ir.DictAttr.get(entry)


def _operator(entry: ir.DictAttr) -> OperatorOffload:
    return OperatorOffload(
        index=ir.IntegerAttr(entry["index"]).value if "index" in entry else None,
        kind=ir.StringAttr(entry["kind"]).value,
        name=ir.StringAttr(entry["name"]).value,
        device=ir.StringAttr(entry["device"]).value,
        pattern=ir.StringAttr(entry["pattern"]).value if "pattern" in entry else None,
        reasons=_texts(entry["reasons"]),
        macs=ir.IntegerAttr(entry["macs"]).value,
        bytes=ir.IntegerAttr(entry["bytes"]).value,
    )


def _strings(texts: Iterable[str]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get([ir.StringAttr.get(text) for text in texts])


def _texts(strings: ir.Attribute) -> tuple[str, ...]:
    return tuple(ir.StringAttr(text).value for text in ir.ArrayAttr(strings))
