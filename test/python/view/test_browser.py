"""The pages in a real browser: what they show, and what pointer, search and keyboard do."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from common import browser as chromium
from common.browser import Browser
from common.documents.mcu_reports import mcu_report
from common.documents.memory_maps import memory_map

import forebay
from forebay.driver.trace import trace_of
from forebay.formats.mcu_report import FunctionCost
from forebay.golden.steps import drawn_inputs
from forebay.planning import Buffer, Pool, Problem, live, plan
from forebay.view.from_memory_map import data_of_memory_map
from forebay.view.from_plan import data_of_plan
from forebay.view.instructions import with_instructions
from forebay.view.page import page
from forebay.view.plan_data import PlanData
from forebay.view.timeline import with_timeline

pytestmark = pytest.mark.slow

NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "resnet8": ("resnet8_int8", {"target": "fetch_conv"}),
    "mobilenetv2": ("mobilenetv2_tf2_int8", {"target": "fetch_conv"}),
    "stateful": ("mww_vad_int8", {}),
}
PAGES = ("digits", *NETWORKS, "problem")


def problem() -> PlanData:
    """2,000 buffers of one pool."""
    random = Random(0)
    buffers: list[Buffer] = []
    for number in range(2000):
        start = random.randrange(1900)
        size = 64 * random.randint(1, 64)
        lifetime = live(start, start + random.randint(1, 100))
        buffers.append(Buffer(f"layer{number}/out", size, lifetime, ("ram",)))
    steps = tuple(f"{number} OP" for number in range(2000))
    found = Problem((Pool("ram"),), tuple(buffers), (), steps, "big")
    return data_of_plan(plan(found, "greedy-by-size"))


def compiled(path: Path, options: dict[str, Any], *, emulate: bool) -> PlanData:
    network = forebay.compile(path, **options)
    data = data_of_memory_map(network.memory_map)
    if not emulate:
        return data
    engine = network.emulator()
    engine.run(drawn_inputs(network.info, 1)[0])
    return with_timeline(data, trace_of(engine.report.timeline, "run"))


@pytest.fixture(scope="module")
def tab() -> Iterator[Browser]:
    with chromium.browser() as found:
        yield found


@pytest.fixture(scope="module", params=PAGES)
def data(request: pytest.FixtureRequest) -> PlanData:
    if request.param == "problem":
        return problem()
    if request.param == "digits":
        digits = request.getfixturevalue("digits")
        return compiled(digits, {"target": "fetch_conv"}, emulate=True)
    model, options = NETWORKS[request.param]
    path = request.getfixturevalue("shared_models") / f"{model}.tflite"
    return compiled(path, options, emulate=request.param == "resnet8")


@pytest.fixture(scope="module")
def file(data: PlanData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pages") / "plan.html"
    path.write_text(page(data))
    return path


@pytest.fixture
def shown(tab: Browser, file: Path) -> Iterator[Browser]:
    tab.open(file)
    yield tab
    assert tab.errors == []


def workspace(data: PlanData) -> int:
    """The pool of a workspace with the most buffers."""
    counts = [sum(b.pool == n for b in data.buffers) for n in range(len(data.pools))]
    return max(
        (n for n, p in enumerate(data.pools) if p.kind == "workspace"), key=lambda n: counts[n]
    )


def largest(data: PlanData) -> int:
    """The buffer with the largest box."""
    pool = workspace(data)
    area = [b.size * (b.spans[0][1] - b.spans[0][0]) if b.pool == pool else 0 for b in data.buffers]
    return area.index(max(area))


def place_of(tab: Browser, number: int) -> tuple[float, float]:
    """The middle of a buffer's first box on the screen, which is scrolled there."""
    found = tab.ask(f"""(() => {{
      const buffer = forebay.plan.buffers[{number}];
      const picture = forebay.pictures.find((each) => each.pool === buffer.pool);
      picture.canvas.scrollIntoView({{ block: "center" }});
      const {{ x, y }} = picture.axes(), box = picture.canvas.getBoundingClientRect();
      const middle = (a, b) => (a + b) / 2;
      return [box.left + middle(x(buffer.spans[0][0]), x(buffer.spans[0][1])),
              box.top + y(buffer.offset + buffer.size / 2)];
    }})()""")
    return found[0], found[1]


