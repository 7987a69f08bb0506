"""Options are shown as the command spells them, and can be given to it again."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from forebay.cli.options import add_fields, fields_of
from forebay.options import Options
from forebay.options.command_text import command_text
from forebay.options.project_options import ProjectOptions
from forebay.planning.contract.planner import Planner
from forebay.planning.registry import planner_of


def parsed(text: str) -> tuple[Options, ProjectOptions]:
    parser = argparse.ArgumentParser()
    add_fields(parser, Options)
    add_fields(parser, ProjectOptions)
    given = parser.parse_args(text.split())
    return Options(**fields_of(given, Options)), ProjectOptions(**fields_of(given, ProjectOptions))


def test_defaults_are_not_shown() -> None:
    assert command_text(Options(), ProjectOptions()) == ""
    assert command_text(Options(verify_each=True, print_after=("cse",))) == ""


@pytest.mark.parametrize(
    "text",
    [
        "--io pool --optimize size --cpu cortex-m4 --strict",
        "--budget min",
        "--budget sram=24576 --slots 3",
        "--place a/b=cpu --place 3=cpu",
        "--order one,two --input-pool x=sram+dtcm --constant-pool *=flash",
        "--shape x=1x8x8x1 --pass before-assign=canonicalize --pass after-plan=cse",
        "--operator-hooks --weights-blob --emit obj --triple thumbv7em-none-eabi",
    ],
)
def test_what_is_shown_gives_the_same_options(text: str) -> None:
    options = parsed(text)
    assert parsed(command_text(*options)) == options
    assert sorted(command_text(*options).split()) == sorted(text.split())


def test_folders_and_objects_are_not_shown(tmp_path: Path) -> None:
    planner: Planner = planner_of("auto")
    shown = command_text(Options(target="fetch_conv:act_mem=64K", planner=planner))
    assert shown == "--target fetch_conv:act_mem=64K --planner (object)"
    assert command_text(ProjectOptions(golden=tmp_path / "g.npz")) == "--golden g.npz"
