from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import msgspec
from common.documents.memory_maps import buffer, memory_map

from forebay.view.from_memory_map import data_of_memory_map
from forebay.view.page import page


class Page(HTMLParser):
    """The references of a page, and the contents of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.scripts: list[str] = []
        self.policy = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.references += [str(value) for name, value in attrs if name in ("src", "href")]
        if ("http-equiv", "Content-Security-Policy") in attrs:
            self.policy = str(dict(attrs)["content"])

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts.append(data)


def test_the_page_refers_to_nothing_and_may_load_nothing() -> None:
    found = Page(page(data_of_memory_map(memory_map())))
    assert found.references == []
    assert found.policy.startswith("default-src 'none';")


def test_the_same_data_give_the_same_bytes() -> None:
    one, other = (page(data_of_memory_map(memory_map())) for _ in range(2))
    assert one == other


def test_names_cannot_leave_their_element() -> None:
    name = "</script><script>alert(1)</script><!-- SCRIPTS --> & \u2028"
    plan = data_of_memory_map(memory_map(buffers=(buffer(name, (0, 1)), *memory_map().buffers[1:])))
    text = page(msgspec.structs.replace(plan, name=name))
    found = Page(text)
    assert not any(script.startswith("alert") for script in found.scripts)
    assert "<title>&lt;/script&gt;" in text
    (data,) = re.findall(r'<script type="application/json" id="data">(.*)</script>', text)
    assert json.loads(data)["plan"]["buffers"][0]["name"] == name


def test_two_plans_come_with_what_changed() -> None:
    before = data_of_memory_map(memory_map())
    moved = memory_map(buffers=(buffer("a", (0, 2), offset=32), *memory_map().buffers[1:]))
    text = page(data_of_memory_map(moved), before)
    (data,) = re.findall(r'<script type="application/json" id="data">(.*)</script>', text)
    assert json.loads(data)["difference"]["buffers"] == [
        {"name": "a", "change": "moved", "before": 0, "after": 0}
    ]
