"""Two machines that take maxima of 2x2, one of large pictures, one of small ones, with stages."""

from __future__ import annotations

import runpy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mlir import ir

from forebay.device_stages import CallSite
from forebay.dialects import accel
from forebay.ir import fused
from forebay.targets import Device, Pattern, Pool, Target

POOLER = runpy.run_path(str(Path(__file__).parents[3] / "examples/target/pooler.py"))


def again(site: CallSite) -> Sequence[ir.Value]:
    """The same call, in a function that the stage made."""
    (source,) = site.call.inputs
    (target_,) = site.call.outputs
    return accel.CallOp(
        [target_.type], site.call.callee.value, [source], [target_], config=site.call.config
    ).result_tensors


def rows_of(view: fused.Fused) -> int:
    """Rows of the picture that comes in."""
    return fused.shape_of(view.source)[1]


def target() -> Target:
    """The pooler of the examples twice, each with a limit on what it takes."""
    pattern: Pattern = POOLER["HALVE"]
    wanted = {
        "large": ("at least 8 rows", lambda view: rows_of(view) >= 8),
        "small": ("less than 8 rows", lambda view: rows_of(view) < 8),
    }
    devices = [Device("cpu", kind="cpu", host=True)]
    patterns: list[Pattern] = []
    for name, condition in wanted.items():
        devices.append(Device(name, "pooler", intrinsics=(POOLER["MAX_POOL"],), stage=again))
        patterns.append(replace(pattern, device=name, conditions=(*pattern.conditions, condition)))
    everyone = tuple(device.name for device in devices)
    pools = (
        Pool("in_mem", "workspace", 4096, readers=everyone, writers=everyone),
        Pool("out_mem", "workspace", 4096, readers=everyone, writers=everyone),
        Pool("flash", "constant", readers=("cpu",)),
    )
    return Target("two_poolers", tuple(devices), pools, tuple(patterns))
