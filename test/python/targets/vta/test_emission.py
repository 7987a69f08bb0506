"""The emitted program: its words, its results on two machines, and what mutants of it do."""

from __future__ import annotations

import random
import runpy
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from common.sweep import sweep
from numpy.random import default_rng as rng

import forebay
from forebay.emissions.commands import HostOperatorError
from forebay.isa.faults import DecodingError, InstructionFault
from forebay.isa.main_memory import MainMemory
from forebay.isa.vta.codec import decode_vta
from forebay.isa.vta.geometry import VtaGeometry
from forebay.isa.vta.interpreter import run_vta

from .streams import EXAMPLE, PLAIN, Stream, Words, emitted, unsafe_words

TARGETS = {"whole": "vta", "tiles": "vta:inp=8192,acc=32768"}
# The least numbers of micro-ops that every build holds.
GEOMETRY = VtaGeometry(micro_ops=2048)


@pytest.fixture(scope="module", params=TARGETS)
def stream(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Stream:
    directory = tmp_path_factory.mktemp(request.param)
    return emitted(EXAMPLE / "pow2net.mlir", TARGETS[request.param], directory)


def checked(stream: Stream, words: Words, memory: bytes) -> bytes:
    """Run words on the interpreter that refuses races, and whatever was never written."""
    ram = MainMemory(stream.base, np.frombuffer(memory, np.uint8))
    run_vta([decode_vta(*word) for word in words], ram, GEOMETRY)
    return ram.data.tobytes()


def test_layers_that_fit_are_not_cut(stream: Stream, request: pytest.FixtureRequest) -> None:
    is_whole = request.node.callspec.params["stream"] == "whole"
    assert (len(stream.words) == 54) == is_whole


def test_the_words_are_those_that_every_build_takes(stream: Stream) -> None:
    end = stream.base + len(stream.dram)
    assert unsafe_words(stream.words, stream.base, end) == []
    names = Counter(PLAIN.decoded(*word)[0] for word in stream.words)
    assert set(names) == {"VtaLoad", "VtaStore", "VtaGemm", "VtaAlu", "VtaFinish"}
    assert names["VtaGemm"] >= 5


@pytest.mark.parametrize("index", range(4))
def test_the_program_has_the_bits_of_the_script(stream: Stream, index: int) -> None:
    with np.load(EXAMPLE / "pow2net.npz") as golden:
        memory = stream.memory([golden[f"in{index}_0"]])
        expected = golden[f"out{index}_0"]
    np.testing.assert_array_equal(stream.output(checked(stream, stream.words, memory)), expected)


def test_a_machine_written_from_the_model_alone_has_the_same_memory(stream: Stream) -> None:
    plain = PLAIN.PlainVta(stream.base, stream.dram).run(stream.words)
    assert plain == checked(stream, stream.words, stream.dram)
    name = stream.document["expected"]
    assert name.endswith(".bin")


def test_tokens_are_given_and_taken_in_equal_numbers(stream: Stream) -> None:
    counts: Counter[tuple[int, int]] = Counter()
    for word in stream.words:
        name, fields, bits = PLAIN.decoded(*word)
        core = 2 if name == "VtaStore" else 1
        core = 0 if name == "VtaLoad" and fields["memory"] in {1, 2} else core
        counts[core, core - 1] += bits["push_prev"]
        counts[core, core + 1] += bits["push_next"]
        counts[core - 1, core] -= bits["pop_prev"]
        counts[core + 1, core] -= bits["pop_next"]
    assert not any(counts.values())
    assert PLAIN.decoded(*stream.words[-1])[2]["pop_next"]


FAULTS = {
    "dropped dependency bit": [(bit, 1) for bit in (3, 4, 5, 6)],
    "added dependency bit": [(bit, 1) for bit in (3, 4, 5, 6)],
    "wrong element of the local memory": [(10, 16)],
    "wrong element of main memory": [(26, 32)],
    "wrong size": [(64, 16), (80, 16)],
    "wrong reset bit": [(7, 1)],
    "wrong micro-op": [(8, 13), (21, 14)],
    "wrong loop": [(35, 14), (49, 14), (64, 11), (75, 11), (86, 11), (97, 11)],
}
MOVES, LOOPS = {"VtaLoad", "VtaStore"}, {"VtaGemm", "VtaAlu"}
OF_KIND = {
    "wrong element of the local memory": MOVES,
    "wrong element of main memory": MOVES,
    "wrong size": MOVES,
    "wrong reset bit": {"VtaGemm"},
    "wrong micro-op": LOOPS,
    "wrong loop": LOOPS,
}


def mutants(stream: Stream, fault: str):
    """Yield programs with one field of one instruction one larger, or one bit another."""
    for number, (low, high) in enumerate(stream.words):
        name = PLAIN.decoded(low, high)[0]
        if name not in OF_KIND.get(fault, MOVES | LOOPS | {"VtaFinish"}):
            continue
        for first, width in FAULTS[fault]:
            word = high << 64 | low
            old = word >> first & (1 << width) - 1
            if width == 1 and old != (fault == "dropped dependency bit"):
                continue
            new = (old + 1) % (1 << width)
            other = word ^ (old ^ new) << first
            yield [
                *stream.words[:number],
                (other % 2**64, other >> 64),
                *stream.words[number + 1 :],
            ]


def without(stream: Stream):
    """Yield programs that lack one instruction; one without data only passes tokens on."""
    for number in range(len(stream.words)):
        yield [*stream.words[:number], *stream.words[number + 1 :]]


def outcome(stream: Stream, words: Words, memory: bytes, expected: np.ndarray) -> str:
    """Return whether a mutant is refused, has other outputs, or computes the same."""
    try:
        found = stream.output(checked(stream, words, memory))
    except (InstructionFault, DecodingError):
        return "refused"
    return "same" if np.array_equal(found, expected) else "other outputs"


@pytest.mark.parametrize("fault", sweep([*FAULTS, "missing instruction"]))
def test_every_mutant_that_matters_is_caught(stream: Stream, fault: str) -> None:
    with np.load(EXAMPLE / "pow2net.npz") as golden:
        memory, expected = stream.memory([golden["in0_0"]]), golden["out0_0"]
    made = list(without(stream) if fault == "missing instruction" else mutants(stream, fault))
    chosen = random.Random(0).sample(made, min(len(made), 24))
    counts = Counter()
    for words in chosen:
        found = outcome(stream, words, memory, expected)
        counts[found] += 1
        if found == "same":
            # It must be harmless on a machine that shares nothing with the interpreter, too.
            plain = PLAIN.PlainVta(stream.base, memory).run(words)
            np.testing.assert_array_equal(stream.output(plain), expected)
    assert counts["refused"] + counts["other outputs"] > 0
    # Without a clip, an image whose sums stay inside of int8 has the same result.
    if "dependency bit" in fault or fault == "wrong reset bit":
        assert not counts["same"]


def test_sums_of_cut_weights_are_stored_in_whole_rows(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    # 64 matrices: two slots of 32, but two layers have 36, and the last one 128.
    directory = tmp_path_factory.mktemp("weights")
    stream = emitted(EXAMPLE / "pow2net.mlir", "vta:wgt=16384", directory)
    with np.load(EXAMPLE / "pow2net.npz") as golden:
        memory, expected = stream.memory([golden["in0_0"]]), golden["out0_0"]
    np.testing.assert_array_equal(stream.output(checked(stream, stream.words, memory)), expected)
    names = Counter(PLAIN.decoded(*word)[0] for word in stream.words)
    # The images have 16, 8, 8, 8 rows and 1.
    assert names["VtaStore"] <= 41
    assert names["VtaGemm"] > names["VtaStore"]


PAD, ROW = (2, 1), (0, 0)
NETS = {
    # kernels of one row or column: tiles at the border have no pixel
    "tiles in the border": ((7, 9, 32), [(48, 1, 2, 8, PAD)], "vta:inp=2048,wgt=16384,acc=2048"),
    "two layers": (
        (5, 12, 16),
        [(32, 2, 1, 6, PAD), (16, 3, 2, 11, ROW)],
        "vta:inp=1024,wgt=8192,acc=4096",
    ),
    # more results than channels fit: sums of parts of the channels are stored pixel by pixel
    "parts of the channels": ((6, 5, 16), [(80, 2, 2, 0, ROW)], "vta:inp=1024,wgt=8192,acc=2048"),
}


@pytest.mark.parametrize("name", sweep(NETS))
def test_other_networks_have_the_bits_of_numpy(name: str, tmp_path: Path) -> None:
    shape, sizes, target = NETS[name]
    pow2net, draw = SimpleNamespace(**runpy.run_path(str(EXAMPLE / "pow2net.py"))), rng(5)
    out, value, result = pow2net.Text(), "%x", (1, *shape)
    image = expected = draw.integers(-128, 128, shape, np.int8)
    for outputs, rows, columns, shift, pad in sizes:
        weights = draw.integers(-128, 128, (outputs, rows, columns, result[-1]), np.int8)
        bias = draw.integers(-4000, 4000, outputs, np.int32)
        layer = pow2net.Conv(weights, bias, shift, pad=pad, relu=False)
        value, result = out.conv(value, result, layer)
        expected = pow2net.convolved(expected, layer)
    x, y = (pow2net.tensor(it, "i8") for it in ((1, *shape), result))
    head = f'func.func @main(%x: {x} {{accel.name = "x"}}) -> ({y} {{accel.name = "y"}}) {{'
    (tmp_path / "net.mlir").write_text(
        "\n".join([head, *out.lines, f"  return {value} : {y}", "}\n"])
    )
    stream = emitted(tmp_path / "net.mlir", target, tmp_path / "out")
    memory = stream.memory([image[None]])
    found = checked(stream, stream.words, memory)
    np.testing.assert_array_equal(stream.output(found), expected[None])
    assert PLAIN.PlainVta(stream.base, memory).run(stream.words) == found
    assert unsafe_words(stream.words, stream.base, stream.base + len(stream.dram)) == []


def test_inputs_and_outputs_may_be_in_main_memory(tmp_path: Path) -> None:
    compiled = forebay.compile(EXAMPLE / "pow2net.mlir", target="vta", io="pool")
    compiled.write(tmp_path, emit="vta")
    stream = Stream(tmp_path)
    with np.load(EXAMPLE / "pow2net.npz") as golden:
        memory, expected = stream.memory([golden["in1_0"]]), golden["out1_0"]
    np.testing.assert_array_equal(stream.output(checked(stream, stream.words, memory)), expected)
    assert unsafe_words(stream.words, stream.base, stream.base + len(stream.dram)) == []


def test_a_network_with_work_for_the_host_is_refused(tmp_path: Path, digits: Path) -> None:
    compiled = forebay.compile(digits, target="vta")
    with pytest.raises(HostOperatorError, match=r"the host computes: digits_int8\.tflite: CONV_2D"):
        compiled.write(tmp_path / "out", emit="vta")
    assert not (tmp_path / "out").exists()
