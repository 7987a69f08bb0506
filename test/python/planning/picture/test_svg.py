from xml.etree import ElementTree as ET

from forebay.planning import Buffer, Placement, Plan, Pool, Problem, live
from forebay.planning.picture.boxes import Box, panel_of
from forebay.planning.picture.svg import svg

PROBLEM = Problem(
    (Pool("ram"),),
    (Buffer("a<b", 10, live(0, 2), ("ram",)), Buffer("c", 30, live(1, 3), ("ram",))),
)
PLAN = Plan(PROBLEM, {"a<b": Placement("ram", 30), "c": Placement("ram", 0)}, "test")


def test_a_box_is_a_life_in_ticks_and_bytes():
    panel = panel_of(PLAN, "ram", 40)
    assert panel.boxes[0] == Box("a<b", 0, 2, 30, 40, "#4e79a7")
    assert (panel.peak, panel.first, panel.last) == (40, 0, 3)


def test_the_drawing_is_xml_with_a_title_per_buffer():
    root = ET.fromstring(svg([panel_of(PLAN, "ram", 40)], "t"))
    titles = [e.text for e in root.iter("{http://www.w3.org/2000/svg}title")]
    assert titles == ["a<b: 10 B at 30, ticks [0, 2)", "c: 30 B at 0, ticks [1, 3)"]