def middle_of_picture(tab: Browser) -> tuple[float, float]:
    found = tab.ask("""(() => {
      const box = document.querySelector(".pool canvas").getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    })()""")
    return found[0], found[1]


def text_of(tab: Browser, selector: str) -> str:
    return tab.ask(f"document.querySelector('{selector}').innerText")


def test_every_pool_and_operator_is_shown(shown: Browser, data: PlanData) -> None:
    summary = text_of(shown, "#summary")
    for pool in data.pools:
        assert f"{pool.peak:,} B" in summary
        assert f"{pool.lower_bound:,} B" in summary
    assert shown.ask("document.querySelectorAll('.operator').length") == len(data.operators)
    rails = shown.ask("document.querySelectorAll('.rail').length")
    assert rails == sum(one < other for one, other in data.edges)


def test_pixels_have_the_colour_of_the_device(shown: Browser, data: PlanData) -> None:
    number = largest(data)
    shown.ask(f"forebay.select({{ kind: 'buffer', plan: forebay.plan, number: {number} }})")
    shown.frame()
    pixels, colour = shown.ask(f"""(() => {{
      const buffer = forebay.plan.buffers[{number}], plan = forebay.plan;
      const picture = forebay.pictures.find((each) => each.pool === buffer.pool);
      const length = buffer.spans[0][1] - buffer.spans[0][0];
      const from = buffer.spans[0][0];
      Object.assign(plan.window, {{ from, to: from + 2 * length }});
      Object.assign(picture, {{ low: buffer.offset, high: buffer.offset + 2 * buffer.size }});
      picture.draw();
      const {{ x, y }} = picture.axes(), pen = picture.canvas.getContext("2d");
      const [a, b] = buffer.spans[0].map((step) => x(step));
      const [low, high] = [y(buffer.offset), y(buffer.offset + buffer.size)];
      const pixels = d3.cross(d3.range(1, 12), d3.range(1, 12)).map(([n, m]) => pen.getImageData(
        Math.round(a + (b - a) * n / 12), Math.round(high + (low - high) * m / 12), 1, 1).data);
      const wanted = d3.rgb(forebay.color(plan.bufferColor(buffer)));
      return [pixels.map((each) => [...each].slice(0, 3)), [wanted.r, wanted.g, wanted.b]];
    }})()""")
    like = [all(abs(a - b) <= 2 for a, b in zip(p, colour, strict=True)) for p in pixels]
    assert sum(like) > len(like) / 3  # the rest is label and outline


def test_hovering_a_buffer_names_it_and_its_operator(shown: Browser, data: PlanData) -> None:
    number = largest(data)
    buffer = data.buffers[number]
    shown.point(*place_of(shown, number))
    tip = text_of(shown, "#tip")
    assert buffer.name.split(";")[0] in tip
    assert f"{buffer.size:,} B" in tip
    if buffer.producer is not None:
        operator = data.steps[buffer.producer].operator
        assert operator is not None
        assert f"written by {data.operators[operator].title}" in tip
        marked = shown.ask(
            "[...document.querySelectorAll('.operator.on')].map((e) => +e.dataset.operator)"
        )
        assert operator in marked


def test_a_click_shows_who_writes_and_reads(shown: Browser, data: PlanData) -> None:
    number = largest(data)
    buffer = data.buffers[number]
    shown.click(*place_of(shown, number))
    details = text_of(shown, "#details")
    assert f"{buffer.offset:,} to {buffer.offset + buffer.size:,}" in details
    for step in buffer.consumers[:3]:
        operator = data.steps[step].operator
        assert operator is not None and data.operators[operator].title in details


