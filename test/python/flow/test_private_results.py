"""What a private function computes last is computed in the memory of the caller of the program."""

import random
import re
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

import forebay

Array = NDArray[Any]

HALF = """
func.func private @half(%x: tensor<64xi8>) -> tensor<64xi8> {
  %0 = tosa.abs %x : (tensor<64xi8>) -> tensor<64xi8>
  %1 = tosa.reverse %0 {axis = 0 : i32} : (tensor<64xi8>) -> tensor<64xi8>
  return %1 : tensor<64xi8>
}
"""
PORTS = """
func.func @main(%a: tensor<64xi8> {accel.name = "a", accel.dtype = "int8"})
    -> (tensor<64xi8> {accel.name = "out", accel.dtype = "int8"}) {
  %0 = func.call @half(%a) : (tensor<64xi8>) -> tensor<64xi8>
"""
ONCE = HALF + PORTS + "  return %0 : tensor<64xi8>\n}\n"
TWICE = (
    HALF
    + PORTS
    + "  %1 = func.call @half(%0) : (tensor<64xi8>) -> tensor<64xi8>\n"
    + "  return %1 : tensor<64xi8>\n}\n"
)
IMAGE = np.arange(-32, 32, dtype=np.int8)


def compiled_from(text: str, directory: Path) -> forebay.Compiled:
    path = directory / "net.mlir"
    path.write_text(text, encoding="utf-8")
    return forebay.compile(path)


def test_one_caller_saves_the_buffer_and_the_copy(tmp_path: Path) -> None:
    """What is left is the 64 bytes between the two operators of the function."""
    network = compiled_from(ONCE, tmp_path)
    assert network.info.pool("workspace").size == 64
    assert "memref_pool.copy" not in network.ir


def test_calls_with_other_memories_have_functions_of_their_own(tmp_path: Path) -> None:
    """64 bytes between the operators of a call, 64 between the calls; nothing is copied.

    The first reads the caller's memory and writes the workspace, the second the other way round.
    """
    network = compiled_from(TWICE, tmp_path)
    assert network.info.pool("workspace").size == 128
    assert "memref_pool.copy" not in network.ir


@pytest.mark.parametrize("calls", [3, 4, 9])
def test_calls_with_equal_memories_share_a_function(tmp_path: Path, calls: int) -> None:
    """Of a chain, the first, the last, and all between: three functions, and no copy.

    What a call reads is dead when its result is written: 64 bytes for both, 64 between.
    """
    text = HALF + PORTS
    for number in range(1, calls):
        text += f"  %{number} = func.call @half(%{number - 1}) : (tensor<64xi8>) -> tensor<64xi8>\n"
    network = compiled_from(text + f"  return %{calls - 1} : tensor<64xi8>\n}}\n", tmp_path)
    assert network.info.pool("workspace").size == 2 * 64
    assert "memref_pool.copy" not in network.ir
    assert network.ir.count("func.func private @half") == 3
    expected = IMAGE
    for _ in range(calls):
        expected = np.abs(expected)[::-1]
    np.testing.assert_array_equal(network.run(IMAGE, engine="emulator"), expected)


def test_one_call_of_a_chain_needs_what_the_chain_needs(tmp_path: Path) -> None:
    """58 x 58 x 128 x 2 and 56 x 56 x 128 x 4 bytes inside, and the kernel's 18."""
    network = forebay.compile(Path(__file__).parent / "calls" / "rfc.mlir")
    assert network.info.pool("workspace").size == 58 * 58 * 128 * 2 + 56 * 56 * 128 * 4 + 18
    assert network.ir.count("memref_pool.copy") == 1  # the input, into what is padded


def drawn_calls(seed: int) -> str:
    """Helpers that call one another, called with inputs, constants and results, in any order."""
    draw = random.Random(seed)
    type_ = "tensor<8xi32>"
    functions, kinds = "", ("add", "sub", "maximum")
    for number in range(3):
        known = ["%x", "%y"]
        body = ""
        for step in range(draw.randint(1, 3)):
            operands = [draw.choice(known) for _ in range(2)]
            if number and draw.random() < 0.5:
                callee = draw.randrange(number)
                body += f"  %{step} = func.call @f{callee}({', '.join(operands)}) : "
            else:
                body += f"  %{step} = tosa.{draw.choice(kinds)} {', '.join(operands)} : "
            body += f"({type_}, {type_}) -> {type_}\n"
            known.append(f"%{step}")
        functions += f"func.func private @f{number}(%x: {type_}, %y: {type_}) -> {type_} {{\n"
        functions += f"{body}  return {draw.choice(known)} : {type_}\n}}\n"
    known = ["%a", "%b", "%k"]
    main = '  %k = "tosa.const"() <{values = dense<7> : tensor<8xi32>}> : () -> tensor<8xi32>\n'
    for step in range(draw.randint(2, 6)):
        operands = ", ".join(draw.choice(known) for _ in range(2))
        main += f"  %{step} = func.call @f{draw.randrange(3)}({operands}) : "
        main += f"({type_}, {type_}) -> {type_}\n"
        known.append(f"%{step}")
    results = [draw.choice(known) for _ in range(2)]
    head = f"func.func @main(%a: {type_}, %b: {type_}) -> ({type_}, {type_}) {{\n"
    return f"{functions}{head}{main}  return {', '.join(results)} : {type_}, {type_}\n}}\n"


def computed(text: str, inputs: dict[str, Array]) -> list[Array]:
    """What the text of `drawn_calls` computes, line by line."""
    bodies = {
        match[1]: match[2].splitlines()
        for match in re.finditer(r"func\.func (?:private )?@(\w+)\(.*?\{\n(.*?)\n\}", text, re.S)
    }
    operations = {"add": np.add, "sub": np.subtract, "maximum": np.maximum}

    def run(name: str, values: dict[str, Array]) -> list[Array]:
        for line in bodies[name]:
            operands = [
                values[word] for word in re.findall(r"%\w+", line.partition("=")[2]) if word
            ]
            target = line.split()[0]
            if target == "return":
                return [values[word] for word in re.findall(r"%\w+", line)]
            if "tosa.const" in line:
                values[target] = np.full(8, 7, np.int32)
            elif call := re.search(r"@(\w+)", line):
                values[target] = run(call[1], dict(zip(("%x", "%y"), operands, strict=True)))[0]
            else:
                kind = line.partition("tosa.")[2].split()[0]
                values[target] = operations[kind](*operands)
        raise AssertionError("no return")

    return run("main", inputs)


@pytest.mark.parametrize("seed", range(25))
def test_drawn_calls(tmp_path: Path, seed: int) -> None:
    text = drawn_calls(seed)
    given = [np.arange(8, dtype=np.int32), np.arange(8, dtype=np.int32)[::-1] * 3]
    found = compiled_from(text, tmp_path).run(*given, engine="emulator")
    expected = computed(text, dict(zip(("%a", "%b"), given, strict=True)))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("text", "calls"), [(ONCE, 1), (TWICE, 2)])
@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_engines_agree(
    tmp_path: Path, text: str, calls: int, engine: Literal["c", "llvm", "emulator"]
) -> None:
    expected = IMAGE
    for _ in range(calls):
        expected = np.abs(expected)[::-1]
    found = compiled_from(text, tmp_path).run(IMAGE, engine=engine)
    np.testing.assert_array_equal(found, expected)
