"""Writing of a picture; the suffix of the file selects the format."""

from __future__ import annotations

from html import escape
from pathlib import Path

from forebay.planning.contract.certificate import certify
from forebay.planning.model.errors import FormatError
from forebay.planning.model.plan import Plan
from forebay.planning.picture.boxes import panel_of
from forebay.planning.picture.html import html
from forebay.planning.picture.png import write_png
from forebay.planning.picture.svg import svg
from forebay.support.files import write_whole


def picture_html(plan: Plan) -> str:
    """Return the pools that change over time as SVG, and all certificates, for a notebook."""
    certificates = certify(plan)
    panels = [panel_of(plan, c) for c in certificates if c.peak]
    drawn = [panel for panel in panels if not panel.still] or panels
    rows = "".join(f"<li>{escape(str(c))}</li>" for c in certificates if c.peak)
    return f"{svg(drawn, plan.problem.name or 'plan')}<ul>{rows}</ul>"


def write_picture(plan: Plan, path: Path) -> None:
    """Draw the plan as .svg, .html or .png; raise `FormatError` for another suffix."""
    certificates = certify(plan)
    panels = [panel_of(plan, c) for c in certificates if c.peak]
    title = f"{plan.problem.name or 'plan'} by {plan.planner}"
    if path.suffix == ".svg":
        write_whole(path, svg(panels, title))
    elif path.suffix == ".html":
        write_whole(path, html(svg(panels, title), certificates, title))
    elif path.suffix == ".png":
        write_png(panels, title, path)
    else:
        raise FormatError(f"{path}: a picture is a .svg, .html or .png file")
