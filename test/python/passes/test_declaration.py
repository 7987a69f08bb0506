"""Passes are registered by what their files declare, without being imported."""

import subprocess
import sys
from pathlib import Path

import pytest

from forebay.passes import pass_class, pass_names
from forebay.passes._declaration import declaration_in
from forebay.passes._pass import options_of

PASSES = Path(__file__).parents[3] / "passes"


@pytest.mark.parametrize("name", pass_names())
def test_what_the_file_declares_is_what_the_class_has(name: str) -> None:
    (path,) = PASSES.glob(f"*/{name.replace('-', '_')}.py")
    declared = declaration_in(path)
    imported = pass_class(name)
    assert declared.name == imported.name
    assert declared.anchor == imported.anchor
    assert declared.dialects == imported.dialects
    assert declared.needs == imported.needs
    registered = [item.registered for item in declared.options]
    assert registered == [item.registered for item in options_of(imported)]
    assert declared.description == " ".join((imported.__doc__ or "").split())


def test_a_file_must_hold_the_pass_of_its_name(tmp_path: Path) -> None:
    path = tmp_path / "memref_pool_shrink.py"
    path.write_text(
        "class Shrink(Pass):\n    '''Shrink.'''\n    name: ClassVar[str] = 'memref-pool-grow'\n"
    )
    message = "memref_pool_shrink.py must hold the pass 'memref-pool-shrink' alone, but holds"
    with pytest.raises(TypeError, match=message):
        declaration_in(path)


def test_an_option_has_a_type_that_pipelines_know(tmp_path: Path) -> None:
    path = tmp_path / "memref_pool_shrink.py"
    path.write_text(
        "class Shrink(Pass):\n"
        "    name: ClassVar[str] = 'memref-pool-shrink'\n"
        "    factor: float = option(0.5, 'how much')\n"
    )
    message = r"option factor: name 'float' is not defined|there is no Literal or Enum float"
    with pytest.raises(TypeError, match=message):
        declaration_in(path)


def test_an_enumeration_is_read_from_the_file_that_defines_it(tmp_path: Path) -> None:
    path = tmp_path / "memref_pool_shrink.py"
    path.write_text(
        "from forebay.options.choices import Io\n"
        "from forebay.planning.contract.effort import Effort\n"
        "Side = Literal['left', 'right']\n"
        "class Shrink(Pass):\n"
        "    name: ClassVar[str] = 'memref-pool-shrink'\n"
        "    io: Io = option('pool', 'where')\n"
        "    efforts: tuple[Effort, ...] = option((), 'how much')\n"
        "    effort: Effort = option(Effort.HIGH, 'how much')\n"
        "    side: Side = option('left', 'which')\n"
        "    size: Size = option(65536, 'bytes')\n"
        "    count: int = option(3, 'how many', least=2)\n"
    )
    assert [item.registered for item in declaration_in(path).options] == [
        ("io", "str", "where ('caller' or 'pool')", "pool"),
        ("efforts", "list", "how much ('low', 'normal' or 'high')", ""),
        ("effort", "str", "how much ('low', 'normal' or 'high')", "high"),
        ("side", "str", "which ('left' or 'right')", "left"),
        ("size", "str", "bytes", "65536"),
        ("count", "str", "how many (a number of 2 or more)", "3"),
    ]


def test_an_enumeration_must_come_from_its_module(tmp_path: Path) -> None:
    path = tmp_path / "memref_pool_shrink.py"
    path.write_text(
        "from forebay.planning import Effort\n"
        "class Shrink(Pass):\n"
        "    name: ClassVar[str] = 'memref-pool-shrink'\n"
        "    effort: Effort = option(Effort.HIGH, 'how much')\n"
    )
    with pytest.raises(TypeError, match="import Effort from the module of forebay that defines it"):
        declaration_in(path)


def test_registering_all_passes_imports_none_of_them() -> None:
    program = (
        "import sys, forebay.passes\n"
        "print([m for m in sys.modules if m.startswith('forebay.passes.')"
        " and m.count('.') == 3])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_a_docstring_may_not_look_like_a_method(tmp_path: Path) -> None:
    path = tmp_path / "memref_pool_shrink.py"
    path.write_text("class Shrink(Pass):\n    '''Shrink.\n\n    def run(): ...\n    '''\n")
    with pytest.raises(TypeError, match="may begin like a method"):
        declaration_in(path)
