"""The examples of `docs/contributing.md`: each is one file, found without a change elsewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from common.doc_blocks import COMMAND, matches
from common.model_file import Op, T, single
from common.onnx_networks import OnnxNetwork

import forebay

pytestmark = pytest.mark.slow  # two processes each, some of them with a C compiler and QEMU

PAGE = Path(__file__).parents[3] / "docs" / "contributing.md"
TREES = ("python/forebay/", "passes/")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples() -> Mapping[str, str]:
    """Return the text of each section below "Examples" by its title."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition("\n## Examples\n")
    text, _, _ = rest.partition("\n## ")
    titles_and_texts = re.split(r"^### (.*)$", text, flags=re.MULTILINE)[1:]
    return dict(zip(titles_and_texts[::2], titles_and_texts[1::2], strict=True))


EXAMPLES = examples()


def files(text: str) -> Mapping[str, str]:
    """Return the files of a section by their path, which is the comment in the first line."""
    found: dict[str, str] = {}
    for kind, block in BLOCK.findall(text):
        if kind != "console":
            first, _, rest = block.partition("\n")
            found[first.lstrip("#/ ")] = rest if kind == "csv" else block
    return found


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the installed sources with the files of all examples."""
    return written(tmp_path_factory.mktemp("tree"), has_sources=True)


@pytest.fixture(scope="module")
def tree_without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return such a copy without the one file that each example adds to the sources."""
    return written(tmp_path_factory.mktemp("without"), has_sources=False)


def written(root: Path, *, has_sources: bool) -> Path:
    package = root / "forebay"
    shutil.copytree(
        Path(forebay.__file__).parent,
        package,
        copy_function=lambda source, copy: Path(copy).symlink_to(Path(source).resolve()),
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    shutil.copyfile(PAGE.with_name("operators.md"), root / "operators.md")
    tensors = [T((1, 3), "float32")] * 2
    (root / "relu_0_to_1.tflite").write_bytes(single(Op("RELU_0_TO_1", [0], [1]), tensors))
    network = OnnxNetwork()
    x = network.input("x", (1, 3))
    network.output(network.op("IsNaN", x), "bool")
    network.save(root / "is_nan.onnx")
    for text in EXAMPLES.values():
        for name, content in files(text).items():
            if name.startswith(TREES) and not has_sources:
                continue
            path = root / name.replace("python/forebay/", "forebay/", 1)
            path = package / name if name.startswith("passes/") else path
            assert not path.exists(), f"{name} exists in the tree; choose another example"
            path.write_text(content, encoding="utf-8")
    return root


def run(command: str, tree: Path) -> str:
    """Run a command in the copy, and return what it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=tree,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    return "\n".join(line.rstrip() for line in (done.stdout + done.stderr).splitlines())


def test_there_is_an_example_of_each_kind() -> None:
    assert set(EXAMPLES) >= {
        "A pass",
        "A planner",
        "A target",
        "A board",
        "The C of an op",
        "A rule of the emulator",
        "A TFLite operator",
        "An ONNX operator",
        "A processor",
    }


@pytest.mark.parametrize("title", EXAMPLES)
def test_an_example_adds_one_file(title: str) -> None:
    assert sum(name.startswith(TREES) for name in files(EXAMPLES[title])) == 1


@pytest.mark.parametrize("title", EXAMPLES)
def test_the_commands_print_what_the_page_says(title: str, tree: Path) -> None:
    commands = commands_of(title, tree)
    assert commands
    for command, expected in commands:
        printed = run(command, tree)
        assert matches(expected, printed), printed


@pytest.mark.parametrize("title", EXAMPLES)
def test_the_first_command_needs_the_file_of_the_example(title: str, tree_without: Path) -> None:
    command, expected = commands_of(title, tree_without)[0]
    printed = run(command, tree_without)
    assert not matches(expected, printed), printed


def commands_of(title: str, tree: Path) -> list[tuple[str, str]]:
    """Return the commands of a section with what they print."""
    where = run("python -c 'import forebay; print(forebay.__file__)'", tree)
    if not where.startswith(str(tree)):
        pytest.skip("forebay is installed in editable mode, whose files precede PYTHONPATH")
    commands = [
        command
        for kind, block in BLOCK.findall(EXAMPLES[title])
        if kind == "console"
        for command in COMMAND.findall(block)
    ]
    if any("forebay mcu" in command for command, _ in commands):
        tool = "riscv64-unknown-elf-gcc"
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    return commands


def test_the_row_of_the_operator_is_written_into_the_page(tree: Path) -> None:
    run("python -m forebay.frontends.tflite.table operators.md", tree)
    page = (tree / "operators.md").read_text(encoding="utf-8")
    assert "| RELU_0_TO_1 | float32 | | `clamp` | yes | LiteRT | 0.1 |" in page.splitlines()
