"""The picture as PNG through matplotlib, which is an optional extra."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forebay.planning.errors import FormatError
from forebay.planning.picture.boxes import Panel


def write_png(panels: Sequence[Panel], title: str, path: Path) -> None:
    """Write the file; raises `FormatError` when matplotlib is not installed."""
    try:
        import matplotlib as mpl  # type: ignore[import-not-found]  # noqa: PLC0415

        mpl.use("Agg")
        from matplotlib import pyplot  # type: ignore[import-not-found]  # noqa: PLC0415
    except ImportError as error:
        raise FormatError(
            f"{path}: a .png needs matplotlib (pip install forebay[plot]); .svg needs nothing"
        ) from error
    plots: Any = pyplot
    figure, axes = plots.subplots(
        len(panels), 1, figsize=(9, 3.4 * len(panels)), squeeze=False, layout="constrained"
    )
    figure.suptitle(title)
    for axis, panel in zip(axes[:, 0], panels, strict=True):
        _draw(axis, panel)
    figure.savefig(path, dpi=160)
    plots.close(figure)


def _draw(axis: Any, panel: Panel) -> None:
    for box in panel.boxes:
        axis.broken_barh(
            [(box.start, box.end - box.start)],
            (box.low, box.high - box.low),
            facecolors=box.color,
            edgecolors="white",
            linewidth=0.5,
            alpha=0.8,
        )
    axis.axhline(panel.peak, color="#222", linewidth=1, label=f"peak {panel.peak:,} B")
    axis.axhline(
        panel.bound, color="#c00", linewidth=1, linestyle="--", label=f"bound {panel.bound:,} B"
    )
    axis.set_xlim(panel.first, panel.last)
    axis.set_ylim(0, max(panel.peak, panel.bound, 1) * 1.04)
    axis.set_title(panel.pool, loc="left")
    axis.set_xlabel("time")
    axis.set_ylabel("bytes")
    axis.legend(loc="upper right", fontsize="small")
