"""One check in this process: `python -m forebay.doctor.probe "mcu: mps3-an547"`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.driver.compiled import EngineName

CHECKED_ENGINES: tuple[EngineName, ...] = ("emulator", "c", "llvm")
NETWORK = """\
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %y = tosa.add %x, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}
"""
"""A network that doubles four numbers."""


def engine_check(engine: EngineName) -> str:
    """Return the name of the check that compiles the network and runs it by an engine."""
    return f"compile, run --engine {engine}"


def board_check(board: str) -> str:
    """Return the name of the check that runs the network on an emulated board."""
    return f"mcu --board {board}"


def run_check(name: str) -> None:
    """Run the check of this name; raise an exception if it fails."""
    with tempfile.TemporaryDirectory(prefix="forebay-doctor-") as folder:
        model = Path(folder) / "double.mlir"
        model.write_text(NETWORK, encoding="utf-8")
        engines: dict[str, EngineName] = {
            engine_check(engine): engine for engine in CHECKED_ENGINES
        }
        if name in engines:
            _run_by(model, engines[name])
        else:
            _run_on(model, name.removeprefix(board_check("")))


def _run_by(model: Path, engine: EngineName) -> None:
    import numpy as np  # noqa: PLC0415  (a part of what is checked)

    import forebay  # noqa: PLC0415

    given = np.arange(4, dtype=np.int32)
    found = forebay.compile(model).run(given, engine=engine)
    if not np.array_equal(found, 2 * given):
        raise forebay.Error(f"the outputs are {found} instead of {2 * given}")


def _run_on(model: Path, board: str) -> None:
    import forebay  # noqa: PLC0415
    from forebay.mcu import boards, measure  # noqa: PLC0415

    measure(forebay.compile(model), boards.load(board))


if __name__ == "__main__":
    run_check(sys.argv[1])
