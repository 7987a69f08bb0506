"""What imports the public interface only: shipped targets, examples and the code in documents."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TARGETS = ROOT / "python" / "forebay" / "targets"
CODE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
MACHINERY = {"complete", "declared", "description"}  # the classes of targets
TARGET_FILES = [
    path
    for path in sorted(TARGETS.rglob("*.py"))
    if path != TARGETS / "__init__.py" and not MACHINERY & {*path.parts}
]
SHARED = ("int32_convolution",)  # packages that shipped targets share
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"]
INTERNAL_PAGES = {
    "contributing.md": "contributors write internal modules",
    "isa.md": "the page says that the models of instruction sets are internal",
}
# import statements of target files and passes that users have, apart from those of `forebay.api`
OLDER_PATHS = """
from forebay.dialects import accel, memref_pool
from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir import fused
from forebay.ir.fused import element_type, is_int8, shape_of
from forebay.ir.tosa_constants import elements_of
from forebay.passes import Pass, PassError, option
from forebay.planning import Buffer, Planner, Pool, Problem, live, plan
from forebay.targets import Device, Intrinsic, Operand, Pattern, Pool, Queue, Target, Transfer
"""


def test_each_name_of_the_target_package_has_a_module() -> None:
    package = importlib.import_module("forebay.api.target")
    assert sorted(package._HOMES) == sorted(package.__all__)
    assert all(getattr(package, name) is not None for name in package.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = package.Nothing


def test_a_plain_target_loads_no_tracer_and_no_tiler() -> None:
    code = (
        "import sys, forebay.targets.host\n"
        "print([name for name in sys.modules if name.startswith(('forebay.tracing', "
        "'forebay.tiling', 'forebay.device_stages.tiles'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def forebay_modules(source: str) -> Iterator[str]:
    """Yield the modules of the project that source code imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            found = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in found if name.split(".")[0] == "forebay")


def is_public(module: str) -> bool:
    return module.startswith("forebay.api.") or module.count(".") < 2


def internal(source: str, own: str | tuple[str, ...] = ()) -> list[str]:
    """Return the imports that are neither public nor of the package `own`."""
    modules = forebay_modules(source)
    return [it for it in modules if not is_public(it) and not it.startswith(own)]


@pytest.mark.parametrize(
    "path", TARGET_FILES, ids=lambda path: path.relative_to(TARGETS).as_posix()
)
def test_a_shipped_target_imports_the_public_interface(path: Path) -> None:
    folder = path.relative_to(TARGETS).parts[0]
    own = tuple(f"forebay.targets.{it}" for it in (folder, *SHARED) if folder != path.name)
    assert internal(path.read_text(encoding="utf-8"), own) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name + "-" + path.name)
def test_an_example_imports_the_public_interface(path: Path) -> None:
    assert internal(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_code_of_a_page_imports_the_public_interface(path: Path) -> None:
    if path.name in INTERNAL_PAGES:
        pytest.skip(INTERNAL_PAGES[path.name])
    for code in CODE.findall(path.read_text(encoding="utf-8")):
        assert internal(code) == []


@pytest.mark.parametrize("statement", OLDER_PATHS.strip().splitlines())
def test_the_paths_of_older_files_exist(statement: str) -> None:
    exec(statement, {})


def test_an_internal_import_is_found() -> None:
    assert internal("from forebay.ir.fused import match") == ["forebay.ir.fused.match"]
    assert internal("from forebay import ir\nimport forebay.api.target") == []
