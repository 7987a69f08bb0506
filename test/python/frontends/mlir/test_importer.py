"""What an `.mlir` file may contain: all that does not fit is listed, before anything is lowered."""

from pathlib import Path

import numpy as np
import pytest
from common.loaded_commands import run_forebay
from mlir import ir

import forebay
from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.mlir import import_mlir

HERE = Path(__file__).parent
MAIN = "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> { return %x : tensor<4xi32> }\n"


def imported(content: str | bytes, folder: Path) -> str:
    path = folder / "net.mlir"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with ir.Context(), ir.Location.unknown():
        return str(import_mlir(path))


def test_everything_is_listed_at_once_with_its_line(tmp_path: Path) -> None:
    text = """func.func private @f(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = call @f(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func @main(%x: tensor<4xi32>, %k: i32) -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = tensor.splat %k : tensor<4xi32>
  %1 = tensor.splat %k : tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}
"""
    with pytest.raises(UnsupportedModel) as refused:
        imported(text, tmp_path)
    found = str(refused.value).splitlines()
    assert len(found) == 3
    assert found[0].startswith(f"{tmp_path}/net.mlir:5:36: argument 1 of @main is i32: ")
    assert "net.mlir:6:8: " in found[1]
    assert "'tensor.splat'" in found[1]
    assert found[1].endswith("(and at 1 more place)")
    assert found[2].startswith(f"{tmp_path}/net.mlir:2:8: @f calls itself, ")


def test_the_list_ends(tmp_path: Path) -> None:
    many = "".join(f"gpu.module @k{n} {{ }}\n" for n in range(3))
    types = "".join(
        f"func.func private @f{n}(%x: tensor<{2**31 + n}xi8>) {{ return }}\n" for n in range(40)
    )
    with pytest.raises(UnsupportedModel) as refused:
        imported(many + types + MAIN, tmp_path)
    found = str(refused.value).splitlines()
    assert len(found) == 31
    assert found[-1] == "... and 11 more"  # 40 types and 1 message about gpu.module, less 30


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"// \xff\nmodule { }", 1),
        (MAIN.encode() + b'module attributes {a.b = "\xc3"} { }', 2),
        (
            MAIN.encode().replace(b"%x: tensor<4xi32>", b'%x: tensor<4xi32> {accel.name = "\\FF"}'),
            1,
        ),
    ],
)
def test_text_is_utf_8_also_in_escapes(tmp_path: Path, content: bytes, line: int) -> None:
    with pytest.raises(MalformedModel, match=rf"net\.mlir:{line}: not in UTF-8: "):
        imported(content, tmp_path)


def test_escapes_and_comments_in_utf_8_are_fine(tmp_path: Path) -> None:
    named = MAIN.replace("%x: tensor<4xi32>", '%x: tensor<4xi32> {accel.name = "\\C3\\A4\\22"}')
    assert "accel.name" in imported('// é "\\FF"\n' + named, tmp_path)


def test_bytecode_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(MalformedModel, match="MLIR bytecode; a model is its text"):
        imported(b"ML\xefR\x0d", tmp_path)


def test_the_only_public_function_becomes_main(tmp_path: Path) -> None:
    assert "@main" in imported(MAIN.replace("@main", "@net"), tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module { }", "public functions with a body: none. Call one of them @main or make"),
        (MAIN + MAIN.replace("@main", "@other"), "@main, @other. Make the others private"),
        (
            MAIN.replace("@main", "@net") + MAIN.replace("@main", "private @main"),
            "@net is to be compiled as @main, but another symbol has that name; rename it",
        ),
    ],
)
def test_one_function_is_compiled(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UnsupportedModel, match=message):
        imported(text, tmp_path)


@pytest.mark.parametrize("path", sorted(HERE.glob("refused/*.mlir")), ids=lambda path: path.stem)
def test_the_command_says_why_at_the_line(tmp_path: Path, path: Path) -> None:
    """The first line of each file holds what is said of it."""
    result = run_forebay("compile", path, "-o", "out", cwd=tmp_path)
    assert result.returncode == 1, result.stderr
    assert path.read_text().partition("\n")[0].removeprefix("// ") in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()


LOWER = """
from dataclasses import dataclass
from mlir import ir
from mlir.dialects import linalg, tensor
from forebay.ir.nested import ops_nested_in
from forebay.passes import Pass

@dataclass(frozen=True)
class LowerSplat(Pass):
    '''Fill instead of splat.'''
    name = "test-lower-splat"
    dialects = ("linalg",)

    def run(self, op):
        for splat in ops_nested_in(op):
            if isinstance(splat, tensor.SplatOp):
                with ir.InsertionPoint(splat), splat.location:
                    type_ = ir.RankedTensorType(splat.result.type)
                    empty = tensor.EmptyOp(type_.shape, type_.element_type)
                    filled = linalg.fill(splat.input, outs=[empty.result])
                splat.result.replace_all_uses_with(filled)
                splat.erase()
"""
SPLAT = """
func.func @main(%x: tensor<1xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %x[%c0] : tensor<1xi32>
  %y = tensor.splat %v : tensor<4xi32>
  return %y : tensor<4xi32>
}
"""


def test_a_pass_of_the_user_s_own_may_lower_what_is_refused(tmp_path: Path) -> None:
    net, lower = tmp_path / "splat.mlir", tmp_path / "lower.py"
    net.write_text(SPLAT)
    lower.write_text(LOWER)
    compiled = forebay.compile(net, passes=[f"before-partition={lower}"])
    np.testing.assert_array_equal(compiled.run(np.array([7], np.int32)), [7, 7, 7, 7])
    with pytest.raises(forebay.Error, match=r"'tensor\.splat'"):
        forebay.compile(net, passes=["before-partition=canonicalize"])
