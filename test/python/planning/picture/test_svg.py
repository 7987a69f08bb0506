from xml.etree import ElementTree as ET

import pytest

from forebay.planning import (
    Buffer,
    ByteRange,
    Kind,
    Placement,
    Plan,
    Pool,
    Problem,
    certify_pool,
    live,
)
from forebay.planning.picture.boxes import PictureBox, byte_ticks, bytes_label, panel_of
from forebay.planning.picture.svg import svg

PROBLEM = Problem(
    (Pool("ram"),),
    (Buffer("a<b", 10, live(0, 2), ("ram",)), Buffer("c", 30, live(1, 3), ("ram",))),
)
PLAN = Plan(PROBLEM, {"a<b": Placement("ram", 30), "c": Placement("ram", 0)}, "test")


def test_a_box_is_a_life_in_ticks_and_bytes():
    panel = panel_of(PLAN, certify_pool(PLAN, "ram"))
    assert panel.boxes[0] == PictureBox("a<b", 0, 2, 30, 40, "#4e79a7", at_bound=True)
    assert (panel.peak, panel.bound, panel.first, panel.last) == (40, 40, 0, 3)
    assert panel.live == ((0, 10), (1, 40), (2, 30), (3, 0))
    assert not panel.still


def test_the_drawing_is_xml_with_a_title_per_buffer():
    root = ET.fromstring(svg([panel_of(PLAN, certify_pool(PLAN, "ram"))], "t"))
    titles = [e.text for e in root.iter("{http://www.w3.org/2000/svg}title")]
    assert titles == ["a<b: 10 B at 30, ticks [0, 2)", "c: 30 B at 0, ticks [1, 3)", "peak 40 B"]


def test_the_capacity_is_drawn_where_it_is_near_and_reserved_bytes_are_hatched():
    pool = Pool("ram", capacity=48, reserved=(ByteRange(44, 48),))
    plan = Plan(Problem((pool,), PROBLEM.buffers), PLAN.placements, "test")
    panel = panel_of(plan, certify_pool(plan, "ram"))
    assert (panel.top, panel.reserved) == (48, (ByteRange(44, 48),))
    text = svg([panel], "t")
    assert "<title>capacity 48 B</title>" in text
    assert "<title>reserved [44, 48)</title>" in text
    assert panel_of(PLAN, certify_pool(PLAN, "ram")).top == 40


def test_what_always_lives_is_still():
    problem = Problem((Pool("rom"),), (Buffer("w", 8, candidates=("rom",), kind=Kind.CONSTANT),))
    plan = Plan(problem, {"w": Placement("rom", 0)}, "test")
    assert panel_of(plan, certify_pool(plan, "rom")).still


@pytest.mark.parametrize(
    ("value", "label"), [(0, "0"), (512, "512"), (1536, "1.5 KiB"), (3 << 20, "3 MiB")]
)
def test_sizes_are_labelled_in_powers_of_two(value: int, label: str):
    assert bytes_label(value) == label


def test_about_five_round_sizes_are_marked():
    assert byte_ticks(12816) == [0, 2048, 4096, 6144, 8192, 10240, 12288]
    assert byte_ticks(1) == [0, 1]
