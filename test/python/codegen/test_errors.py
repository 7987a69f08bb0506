"""What has no C is refused at its place, before anything is written."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlir import ir
from msgspec import structs

from forebay.codegen.project.project import project_files, write_project
from forebay.engines.c import CEngine
from forebay.network.errors import CodegenError, CompilerError, EmissionError
from forebay.network.model import ModelInfo, PlannedPool
from forebay.pools import PoolKind

Network = tuple[ir.Module, ModelInfo]
EMPTY = ModelInfo("empty", (), (), (), "00" * 32)
PLACE = '"conv1"("CONV_2D"("dir/net.tflite":3:0))'


def parse(text: str) -> ir.Module:
    return ir.Module.parse(text)


def test_unknown_op_is_refused_at_its_operator(context: ir.Context, tmp_path: Path) -> None:
    module = parse(f"""
      func.func @main() {{
        %0 = memref.alloc() : memref<4xi8> loc({PLACE})
        return
      }}""")
    expected = (
        r"^net\.tflite: CONV_2D #3 \(conv1\): 'memref\.alloc' has no C form; a pass must lower it"
    )
    with pytest.raises(EmissionError, match=expected):
        write_project(module, EMPTY, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_ops_of_unknown_dialects_are_refused(context: ir.Context) -> None:
    context.allow_unregistered_dialects = True
    module = parse('func.func @main() {\n  "some.op"() : () -> ()\n  return\n}')
    with pytest.raises(EmissionError, match=r"'some\.op' has no C form"):
        project_files(module, EMPTY)


def test_recursion_is_refused(context: ir.Context) -> None:
    module = parse(f"""
      func.func @main() {{
        call @main() : () -> () loc({PLACE})
        return
      }}""")
    with pytest.raises(
        EmissionError, match=r"\(conv1\): 'main' calls itself; C here has no recursion"
    ):
        project_files(module, EMPTY)


def test_function_without_a_body_is_refused(context: ir.Context) -> None:
    module = parse("""
      func.func private @elsewhere()
      func.func @main() {
        call @elsewhere() : () -> ()
        return
      }""")
    with pytest.raises(EmissionError, match="function 'elsewhere' has no body"):
        project_files(module, EMPTY)


def test_module_without_main_is_refused(context: ir.Context) -> None:
    with pytest.raises(EmissionError, match="the module has no function @main"):
        project_files(parse("func.func @other() { return }"), EMPTY)


def test_arguments_must_be_the_ports(fully_connected: Network) -> None:
    module, model = fully_connected
    wrong = structs.replace(model.inputs[0], shape=(3, 2))
    with pytest.raises(EmissionError, match=r"argument 2 of @main is memref<2x3xi8>, but port"):
        project_files(module, dataclasses.replace(model, inputs=(wrong,)))
    with pytest.raises(EmissionError, match="2 arguments that are no pools, but the model has 1"):
        project_files(module, dataclasses.replace(model, inputs=()))


def test_pools_must_be_known(fully_connected: Network) -> None:
    module, model = fully_connected
    pools = tuple(pool for pool in model.pools if pool.is_constant)
    with pytest.raises(EmissionError, match="unknown pool 'workspace'; known: weights"):
        project_files(module, dataclasses.replace(model, pools=pools))


def test_constants_must_fit_their_pool(fully_connected: Network) -> None:
    module, model = fully_connected
    pools = (model.pools[0], PlannedPool("weights", PoolKind.constant, size=28))
    with pytest.raises(CodegenError, match="pool 'weights' has 28 bytes, its constants end at 32"):
        project_files(module, dataclasses.replace(model, pools=pools))


def test_constants_must_not_overlap(context: ir.Context) -> None:
    space = "#memref_pool.space<@weights>"
    module = parse(f"""
      memref_pool.pool @weights constant
      memref.global "private" constant @a : memref<8xi8, {space}> = dense<1>
        {{memref_pool.placement = #memref_pool.placement<@weights, 0>}}
      memref.global "private" constant @b : memref<2xi32, {space}> = dense<1>
        {{memref_pool.placement = #memref_pool.placement<@weights, 4>}}
      func.func @main() {{ return }}""")
    model = dataclasses.replace(EMPTY, pools=(PlannedPool("weights", PoolKind.constant, size=32),))
    with pytest.raises(
        CodegenError, match=r"'b' at \[4, 12\) of pool 'weights' overlaps what ends"
    ):
        project_files(module, model)


def test_constants_are_not_written(context: ir.Context) -> None:
    space = "#memref_pool.space<@weights>"
    module = parse(f"""
      memref_pool.pool @weights constant
      func.func @main(%weights: memref<8xi8, {space}> {{memref_pool.base}}) {{
        %c0 = arith.constant 0 : index
        %x = arith.constant 1 : i8
        %v = memref.view %weights[%c0][] : memref<8xi8, {space}> to memref<8xi8, {space}>
        memref.store %x, %v[%c0] : memref<8xi8, {space}>
        return
      }} loc({PLACE})""")
    model = dataclasses.replace(EMPTY, pools=(PlannedPool("weights", PoolKind.constant, size=8),))
    with pytest.raises(
        EmissionError, match=r"\(conv1\): 'main' writes to the constant pool 'weights'"
    ):
        project_files(module, model)


def test_inputs_are_checked(fully_connected: Network) -> None:
    engine = CEngine(*fully_connected)
    with pytest.raises(CodegenError, match=r"'tiny net' has 1 inputs \(input_1\), 2 were given"):
        engine.run([np.zeros((2, 3), np.int8)] * 2)
    with pytest.raises(CodegenError, match=r"'input_1' is int8\[2, 3\], uint8\[3, 2\] was given"):
        engine.run([np.zeros((3, 2), np.uint8)])


def test_missing_compiler_is_named(fully_connected: Network, monkeypatch: Any) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CompilerError, match="no C compiler: neither cc, gcc nor clang is in PATH"):
        CEngine(*fully_connected)
    monkeypatch.setenv("CC", "/nowhere/cc -m32")
    with pytest.raises(CompilerError, match="cannot run the C compiler '/nowhere/cc'"):
        CEngine(*fully_connected)


def test_the_compilers_message_is_reported(fully_connected: Network, monkeypatch: Any) -> None:
    with pytest.raises(CompilerError, match="no-such-flag"):
        CEngine(*fully_connected, flags=["-fno-such-flag"])
