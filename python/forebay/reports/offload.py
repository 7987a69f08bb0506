"""The device of each operator, and for those on the host the conditions that failed."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import asdict

from forebay.reports.table import ReportPart, TextTable, plain_text

_NAME_WIDTH = 40
"""Characters of a result's name in a table; converters write very long names."""


class OperatorOffload(Struct, frozen=True):
    """An operator and its device.

    `pattern` is None on the host. `reasons` say why each device that was tried did not accept the
    operator. `macs` is the number of multiply-accumulate operations. `bytes` is the number of bytes
    that the operator reads from other operators and constants, plus those it writes for others.
    """

    index: int | None
    kind: str
    name: str
    device: str
    pattern: str | None
    reasons: tuple[str, ...]
    macs: int
    bytes: int


class OffloadReport(Struct, frozen=True):
    """All operators of a program, in order of execution; devices in the target's order."""

    target: str
    devices: tuple[str, ...]
    operators: tuple[OperatorOffload, ...]

    def macs(self, device: str | None = None) -> int:
        """Return the MACs on a device, or on all devices."""
        return sum(o.macs for o in self.operators if device in (None, o.device))

    def bytes(self, device: str | None = None) -> int:
        """Return the bytes read and written by the operators of a device, or of all devices."""
        return sum(o.bytes for o in self.operators if device in (None, o.device))

    def share_of_macs(self, device: str) -> float:
        """Return a share between 0 and 1; 0 for a program without MACs."""
        return self.macs(device) / max(1, self.macs())

    def share_of_bytes(self, device: str) -> float:
        """Return a share between 0 and 1."""
        return self.bytes(device) / max(1, self.bytes())

    def text(self) -> str:
        """Return the report as plain text."""
        return plain_text(self.parts())

    def parts(self) -> list[ReportPart]:
        """Return two tables: the devices' shares, and the operators with their reasons."""
        shares = [
            [
                device,
                str(sum(o.device == device for o in self.operators)),
                f"{self.macs(device):,}",
                f"{100 * self.share_of_macs(device):.2f} %",
                f"{self.bytes(device):,}",
                f"{100 * self.share_of_bytes(device):.2f} %",
            ]
            for device in self.devices
        ]
        rows = [
            [
                "" if o.index is None else str(o.index),
                o.kind,
                _short(o.name),
                o.device if o.pattern is None else f"{o.device}.{o.pattern}",
                f"{o.macs:,}",
                f"{o.bytes:,}",
                "; ".join(o.reasons),
            ]
            for o in self.operators
        ]
        of_devices = ["device", "operators", "MACs", "", "bytes", ""]
        of_operators = ["", "operator", "result", "runs on", "MACs", "bytes", "because"]
        return [
            TextTable(of_devices, shares, numbers=(1, 2, 3, 4, 5)),
            "",
            TextTable(of_operators, rows, numbers=(0, 4, 5)),
        ]

    def to_json(self) -> str:
        """Return the report as JSON, shares included."""
        from forebay.formats.offload_report import (  # noqa: PLC0415
            DeviceShare,
            OffloadDocument,
            OffloadedOperator,
        )
        from forebay.formats.writing import json_text  # noqa: PLC0415

        shares = {
            device: DeviceShare(
                self.macs(device),
                self.share_of_macs(device),
                self.bytes(device),
                self.share_of_bytes(device),
            )
            for device in self.devices
        }
        operators = tuple(OffloadedOperator(**asdict(operator)) for operator in self.operators)
        return json_text(OffloadDocument(self.target, shares, operators), indent=2)

    def placement(self) -> str:
        """Return the text of a placement file with these devices, for the user to edit."""
        from forebay.formats.placement import PlacedOperator, PlacementFile  # noqa: PLC0415
        from forebay.formats.writing import json_lines  # noqa: PLC0415

        operators = tuple(
            PlacedOperator(index=o.index, kind=o.kind, name=o.name, device=o.device)
            for o in self.operators
        )
        return json_lines(PlacementFile(operators))


def _short(name: str) -> str:
    return name if len(name) <= _NAME_WIDTH else f"{name[: _NAME_WIDTH - 3]}..."
