"""Every block of code in README, docs and examples runs as printed, or says where or why not."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from common.doc_blocks import (
    COMMAND,
    Block,
    blocks_of,
    commands_of,
    compile_c,
    ir_errors,
    is_complete,
    is_excerpt,
    matches,
    shell,
)

ROOT = Path(__file__).parents[3]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (
        ROOT / "README.md",
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted(ROOT.glob("examples/*/README.md")),
        *sorted(ROOT.glob("integrations/*/README.md")),
    )
}
BLOCKS = {page: list(blocks_of(page, text)) for page, text in PAGES.items()}
SHELL, IR, DATA = ("sh", "console"), ("mlir",), ("yaml", "csv")


@dataclass(frozen=True)
class Elsewhere:
    """Another test runs the block."""

    test: str  # a file that names the page

    def holds(self, block: Block) -> bool:
        test = ROOT / self.test
        path = Path(block.page)
        name = path.parent.name if path.name == "README.md" else path.name
        return test.exists() and name in test.read_text(encoding="utf-8")


@dataclass(frozen=True)
class Abridged:
    """The block leaves something out, at `...`."""

    def holds(self, block: Block) -> bool:
        return "..." in block.text


@dataclass(frozen=True)
class Installs:
    """The block changes an installation: packages, or the files of a shell."""

    def holds(self, block: Block) -> bool:
        return re.search(r"pip install|apt-get install|> ~/", block.text) is not None


@dataclass(frozen=True)
class LongRun:
    """The block starts the tests or fuzzers themselves."""

    def holds(self, block: Block) -> bool:
        return re.search(r"^(python test/fuzz|pytest) ", block.text) is not None


Reason = Elsewhere | Abridged | Installs | LongRun


@dataclass(frozen=True)
class Page:
    """What the blocks of a page find, and those that do not run, by how they begin."""

    files: str = ""  # commands that make the files of the page
    names: str = ""  # Python, for the names that blocks of Python use
    declarations: Mapping[str, str] = field(default_factory=dict)  # for blocks of C
    documents: Mapping[str, str] = field(default_factory=dict)  # of which JSON is an excerpt
    not_run: Mapping[str, Reason] = field(default_factory=dict)  # "*" for all other blocks
    needs: Mapping[str, str] = field(default_factory=dict)  # modules, each with its extra


LOG = "printf 'forebay-operator %d 10\\n' $(seq 0 13) > log.txt"
PROBLEM = "printf 'id,lower,upper,size\\na,0,2,64\\nb,1,3,32\\n' > problem.csv"
NPU = """forebay new-target my_npu -o .
sed -i 's/, npu), pools)$/, npu), pools, emissions=(IMAGE,))/' my_npu.py
cat >> my_npu.py <<'END'
from forebay.api.target import Emission
IMAGE = Emission("image", write=lambda program: {"a.bin": b"0"})
END"""
SWEEP = """cat > sweep.yaml <<'END'
networks: [net.tflite]
targets: [{target: host}]
END"""
NEW_WEIGHTS = """forebay compile net.tflite --weights-blob -o weights/
python - <<'END'
import json, numpy
entry = json.load(open("weights/net_weights.json"))["pools"][0]["constants"][0]
numpy.savez("new.npz", **{entry["name"]: numpy.zeros(entry["shape"], entry["type"])})
END"""
README = f"""{NPU}
cp softsign.py my_ops.py
{PROBLEM}
{SWEEP}
{LOG}
{NEW_WEIGHTS}
cp $ROOT/examples/three_models/best_so_far.mlir net.mlir
cp net.mlir best.mlir
forebay compile net.tflite -o a/
forebay compile best.mlir -o b/"""
C_INTERFACE = """cp net.tflite keyword.tflite
cp net.tflite person.tflite
forebay compile net.tflite -o plain
cp plain/*.h .
forebay compile net.tflite --budget min --input-rows image -o rows
forebay compile net.tflite --target fetch_conv -o device"""
ACCEL_CONV2D = """int32_t accel_conv2d(const int8_t *, const int8_t *, const int32_t *, int8_t *,
                     int32_t, int32_t, int32_t);
int32_t net_conv_2d_3(const int8_t *, const int8_t *, const int32_t *, int8_t *);
"""
COMPILED = (
    "import dataclasses, forebay, numpy as np\nfrom pathlib import Path\nx = np.load('x.npy')\n"
)
MCU = (
    COMPILED
    + """
import runpy
example = ROOT / "examples" / "two_models"
Path("main.c").write_text((example / "main.c").read_text())
runpy.run_path(str(example / "run.py"))["_write_digit"](Path("digit.h"))
digits = forebay.compile("digits_int8.tflite")
smooth = forebay.compile(example / "smooth.mlir")
"""
)
INPUTS = (
    COMPILED
    + """
from common.model_file import Op, T, single
ports = [T((1, 3), "float32", name=name) for name in ("image", "mask", "y")]
Path("maximum.tflite").write_bytes(single(Op("MAXIMUM", [0, 1], [2]), ports))
compiled = forebay.compile("maximum.tflite")
image = mask = np.ones((1, 3), np.float32)
np.savez("inputs.npz", image=image, mask=mask)
"""
)
PLANNER = "from forebay.api.planner import Buffer, Pool, Problem, Separation, certify, live, plan\n"
TINY = """
from pathlib import Path
from common.model_file import Op, T, single
ports = [T((1, 3), "float32", name=name) for name in ("x", "y")]
Path("net.tflite").write_bytes(single(Op("NEG", [0], [1]), ports))
"""
DECISIONS = {
    "README.md": Page(
        files=README,
        names=COMPILED,
        not_run={
            "python3 -m venv .venv && .venv/bin/pip install -q . ": Installs(),
            "python3 -m venv .venv && .venv/bin/pip install -q '.[": Elsewhere("test/test_ci.py"),
            ".venv/bin/python -m pytest": Elsewhere("test/test_ci.py"),
            'pip install "scikit-build-core': Installs(),
        },
    ),
    "docs/api.md": Page(not_run={"*": Elsewhere("test/python/api/test_page.py")}),
    "docs/c-interface.md": Page(
        files=C_INTERFACE,
        declarations={
            "static int32_t read_line": (
                '#include "rows/net.h"\ntypedef struct camera camera;\n'
                "int camera_wait_for_line(camera *source, int32_t row, int8_t *target);\n"
            ),
            "/* 3 CONV_2D": ACCEL_CONV2D,
            "net_device_error": ('#include "device/net.h"\nstatic int8_t image[64], scores[10];\n'),
        },
    ),
    "docs/command-line.md": Page(
        files=f"""{PROBLEM}
forebay compile net.tflite -o out/
cp -r out new
forebay compile net.tflite --budget min -o old
forebay run net.tflite --input x.npy --target fetch_conv --engine emulator --trace run.json
forebay budget net.tflite --json budget.json""",
        names=COMPILED,
        not_run={
            "forebay completion": Installs(),
            "mine = ": Abridged(),
        },
    ),
    "docs/contributing.md": Page(
        not_run={"*": Elsewhere("test/python/examples/test_contributing.py")}
    ),
    "docs/design.md": Page(not_run={"#x = affine_map": Abridged()}),
    "docs/dialects/accel.md": Page(not_run={"// 1x2 average pooling": Abridged()}),
    "docs/emulator.md": Page(names=COMPILED),
    "docs/formats.md": Page(
        files="forebay compile net.tflite -o out/\nmkdir -p docs/schemas",
        documents={"{": "out/net.json"},
    ),
    "docs/index.md": Page(
        files="mkdir -p examples/digits\ncp net.tflite examples/digits/digits_int8.tflite",
        not_run={"$ python3 -m venv": Installs()},
    ),
    "docs/inputs-and-outputs.md": Page(
        names=INPUTS,
    ),
    "docs/install.md": Page(not_run={"pip install dist": Installs()}),
    "docs/kernels.md": Page(not_run={"*": Abridged()}),
    "docs/mcu.md": Page(
        files="mkdir -p examples\nln -s $ROOT/examples/operator_cycles examples/operator_cycles",
        names=MCU,
        not_run={"apt-get": Installs()},
    ),
    "docs/operators.md": Page(
        not_run={"$ forebay": Elsewhere("test/python/frontends/tflite/custom/test_load.py")}
    ),
    "docs/planning.md": Page(names=PLANNER, not_run={"Problem(": Abridged()}),
    "docs/sweep.md": Page(names=TINY),
    "docs/testing.md": Page(
        not_run={
            "pytest": LongRun(),
            "$ python3 -m venv explorer": Installs(),
            "$ python3 -m venv torch-env": Installs(),
            "python test/fuzz": LongRun(),
        }
    ),
    "docs/tutorials/pytorch.md": Page(
        not_run={"python3 -m venv": Installs()},
        needs={"torch": "torch", "litert_torch": "torch"},
    ),
    "docs/vta.md": Page(
        files="mkdir -p examples\nln -s $ROOT/examples/vta examples/vta",
    ),
    "examples/camera_rows/README.md": Page(
        not_run={"*": Elsewhere("test/python/examples/test_camera_rows.py")}
    ),
    "examples/digits/README.md": Page(not_run={"pip install": Installs()}),
    "examples/gemmini/README.md": Page(files="cp $ROOT/examples/gemmini/* ."),
    "examples/memory_sizes/README.md": Page(
        not_run={"pip install": Elsewhere("test/python/sweep/test_study.py")}
    ),
    "examples/three_models/README.md": Page(
        not_run={"*": Elsewhere("test/python/examples/test_three_models.py")}
    ),
    "examples/two_models/README.md": Page(
        not_run={"*": Elsewhere("test/python/examples/test_two_models.py")}
    ),
    "examples/vta/README.md": Page(files="cp $ROOT/examples/vta/* ."),
    "integrations/model_explorer/README.md": Page(not_run={"$ pip install": Installs()}),
    "docs/your-accelerator.md": Page(
        not_run={"*": Elsewhere("test/python/examples/test_your_accelerator.py")}
    ),
}
COMMAND_LINE = re.compile(r"^(\$|forebay|python|pip|cc) (?!.*\[--)", re.MULTILINE)  # no synopsis
TOOLS = {
    "forebay mcu": "qemu-system-arm",
    "build_application": "arm-none-eabi-gcc",
    "make -C": "riscv64-unknown-elf-gcc",
}


def reason_of(block: Block) -> Reason | None:
    """Return why a block does not run here."""
    reasons = DECISIONS.get(block.page, Page()).not_run
    found = [reason for start, reason in reasons.items() if block.text.startswith(start)]
    return found[0] if found else reasons.get("*")


def test_reasons_are_those_of_blocks_and_hold() -> None:
    for page, decisions in DECISIONS.items():
        texts = [block.text for block in BLOCKS[page]]
        named = [
            name
            for name in (*decisions.not_run, *decisions.declarations, *decisions.documents)
            if name != "*"
        ]
        assert [sum(text.startswith(name) for text in texts) for name in named] == [1] * len(named)
    claimed = [(block, reason_of(block)) for blocks in BLOCKS.values() for block in blocks]
    assert [block for block, reason in claimed if reason and not reason.holds(block)] == []


def test_every_language_is_tried() -> None:
    known = {*SHELL, *IR, *DATA, "python", "c", "json"}
    found = [block for blocks in BLOCKS.values() for block in blocks if not reason_of(block)]
    assert [block for block in found if block.language not in known] == []


def test_no_command_is_in_a_block_without_a_language() -> None:
    plain = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    for page, text in PAGES.items():
        outside = re.sub(r"^```\w+\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        for block in plain.findall(outside):
            assert not re.search(r"^(\$|forebay|python|pip|cc) (?!.*\[--)", block, re.MULTILINE), (
                page
            )


@pytest.mark.parametrize("page", [name for name, blocks in BLOCKS.items() if blocks])
def test_ir_parses_or_lacks_only_what_is_around_it(page: str) -> None:
    for block in BLOCKS[page]:
        if block.language in IR and not reason_of(block):
            errors = ir_errors(block.text)
            assert is_complete(errors), f"{page}:{block.line}: {errors}"


def lacks_tool(text: str) -> bool:
    """Whether a program that the text needs is not installed."""
    return any(part in text and shutil.which(tool) is None for part, tool in TOOLS.items())


def run_shell(block: Block, folder: Path) -> None:
    """Run the commands of a block, except for those whose tools are missing."""
    where = f"{block.page}:{block.line}"
    if block.language == "console":
        for command, expected in COMMAND.findall(block.text):
            printed = shell(command, folder).stdout
            assert matches(expected, printed), f"{where}: $ {command}\n{printed}"
        return
    present = [command for command in commands_of(block.text) if not lacks_tool(command)]
    done = shell("set -x\n" + "\n".join(present), folder)
    assert done.returncode == 0, f"{where}: {done.stdout[-3000:]}"


def text_for(table: Mapping[str, str], block: Block) -> str:
    """Return what a table says about a block."""
    return next((text for start, text in table.items() if block.text.startswith(start)), "")


def run_block(block: Block, folder: Path, names: dict[str, object]) -> None:
    """Run a block of a page in its folder."""
    if block.file is not None:
        (folder / block.file).write_text(block.text, encoding="utf-8")
    elif block.language in SHELL:
        run_shell(block, folder)
    elif block.language == "python" and not lacks_tool(block.text):
        exec(compile(block.text, f"{block.page}:{block.line}", "exec"), names)
    elif block.language == "c":
        declarations = DECISIONS.get(block.page, Page()).declarations
        done = compile_c(block.text, text_for(declarations, block), folder)
        assert done.returncode == 0, f"{block.page}:{block.line}: {done.stdout}"
    elif block.language == "json":
        whole = folder / text_for(DECISIONS[block.page].documents, block)
        assert is_excerpt(json.loads(block.text), json.loads(whole.read_text()))


TRIED = {
    page: [block for block in blocks if block.language not in IR and not reason_of(block)]
    for page, blocks in BLOCKS.items()
}


@pytest.mark.slow  # a command each
@pytest.mark.parametrize("page", [name for name, blocks in TRIED.items() if blocks])
def test_the_blocks_of_a_page_run_in_order(
    page: str, digits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions = DECISIONS.get(page, Page())
    for module, extra in decisions.needs.items():
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs the extra forebay[{extra}]")
    for name in ("net.tflite", "digits_int8.tflite"):
        shutil.copyfile(digits, tmp_path / name)
    with np.load(digits.parent / "digits_heldout.npz") as heldout:
        image, scores = heldout["inputs"][:1], heldout["outputs"][:1]
    np.save(tmp_path / "x.npy", image)
    np.savez(tmp_path / "golden.npz", in0_0=image, out0_0=scores)
    operators = next(block for block in BLOCKS["docs/operators.md"] if block.file == "softsign.py")
    (tmp_path / "softsign.py").write_text(operators.text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROOT", str(ROOT))
    done = shell(decisions.files, tmp_path)
    assert done.returncode == 0, done.stdout
    names: dict[str, object] = {"__name__": "page", "ROOT": ROOT}
    exec(decisions.names, names)
    for block in TRIED[page]:
        run_block(block, tmp_path, names)
