"""The picture as PNG by matplotlib, which is an optional extra."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forebay.planning.model.errors import FormatError
from forebay.planning.picture.boxes import Panel, PictureBox, byte_ticks, bytes_label
from forebay.support.files import replaced_when_done


def write_png(panels: Sequence[Panel], title: str, path: Path) -> None:
    """Write the file; raise `FormatError` when matplotlib is not installed."""
    try:
        import matplotlib as mpl  # type: ignore[import-not-found]  # noqa: PLC0415

        mpl.use("Agg")
        from matplotlib import pyplot  # type: ignore[import-not-found]  # noqa: PLC0415
    except ImportError as error:
        raise FormatError(
            f"{path}: a .png needs matplotlib (pip install forebay[plot]); .svg needs nothing"
        ) from error
    plots: Any = pyplot
    heights = [1.8 if panel.still else 3.6 for panel in panels]
    figure, axes = plots.subplots(
        max(1, len(panels)),
        1,
        figsize=(9, max(1.5, sum(heights))),
        squeeze=False,
        height_ratios=heights or None,
        layout="constrained",
    )
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    for axis, panel in zip(axes[:, 0], panels, strict=False):
        _draw(axis, panel)
    with replaced_when_done(path) as file:
        figure.savefig(file, format="png", dpi=160, metadata={"Software": None})
    plots.close(figure)


def _draw(axis: Any, panel: Panel) -> None:
    for start, end in panel.reserved:
        axis.axhspan(start, end, facecolor="#eee", edgecolor="#999", hatch="///", linewidth=0)
    for box in panel.boxes:
        _draw_box(axis, panel, box)
    ticks, sizes = zip((panel.first, 0), *panel.live, strict=True)
    axis.step(ticks, sizes, where="post", color="#222", linewidth=0.9, alpha=0.6, label="live")
    axis.axhline(panel.peak, color="#222", linewidth=1, label="peak")
    if panel.bound < panel.peak:
        axis.axhline(panel.bound, color="#c00", linewidth=1, linestyle="--", label="lower bound")
    if panel.capacity is not None and panel.capacity <= panel.top:
        axis.axhline(panel.capacity, color="#06c", linewidth=1, linestyle=":", label="capacity")
    axis.set_xlim(panel.first, panel.last)
    axis.set_ylim(0, panel.top * 1.02)
    axis.set_title(f"{panel.pool}: {panel.caption}", loc="left", fontsize="medium")
    axis.set_xlabel("time", fontsize="small")
    axis.xaxis.set_major_formatter("{x:,.0f}")
    axis.set_yticks(byte_ticks(panel.top), [bytes_label(tick) for tick in byte_ticks(panel.top)])
    axis.tick_params(labelsize="small")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=4, fontsize="small", frameon=False)


def _draw_box(axis: Any, panel: Panel, box: PictureBox) -> None:
    width, height = box.end - box.start, box.high - box.low
    share_x, share_y = width / max(1, panel.last - panel.first), height / panel.top
    axis.broken_barh(
        [(box.start, width)],
        (box.low, height),
        facecolors=box.color,
        edgecolors="white",
        linewidth=min(0.5, 40 * share_y, 100 * share_x),
        alpha=0.95 if box.at_bound else 0.6,
    )
    if share_x > 0.011 * len(box.name) and share_y > 0.05:
        middle = box.start + width / 2, box.low + height / 2
        axis.text(*middle, box.name, ha="center", va="center", fontsize="x-small", zorder=5)
