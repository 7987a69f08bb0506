"""Measure the page of a planning problem of 2,000 buffers in headless Chromium.

python benchmarks/view.py [--buffers 2000]

Prints the seconds from the request of the page to its first picture, and the pictures per second
while the pointer drags a zoomed plan. The exit code is 1 if the first takes more than 1 s, or if a
second has fewer than 30 pictures.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "test"))
from common.browser import Browser, browser

from forebay.planning import Buffer, Pool, Problem, live, plan
from forebay.view.from_plan import data_of_plan
from forebay.view.page import page

FIRST, RATE = 1.0, 30
"""The aims: seconds to the first picture, pictures per second."""


def problem(count: int) -> Problem:
    random = Random(0)
    buffers: list[Buffer] = []
    for number in range(count):
        start = random.randrange(count)
        lifetime = live(start, start + random.randint(1, 100))
        buffers.append(Buffer(f"layer{number}/out", 64 * random.randint(1, 64), lifetime, ("ram",)))
    steps = tuple(f"{number} OP" for number in range(count + 100))
    return Problem((Pool("ram"),), tuple(buffers), (), steps, f"{count} buffers")


def drag(tab: Browser, seconds: float) -> float:
    """Return the pictures per second while the pointer moves."""
    tab.ask("forebay.pictures[0].zoom(.3, 500, 200)")
    tab.point(500, 350, "mousePressed", button="left", buttons=1, clickCount=1)
    tab.ask("forebay.frames = 0")
    begin, moves = time.monotonic(), 0
    while time.monotonic() - begin < seconds:
        moves += 1
        tab.point(500 + 150 * (moves % 40) / 40, 350, "mouseMoved", button="left", buttons=1)
    taken = time.monotonic() - begin
    frames = tab.ask("forebay.frames")
    tab.point(500, 350, "mouseReleased", button="left", buttons=0, clickCount=1)
    return frames / taken


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--buffers", type=int, default=2000)
    count = arguments.parse_args().buffers
    data = data_of_plan(plan(problem(count), "greedy-by-size"))
    with tempfile.TemporaryDirectory() as folder, browser() as tab:
        file = Path(folder) / "plan.html"
        file.write_text(page(data))
        tab.open(file)  # the first page pays for the start of the browser
        tab.open(file)
        first = tab.ask("performance.getEntriesByName('forebay-shown')[0].startTime") / 1000
        rate = drag(tab, 3)
    print(f"{count:,} buffers, {len(page(data)):,} bytes: first picture after {first:.2f} s")
    print(f"dragging: {rate:.0f} pictures per second")
    return int(first > FIRST or rate < RATE)


if __name__ == "__main__":
    sys.exit(main())
