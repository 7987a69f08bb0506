from pathlib import Path

import pytest

from forebay.planning import Buffer, FormatError, Kind, Pool, Problem, live, plan
from forebay.planning.picture import write_picture

PROBLEM = Problem(
    (Pool("ram", capacity=48), Pool("empty")),
    (Buffer("a", 10, live(0, 2), ("ram",)), Buffer("b", 30, live(1, 3), ("ram",))),
    name="net",
)
PLAN = plan(PROBLEM, "first-fit")
NOTHING = plan(Problem((Pool("ram"),), ()), "first-fit")


def test_a_page_holds_the_drawing_and_the_certificates(tmp_path: Path):
    write_picture(PLAN, tmp_path / "plan.html")
    text = (tmp_path / "plan.html").read_text()
    assert "<title>net by first-fit</title>" in text
    assert text.count("<svg") == 1
    assert "<li>pool 'ram': peak 40 B" in text.replace("&#x27;", "'")


def test_pools_without_bytes_are_not_drawn(tmp_path: Path):
    write_picture(PLAN, tmp_path / "plan.svg")
    assert "empty" not in (tmp_path / "plan.svg").read_text()


def test_the_same_picture_twice(tmp_path: Path):
    pytest.importorskip("matplotlib", reason="pip install 'forebay[plot]'")
    for name in ("one.png", "two.png"):
        write_picture(PLAN, tmp_path / name)
    one, two = ((tmp_path / name).read_bytes() for name in ("one.png", "two.png"))
    assert one.startswith(b"\x89PNG")
    assert one == two


@pytest.mark.parametrize("suffix", [".svg", ".html", ".png"])
def test_a_plan_without_bytes_has_a_picture(tmp_path: Path, suffix: str):
    if suffix == ".png":
        pytest.importorskip("matplotlib", reason="pip install 'forebay[plot]'")
    write_picture(NOTHING, tmp_path / f"plan{suffix}")
    assert (tmp_path / f"plan{suffix}").stat().st_size > 0


def test_other_suffixes_are_refused(tmp_path: Path):
    with pytest.raises(FormatError, match=r"a picture is a \.svg, \.html or \.png file"):
        write_picture(PLAN, tmp_path / "plan.pdf")


def test_a_notebook_shows_what_changes_over_time() -> None:
    buffers = (
        Buffer("a&b", 8, live(0, 2), ("m",)),
        Buffer("c", 8, live(1, 3), ("m",)),
        Buffer("w", 8, (), ("flash",), kind=Kind.CONSTANT),
    )
    found = plan(Problem((Pool("m"), Pool("flash")), buffers, name="p"))
    shown = found._repr_html_()
    assert "a&amp;b" in shown
    assert "<li>pool &#x27;m&#x27;: peak 16 B" in shown
    assert ">flash<" not in shown  # constants are in the list only
    assert repr(found) == "<Plan of 'p' by 'auto': 3 buffers; m 16 B, flash 8 B>"
