"""Networks as objects: linked with the project's C files, they have the self-test's bits."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest
from common.conv_layer import Layer
from common.sweep import sweep, sweep_cases
from common.toolchain import require

import forebay
from forebay.cli import main as cli
from forebay.mcu import boards
from forebay.mcu.image.call_graph import stack_of_image
from forebay.mcu.image.image import compile_sources, link
from forebay.mcu.image.linker_script import write_linker_script
from forebay.mcu.image.placement import place
from forebay.mcu.image.program import write_main
from forebay.mcu.run.compare import compared
from forebay.mcu.run.emulate import emulate
from forebay.mcu.run.golden import drawn_golden, with_golden
from forebay.mcu.tools import missing
from forebay.network.names import naming_of

TRIPLES = {"mps2-an386": "thumbv7em-none-eabihf", "mps3-an547": "thumbv8.1m.main-none-eabihf"}
CPUS = {"mps2-an386": "cortex-m4", "mps3-an547": "cortex-m55"}
TANH = """
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tosa.add %x, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = tosa.tanh %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
"""


@pytest.fixture(scope="module")
def compiled(digits: Path) -> forebay.Compiled:
    return forebay.compile(digits)


def llc_of_wheel() -> Path:
    """LLVM's llc of the version that writes the IR."""
    found = importlib.util.find_spec("llvm")
    folders = found.submodule_search_locations if found else None
    llc = Path(next(iter(folders or [""]))) / "bin" / "llc"
    if not llc.exists():
        pytest.skip("the wheel of LLVM's tools has no llc")
    return llc


def run_self_test(project: Path, network: Path) -> str:
    """Link the project's C files with an object, run the self-test, and return what it prints."""
    require("cc")
    program = project / "selftest"
    sources = map(str, project.glob("*.c"))
    subprocess.run(["cc", *sources, str(network), "-o", str(program), "-lm"], check=True)
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("cpu", ["generic", "native"])
def test_an_object_has_the_bits_of_the_model(digits: Path, tmp_path: Path, cpu: str) -> None:
    project = forebay.compile(digits, cpu=cpu).write(tmp_path / "out", emit="obj")
    (network,) = project.glob("*_network.o")
    assert "all outputs are as expected" in run_self_test(project, network)
    assert not (project / "zephyr").exists()


def test_small_objects_have_the_bits_of_the_model(
    compiled: forebay.Compiled, digits: Path, tmp_path: Path
) -> None:
    small = forebay.compile(digits, optimize="size").write(tmp_path / "small", emit="obj")
    fast = compiled.write(tmp_path / "fast", emit="obj")
    (network,), (larger,) = small.glob("*_network.o"), fast.glob("*_network.o")
    assert "all outputs are as expected" in run_self_test(small, network)
    assert 2 * network.stat().st_size < larger.stat().st_size


def test_pools_inside_of_the_code_are_given_to_the_object(
    compiled: forebay.Compiled, tmp_path: Path
) -> None:
    project = compiled.write(tmp_path / "out", emit="obj", internal_pools=True)
    (network,) = project.glob("*_network.o")
    assert "all outputs are as expected" in run_self_test(project, network)


@pytest.mark.parametrize("name", ["kws_dscnn_int8", "mww_vad_int8", "resnet8_float"])
def test_shared_networks_have_the_bits_of_the_model(
    shared_models: Path, tmp_path: Path, name: str
) -> None:
    network = forebay.compile(shared_models / f"{name}.tflite", cpu="native")
    project = network.write(tmp_path / "out", emit="obj")
    (code,) = project.glob("*_network.o")
    assert "all outputs are as expected" in run_self_test(project, code)


def test_llvm_ir_becomes_the_same_network(compiled: forebay.Compiled, tmp_path: Path) -> None:
    llc = llc_of_wheel()
    project = compiled.write(tmp_path / "out", emit="llvm")
    (text,) = project.glob("*_network.ll")
    assert "target triple" in text.read_text()
    network = tmp_path / "network.o"
    flags = ["-filetype=obj", "-relocation-model=pic", "-fp-contract=off"]
    subprocess.run([llc, *flags, text, "-o", network], check=True)
    assert "all outputs are as expected" in run_self_test(project, network)


@pytest.mark.parametrize("emit", sweep(["obj", "llvm"]))
def test_cmake_builds_the_project(compiled: forebay.Compiled, tmp_path: Path, emit: str) -> None:
    require("cmake")
    project, build = compiled.write(tmp_path / "out", emit=emit), tmp_path / "build"
    llc = llc_of_wheel()
    subprocess.run(["cmake", "-S", project, "-B", build, f"-DFOREBAY_LLC={llc}"], check=True)
    subprocess.run(["cmake", "--build", build], check=True)
    (program,) = build.glob("*_selftest")
    assert subprocess.run([program], check=False).returncode == 0


