"""The processor of this machine, by the features that the kernel of Linux reports."""

from __future__ import annotations

import functools
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
_V3 = frozenset({"avx2", "bmi1", "bmi2", "fma", "f16c", "movbe", "abm"})
_V4 = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
_KEYS = ("flags", "Features")
"""What x86-64 and AArch64 call the list of features."""
_NEEDED = {
    "cascadelake": _V4 | {"avx512_vnni"},
    "x86-64-v4": _V4,
    "x86-64-v3": _V3,
    "cortex-a76": frozenset({"asimd", "asimddp"}),
}
"""Features of a processor with a schedule, the most capable first."""


@functools.cache
def host_processor() -> str | None:
    """Return the name of the most capable processor whose code this machine runs, or None."""
    return processor_with(_CPUINFO.read_text()) if _CPUINFO.exists() else None


def processor_with(cpuinfo: str) -> str | None:
    """Return the same for the text of `/proc/cpuinfo`."""
    lines = (line.partition(":") for line in cpuinfo.splitlines())
    flags = next((frozenset(own.split()) for key, _, own in lines if key.strip() in _KEYS), None)
    found = (name for name, needed in _NEEDED.items() if flags is not None and needed <= flags)
    return next(found, None)
