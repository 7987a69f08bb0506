"""The page: data, styles and scripts in one HTML file that refers to nothing outside of it."""

from __future__ import annotations

from html import escape
from pathlib import Path

import msgspec

from forebay.view.difference import PlanDifference, plan_difference
from forebay.view.plan_data import PlanData

ASSETS = Path(__file__).parent / "assets"

SCRIPTS = (
    "d3.min.js",
    "plan.js",
    "picture.js",
    "operators.js",
    "details.js",
    "charts.js",
    "main.js",
)
"""The scripts in the order in which the page runs them."""


class PageData(msgspec.Struct, frozen=True):
    """The plan of a page, maybe after another one, with what changed."""

    plan: PlanData
    before: PlanData | None = None
    difference: PlanDifference | None = None


def page(plan: PlanData, before: PlanData | None = None) -> str:
    """Return the page of a plan, or of a plan beside the one before; the same data, same text."""
    difference = None if before is None else plan_difference(before, plan)
    title = plan.name if before is None else f"{plan.name} against {before.name}"
    parts = {
        "TITLE": escape(title),
        "STYLE": _asset("style.css"),
        "DATA": _embedded(PageData(plan, before, difference)),
        "SCRIPTS": "\n".join(f"<script>\n{_asset(name)}</script>" for name in SCRIPTS),
    }
    text = _asset("page.html")
    for name, part in parts.items():
        before_part, _, behind = text.partition(f"<!-- {name} -->")
        text = f"{before_part}{part}{behind}"
    return text


def _embedded(data: PageData) -> str:
    """Return JSON that no HTML parser takes for the end of its element."""
    text = msgspec.json.encode(data).decode()
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _asset(name: str) -> str:
    return (ASSETS / name).read_text("utf-8")
