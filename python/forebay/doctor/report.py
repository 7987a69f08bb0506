"""The report of `forebay doctor`, as a document and as text."""

from __future__ import annotations

import platform
from contextlib import suppress
from importlib import metadata

from forebay.doctor.checks import checked_abilities
from forebay.doctor.packages import installed_packages
from forebay.formats.environment_report import EnvironmentReport, InstalledTool
from forebay.reports.table import ReportPart, TextTable


def environment_report() -> EnvironmentReport:
    """Return what is installed on this machine and what works."""
    tools, board_tools = _tools()
    packages = installed_packages()
    return EnvironmentReport(
        format="forebay-environment-report",
        version=1,
        forebay=metadata.version("forebay"),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        platform=f"{platform.platform()}, {' '.join(platform.libc_ver()).strip() or 'no glibc'}",
        packages=packages,
        tools=tools,
        checks=checked_abilities(board_tools, tools, packages),
    )


def is_broken(report: EnvironmentReport) -> bool:
    """Return whether a required package does not fit, or something that is installed fails."""
    return any(not it.fits and it.extra is None for it in report.packages) or any(
        it.outcome == "fails" for it in report.checks
    )


def report_parts(report: EnvironmentReport) -> list[ReportPart]:
    """Return the report as lines and tables."""
    packages = [
        [it.name, it.version or "-", it.required or "any", _state(it.version, it.fits, it.extra)]
        for it in report.packages
    ]
    tools = [
        [it.program, it.version or ("-" if it.path is None else "unknown"), _use(it)]
        for it in report.tools
    ]
    checks = [[it.name, it.outcome, it.detail] for it in report.checks]
    return [
        f"forebay {report.forebay}, {report.python}, {report.platform}",
        "",
        TextTable(["package", "installed", "required", "state"], packages),
        "",
        TextTable(["program", "version", "used for"], tools),
        "",
        TextTable(["check on a small network", "outcome", "reason"], checks),
    ]


def _tools() -> tuple[tuple[InstalledTool, ...], dict[str, tuple[str, ...]]]:
    """Return the tools, and the programs of each board.

    Boards load MLIR. If MLIR cannot be loaded there are none, and the checks report the reason.
    """
    with suppress(ImportError):
        from forebay.doctor.tools import installed_tools, programs_of_boards  # noqa: PLC0415

        return installed_tools(), programs_of_boards()
    return (), {}


def _state(version: str | None, fits: bool, extra: str | None) -> str:
    if fits:
        return "ok"
    if extra is not None:
        return f"for the extra: pip install 'forebay[{extra}]'"
    return "missing" if version is None else "another version; please install Forebay again"


def _use(tool: InstalledTool) -> str:
    missing = f"; on Debian: apt-get install {tool.debian}" if tool.path is None else ""
    return tool.used_for + missing
