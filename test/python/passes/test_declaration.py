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
    assert declared.options == options_of(imported)
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
    with pytest.raises(TypeError, match=r"option factor is none of bool, int, str, tuple\[str"):
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
