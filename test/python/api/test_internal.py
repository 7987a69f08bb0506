"""Every package that is not public says so in its docstring."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
INTERNAL = "Internal: may change without notice."
PUBLIC = ("forebay", "forebay.api")
REEXPORTED = {
    "forebay.computations": "target",
    "forebay.device_stages.tiles": "target",
    "forebay.dialects": "dialects",
    "forebay.formats": "formats",
    "forebay.mcu": "mcu",
    "forebay.passes": "passes",
    "forebay.planning": "planner",
    "forebay.regions": "regions",
    "forebay.targets": "target",
}


def packages() -> dict[str, Path]:
    """Return the file of each package of the project by its dotted name."""
    found: dict[str, Path] = {}
    for root, name in (
        (ROOT / "python" / "forebay", "forebay"),
        (ROOT / "passes", "forebay.passes"),
    ):
        for path in sorted(root.rglob("__init__.py")):
            found[".".join((name, *path.relative_to(root).parent.parts))] = path
    return found


PACKAGES = packages()


def last_paragraph(path: Path) -> str:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return docstring.split("\n\n")[-1]


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_says_whether_it_is_internal(name: str) -> None:
    said = last_paragraph(PACKAGES[name])
    if name in REEXPORTED:
        public = f"forebay.api.{REEXPORTED[name]}"
        assert said == f"Public as `{public}`; the rest may change without notice."
    elif name in PUBLIC or name.startswith("forebay.api."):
        assert "may change without notice" not in said
    else:
        assert said == INTERNAL


def test_the_public_packages_exist() -> None:
    public = {*PUBLIC, *REEXPORTED, *(f"forebay.api.{name}" for name in REEXPORTED.values())}
    assert public <= PACKAGES.keys()
