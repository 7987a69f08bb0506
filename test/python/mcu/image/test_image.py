"""The C of the runtime and of main.c under the warnings that generated code is held to."""

from pathlib import Path

import forebay
from forebay.engines.c import c_compiler
from forebay.mcu import Board
from forebay.mcu.image.image import compile_sources
from forebay.mcu.image.placement import place
from forebay.mcu.image.program import write_main
from forebay.mcu.run.count import PLUGIN
from forebay.mcu.run.golden import drawn_golden, with_golden
from forebay.mcu.tools import run_tool
from forebay.network.names import naming_of

STRICT = (
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wcast-qual",
    "-Wshadow",
    "-Wundef",
    "-Wstrict-prototypes",
    "-Wmissing-prototypes",
    "-pedantic",
    "-Werror",
)


def test_everything_on_a_board_is_clean(digits: Path, board: Board, tmp_path: Path) -> None:
    compiled = forebay.compile(digits, io="pool")
    model = with_golden(compiled.info, drawn_golden(compiled, 1))
    naming = naming_of(model)
    project = compiled.write(tmp_path / "model", golden=model.golden)
    (tmp_path / "main.c").write_text(write_main(model, naming, {}))
    placed = place(model, naming, board, {})
    objects = compile_sources(project, naming, board, placed, tmp_path, extra=STRICT)
    assert {"main.o", "digits_int8.o", "start.o"} <= {path.name for path in objects.files}


def test_the_counter_is_clean(tmp_path: Path) -> None:
    flags = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-fsyntax-only", *STRICT]
    run_tool([*c_compiler(), *flags, str(PLUGIN / "count.c")], tmp_path)