def test_the_search_finds_operators_and_their_buffers(shown: Browser, data: PlanData) -> None:
    wanted = data.operators[len(data.operators) // 2]
    shown.key("/")
    for letter in wanted.title:
        shown.key(letter)
    assert shown.ask("document.getElementById('search').value") == wanted.title
    dim = "document.querySelectorAll('.operator.dim').length"
    assert 0 < shown.ask(dim) < len(data.operators)
    assert "operator" in text_of(shown, "#matches")
    shown.key("Enter")
    assert wanted.title in text_of(shown, "#details")
    shown.key("Escape")
    assert shown.ask(dim) == 0
    assert shown.ask("forebay.selection") is None


def test_what_blocks_the_peak_is_listed_by_size(shown: Browser, data: PlanData) -> None:
    pool = workspace(data)
    counted = sorted((data.buffers[n].size for n in data.pools[pool].at_bound), reverse=True)
    shown.ask(f"document.querySelectorAll('#summary button')[{pool}].click()")
    sizes = shown.ask(
        "[...document.querySelectorAll('#details li .number')].map((e) => e.innerText)"
    )
    assert sizes == [f"{size:,} B" for size in counted[:60]]


def test_the_keyboard_moves_through_the_buffers(shown: Browser, data: PlanData) -> None:
    chosen = "forebay.selection.number"
    shown.key("ArrowRight")
    first = shown.ask(chosen)
    shown.key("ArrowRight")
    second = shown.ask(chosen)
    assert data.buffers[first].spans[0][0] <= data.buffers[second].spans[0][0]
    assert first != second
    assert f"{data.buffers[second].size:,} B" in text_of(shown, "#details")
    shown.key("ArrowLeft")
    assert shown.ask(chosen) == first
    shown.key("ArrowUp")
    above = shown.ask(chosen)
    assert data.buffers[above].offset >= data.buffers[first].offset


def test_zoom_and_drag_change_the_steps_and_fit_restores_them(
    shown: Browser, data: PlanData
) -> None:
    frame = "[forebay.plan.window.from, forebay.plan.window.to]"
    shown.key("+")
    shown.key("+")
    inner = shown.ask(frame)
    assert inner[1] - inner[0] < data.ticks
    x, y = middle_of_picture(shown)
    shown.point(x, y, "mousePressed", button="left", buttons=1, clickCount=1)
    shown.point(x - 60, y, "mouseMoved", button="left", buttons=1)
    shown.point(x - 120, y, "mouseMoved", button="left", buttons=1)
    shown.point(x - 120, y, "mouseReleased", button="left", buttons=0, clickCount=1)
    moved = shown.ask(frame)
    assert moved[0] > inner[0]
    assert moved[1] - moved[0] == pytest.approx(inner[1] - inner[0])
    shown.key("0")
    assert shown.ask(frame) == [0, data.ticks]


def test_constants_are_folded_until_they_are_asked_for(shown: Browser, data: PlanData) -> None:
    constants = sum(pool.kind == "constant" for pool in data.pools)
    visible = """[...document.querySelectorAll('.pool.constant canvas')]
      .filter((each) => each.offsetHeight > 0).length"""
    assert shown.ask(visible) == 0
    shown.key("c")
    assert shown.ask(visible) == constants
    shown.key("c")
    assert shown.ask(visible) == 0


def test_print_shows_the_plan_without_controls(shown: Browser, data: PlanData) -> None:
    shown.media(dark=False, kind="print")
    shown.frame()
    hidden = """[".tools", "#details", "footer"].every(
      (each) => getComputedStyle(document.querySelector(each)).display === "none")"""
    assert shown.ask(hidden)
    paper = base64.b64decode(shown.send("Page.printToPDF", printBackground=True)["data"])
    assert paper.startswith(b"%PDF")
    assert len(paper) > 10_000


def test_dark_and_light_have_contrast(tab: Browser, file: Path) -> None:
    ratio = """(() => {
      const luminance = (color) => {
        const { r, g, b } = d3.rgb(color);
        const linear = (v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
        const [x, y, z] = [r, g, b].map((v) => linear(v / 255));
        return .2126 * x + .7152 * y + .0722 * z;
      };
      const contrast = (name) => {
        const both = [name, "ground"].map((each) => luminance(forebay.color(each)));
        return (Math.max(...both) + .05) / (Math.min(...both) + .05);
      };
      return [contrast("ink"), contrast("soft")];
    })()"""
    grounds: list[str] = []
    for dark in (False, True):
        tab.open(file, dark=dark)
        ink, soft = tab.ask(ratio)
        assert ink >= 7
        assert soft >= 4.5
        grounds.append(tab.ask("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(18, 22, 28)"]


def test_labels_do_not_leave_their_boxes(shown: Browser) -> None:
    """Measured again by the browser: each text that is drawn along a box fits into it."""
    shown.ask("forebay.pictures[0].zoom(.1, 300, 150)")
    shown.frame()
    wide = shown.ask("""(() => {
      const found = [];
      for (const picture of forebay.pictures) {
        const pen = picture.canvas.getContext("2d");
        const fill = pen.fillText, boxes = picture.label.bind(picture);
        pen.fillText = () => {};
        picture.label = (own, box) => {
          const room = Math.max(box.b - box.a, box.low - box.high);
          pen.fillText = (text) => found.push(pen.measureText(text).width <= room);
          boxes(own, box);
          pen.fillText = () => {};
        };
        picture.draw();
        pen.fillText = fill;
        delete picture.label;
      }
      return found;
    })()""")
    assert len(wide) > 3
    assert all(wide)


def test_the_timeline_names_the_work_of_each_lane(shown: Browser, data: PlanData) -> None:
    if data.timeline is None:
        assert shown.ask("document.getElementById('timeline').hidden")
        return
    assert f"{data.timeline.cycles:,} modelled cycles" in text_of(shown, "#timeline")
    span = max((s for s in data.timeline.spans if s.lane == 1), key=lambda s: s.end - s.begin)
    x, y = shown.ask(f"""(() => {{
      const canvas = document.querySelector("#timeline canvas");
      canvas.scrollIntoView({{ block: "center" }});
      const box = canvas.getBoundingClientRect();
      const at = d3.scaleLinear([0, {data.timeline.cycles}], [110, box.width - 8]);
      return [box.left + at({(span.begin + span.end) / 2}), box.top + 20 + 22 + 11];
    }})()""")
    shown.point(x, y)
    assert span.name in text_of(shown, "#tip")
    assert f"{span.end - span.begin:,} cycles" in text_of(shown, "#tip")


def test_a_host_operator_has_its_reason(shown: Browser, data: PlanData) -> None:
    kept = [operator for operator in data.operators if operator.reasons]
    if len(data.devices) < 2:
        assert shown.ask("document.getElementById('offload').hidden")
        return
    report = text_of(shown, "#offload")
    assert kept and all(operator.reasons[0] in report for operator in kept)


def test_places_and_fused_names_are_short(shown: Browser) -> None:
    names = ["/a/b/net.mlir:12:8", "x/y;z/w", "x/y;z[3:5]", "plain/name"]
    found = shown.ask(f"{names}.map(forebay.short)")
    assert found == ["net.mlir:12:8", "x/y", "x/y[3:5]", "plain/name"]


def test_two_plans_show_what_moved(tab: Browser, data: PlanData, tmp_path: Path) -> None:
    number = largest(data)
    moved = msgspec.structs.replace(data.buffers[number], offset=data.buffers[number].offset + 64)
    buffers = (*data.buffers[:number], moved, *data.buffers[number + 1 :])
    after = msgspec.structs.replace(data, buffers=buffers)
    (tmp_path / "diff.html").write_text(page(after, data))
    tab.open(tmp_path / "diff.html")
    changes = text_of(tab, "#changes")
    assert f"1 moved, {len(data.buffers) - 1:,} at the same place" in changes
    assert f"{moved.offset:,}" in changes
    strong = """forebay.plans.map((plan) => d3.range(plan.buffers.length)
      .filter((number) => !forebay.emphasisOf(plan, number).dim))"""
    assert tab.ask(strong) == [[number], [number]]
    tab.ask("document.querySelector('#changes tbody button').click()")
    outlined = f"forebay.plans.map((plan) => forebay.emphasisOf(plan, {number}).outline)"
    assert tab.ask(outlined) == ["accent", "accent"]
    assert tab.errors == []


def test_instructions_stand_beside_their_operator(tab: Browser, tmp_path: Path) -> None:
    part = FunctionCost("conv", 1, "CONV_2D", "y", 512, (123_456, 123_456))
    path = tmp_path / "plan.html"
    path.write_text(page(with_instructions(data_of_memory_map(memory_map()), mcu_report(part))))
    tab.open(path)
    assert "123,456 on a board" in text_of(tab, "#facts")
    assert "123k instr" in tab.ask("document.querySelectorAll('.operator')[1].innerText")
    tab.ask("forebay.select({ kind: 'operator', plan: forebay.plan, number: 1 })")
    assert "123,456" in text_of(tab, "#details")
    assert tab.errors == []
