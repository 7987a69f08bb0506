from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from forebay.frontends.registration import RegistrationError
from forebay.frontends.tflite import operators
from forebay.frontends.tflite.lowering.registry import documented, lowerings, operator
from forebay.frontends.tflite.table import with_table

FOLDER = Path(operators.__path__[0])


def test_every_module_of_the_folder_registers_what_it_decorates() -> None:
    written = {
        name
        for module in FOLDER.rglob("*.py")
        for name in re.findall(r'^@operator\("(\w+)"', module.read_text(), re.MULTILINE)
    }
    # Operators of one table are registered without a decorator of their own.
    assert written <= set(lowerings())
    assert list(lowerings()) == sorted(lowerings())


def test_the_module_of_every_operator_has_its_name_in_quotes() -> None:
    for name, lowering in lowerings().items():
        module = Path(inspect.getfile(inspect.unwrap(lowering.lower)))
        assert f'"{name}"' in module.read_text(), name


def test_only_the_modules_of_the_operators_of_a_network_are_imported() -> None:
    program = (
        "import sys; from forebay.frontends.tflite.lowering.registry import lowerings; "
        "lowerings()['RESHAPE']; assert 'NONE' not in lowerings(); "
        "folder = 'forebay.frontends.tflite.operators.'; "
        "assert folder + 'reshape' in sys.modules; assert folder + 'pooling' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_every_operator_is_in_the_documentation() -> None:
    root = next(p for p in Path(__file__).parents if (p / "docs" / "operators.md").exists())
    page = (root / "docs" / "operators.md").read_text(encoding="utf-8")
    assert with_table(page) == page, "python -m forebay.frontends.tflite.table docs/operators.md"
    names = [name for row in documented() for name in row.operators]
    assert sorted(names) == list(lowerings())


def test_an_operator_of_two_modules_is_refused() -> None:
    known = lowerings()["RESHAPE"]
    with pytest.raises(RegistrationError, match="RESHAPE") as caught:
        operator("RESHAPE", newest_version=1)(lambda node: [node.value(0)])
    assert caught.value.modules == (known.lower.__module__, __name__)
    assert lowerings()["RESHAPE"] is known


CONVERTED = {
    "ABS": 5,
    "ADD": 5,
    "CAST": 7,
    "EQUAL": 5,
    "EXP": 2,
    "FULLY_CONNECTED": 13,
    "GATHER_ND": 5,
    "LOG": 2,
    "MIRROR_PAD": 3,
    "PAD": 5,
    "RSQRT": 3,
    "SQRT": 2,
    "SUM": 2,
    "TRANSPOSE": 7,
}
"""The newest versions in LiteRT's `register.cc`: new ones add types, which the lowerings check."""


@pytest.mark.parametrize("name", sorted(CONVERTED))
def test_newest_version_is_that_of_litert(name: str) -> None:
    assert lowerings()[name].newest_version == CONVERTED[name]