@pytest.mark.parametrize("name", sorted(TRIPLES))
def test_microcontrollers_have_the_bits_of_the_model(
    digits: Path, tmp_path: Path, name: str
) -> None:
    board = boards.load(name)
    packages = [tool.package for tool in missing(board)]
    if packages:
        pytest.skip(f"{name} needs the Debian packages {' '.join(packages)}")
    compiled = forebay.compile(digits, cpu=CPUS[name])
    model = with_golden(compiled.info, drawn_golden(compiled))
    naming = naming_of(model)
    placed = place(model, naming, board, {})
    project = compiled.write(
        tmp_path / "out", golden=model.golden, emit="obj", triple=TRIPLES[name]
    )
    (tmp_path / "main.c").write_text(write_main(model, naming, {}), encoding="utf-8")
    objects = compile_sources(project, naming, board, placed, tmp_path)
    script, elf = tmp_path / "board.ld", tmp_path / "network.elf"
    stack = stack_of_image(objects.program) + 8192  # the call graphs lack the object
    regions = [it.region for it in placed]
    script.write_text(write_linker_script(board, regions, stack, ""), encoding="utf-8")
    link(board, objects.files, script, elf)
    assert compared(model, emulate(board, elf, (), 120))


@pytest.mark.parametrize(
    ("triple", "machine"),
    sweep_cases([("aarch64-linux-gnu", b"\xb7\x00"), ("armv7a-linux-gnueabihf", b"\x28\x00")]),
)
def test_objects_of_other_machines_define_the_entry_function(
    compiled: forebay.Compiled, tmp_path: Path, triple: str, machine: bytes
) -> None:
    project = compiled.write(tmp_path / "out", emit="obj", triple=triple)
    (network,) = project.glob("*_network.o")
    header = network.read_bytes()[:20]
    assert header[:4] == b"\x7fELF"
    assert header[18:20] == machine
    assert f"{naming_of(compiled.info).prefix}_run_network".encode() in network.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--emit", "obj", "--triple", "riscv32-none-elf"], "AArch64 only"),
        (["--emit", "obj", "--triple", "aarch64_be-none-elf"], "little-endian"),
        (["--emit", "llvm", "--cpu", "cortex-m99"], "LLVM knows no CPU 'cortex-m99'"),
        (["--emit", "obj", "--cpu", "cortex-m4"], "LLVM knows no CPU 'cortex-m4'"),
        (["--emit", "obj", "--triple", "thumbv7em-none-eabi", "--cpu", "native"], "'native'"),
        (["--triple", "thumbv7em-none-eabi"], "give --emit obj or --emit llvm"),
    ],
)
def test_unknown_processors_are_refused_before_anything_is_written(
    arguments: list[str],
    message: str,
    digits: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["compile", str(digits), "-o", str(tmp_path / "out"), *arguments]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_network_with_devices_is_refused(digits: Path, tmp_path: Path) -> None:
    network = forebay.compile(digits, target="fetch_conv")
    with pytest.raises(forebay.Error, match=r"commands devices \(.*write the C project"):
        network.write(tmp_path / "out", emit="obj")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("cpu", "has_bytes"),
    sweep_cases([("cascadelake", True), ("x86-64-v4", False), ("x86-64-v3", False)]),
)
def test_instructions_on_bytes_are_those_of_the_processor(
    digits: Path, tmp_path: Path, cpu: str, has_bytes: bool
) -> None:
    text = llvm_of(digits, cpu, tmp_path)
    assert bool(re.search(r"@llvm.x86.avx512.vpdpbusd\.(256|512)", text)) == has_bytes


@pytest.mark.parametrize(
    ("cpu", "has_masks"),
    sweep_cases([("cascadelake", True), ("x86-64-v4", True), ("x86-64-v3", False)]),
)
def test_words_at_borders_are_masked_where_the_processor_has_masks(
    tmp_path: Path, cpu: str, has_masks: bool
) -> None:
    (tmp_path / "layer.mlir").write_text(Layer(depth=3, channels=5).text())
    text = llvm_of(tmp_path / "layer.mlir", cpu, tmp_path)
    assert bool(re.search(r"@llvm.masked.load.v\d+i8", text)) == has_masks


def llvm_of(model: Path, cpu: str, directory: Path) -> str:
    network = forebay.compile(model, cpu=cpu)
    project = network.write(directory / "out", emit="llvm", triple="x86_64-linux-gnu")
    (file,) = project.glob("*_network.ll")
    return file.read_text()


def test_functions_of_mathematics_are_those_of_c(tmp_path: Path) -> None:
    (tmp_path / "net.mlir").write_text(TANH)
    network = forebay.compile(tmp_path / "net.mlir")
    project = network.write(tmp_path / "out", emit="obj")
    (code,) = project.glob("*_network.o")
    assert "all outputs are as expected" in run_self_test(project, code)


AT_BASE = """
from forebay.api.target import Device, Pool, Target

TARGET = Target(
    "at_base",
    devices=(Device("cpu", kind="cpu", host=True),),
    pools=(
        Pool("tcm", "workspace", 65536, base=0x20000000),
        Pool("flash", "constant"),
    ),
)
"""


def test_pools_at_an_address_are_constant_pointers(digits: Path, tmp_path: Path) -> None:
    (tmp_path / "at_base.py").write_text(AT_BASE)
    network = forebay.compile(digits, target=str(tmp_path / "at_base.py"))
    project = network.write(tmp_path / "out", emit="llvm", triple="thumbv7em-none-eabi")
    (text,) = project.glob("*_network.ll")
    assert re.search(r"inttoptr \(i\d+ 536870912 to ptr\)", text.read_text())
