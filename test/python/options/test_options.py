"""`Options`: one list of options for the Python API, the command and the pipelines."""

from __future__ import annotations

import argparse
import gc
import inspect
from collections.abc import Sequence
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest

import forebay
from forebay import Options, targets
from forebay.cli.options import add_options, options_of_arguments
from forebay.options.option_class import options_in
from forebay.pipelines import stages

HOST = targets.Target(
    "small",
    devices=(targets.Device("cpu", kind="cpu", host=True),),
    pools=(targets.Pool("ram", "workspace"),),
)


def parsed(*arguments: str) -> Options:
    parser = argparse.ArgumentParser()
    add_options(parser, has_model=True)
    return options_of_arguments(parser.parse_args(arguments))


def test_a_command_line_without_options_has_the_defaults() -> None:
    assert parsed() == Options()


def test_every_flag_of_the_command_sets_its_field(tmp_path: Path) -> None:
    operator = tmp_path / "mine.py"
    operator.write_text(
        "from forebay.api.tflite import OperatorLowering\nOWN = OperatorLowering('Own', print)\n"
    )
    given = {
        "target": ("--target", "fetch_conv"),
        "place": ("--place", "0=cpu", "--place", "conv=accel"),
        "placement": ("--placement", str(tmp_path / "p.json")),
        "order": ("--order", "accel,dma"),
        "io": ("--io", "pool"),
        "input_rows": ("--input-rows", "x", "--input-rows", "y"),
        "input_pools": ("--input-pool", "x=a+b"),
        "output_pools": ("--output-pool", "y=a"),
        "constant_pools": ("--constant-pool", "*=rom"),
        "strict": ("--strict",),
        "planner": ("--planner", "first-fit"),
        "budget": ("--budget", "ram=2K"),
        "optimize": ("--optimize", "size"),
        "cpu": ("--cpu", "cortex-m4"),
        "slots": ("--slots", "4"),
        "print_after": ("--print-after", "cse", "--print-after", "canonicalize"),
        "requantise": ("--requantise", "device"),
        "in_flight": ("--in-flight", "3"),
        "passes": ("--pass", "after-plan=cse", "--pass", "after-plan=canonicalize"),
        "shapes": ("--shape", "x=1x2", "--shape", "y=3"),
        "operators": ("--operators", str(operator)),
        "verify_each": ("--verify-each",),
    }
    expected = Options(
        target="fetch_conv",
        place=["0=cpu", "conv=accel"],
        placement=tmp_path / "p.json",
        order=["accel", "dma"],
        io="pool",
        input_rows=["x", "y", "x"],
        input_pools={"x": ["a", "b"]},
        output_pools={"y": "a"},
        constant_pools={"*": "rom"},
        strict=True,
        planner="first-fit",
        budget={"ram": 2048},
        optimize="size",
        cpu="cortex-m4",
        slots=4,
        requantise="device",
        in_flight=3,
        passes={"after-plan": ["cse", "canonicalize"]},
        shapes={"x": (1, 2), "y": (3,)},
        operators=[operator],
        print_after=["cse", "canonicalize"],
        verify_each=True,
    )
    assert parsed(*(word for flags in given.values() for word in flags)) == expected
    spelled = {item.name for item in options_in(Options) if item.flag is not None}
    assert spelled == set(given)
    for name, flags in given.items():
        changed = {item for item in spelled if getattr(parsed(*flags), item) != default(item)}
        assert changed == {name}


def default(name: str) -> object:
    return getattr(Options(), name)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--slots", "0"], "argument --slots: slots is a number of 1 or more, not 0"),
        (["--slots", "two"], "argument --slots: slots is a number of 1 or more, not 'two'"),
        (["--shape", "x=1x0"], "argument --shape: 'x=1x0' is not of the form input=1x96x96x1"),
        (["--place", "conv"], "argument --place: 'conv' is not OPERATOR=DEVICE"),
        (["--input-pool", "x="], "argument --input-pool: 'x=' is not NAME=POOL or, in order of "),
        (["--pass", "never=cse"], "argument --pass: 'never=cse' is not PHASE=PASS with a phase"),
    ],
)
def test_a_wrong_value_is_an_error_of_its_flag(
    arguments: Sequence[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parsed(*arguments)
    assert end.value.code == 2
    assert message in capsys.readouterr().err


def test_options_are_checked_when_they_are_made() -> None:
    with pytest.raises(forebay.Error, match="strict is true or false, not 'yes'"):
        Options(strict="yes")  # pyright: ignore[reportArgumentType]
    with pytest.raises(forebay.Error, match="there is no target 'nowhere'"):
        Options(target="nowhere")
    with pytest.raises(forebay.Error, match="there is no planner 'best'"):
        Options(planner="best")
    with pytest.raises(forebay.Error, match="progress is a function that takes a text, not 3"):
        Options(progress=3)  # pyright: ignore[reportArgumentType]


def test_options_are_frozen_and_can_be_replaced() -> None:
    options = Options(place={"0": "cpu"}, shapes={"x": [1, 2]}, passes=["after-plan=cse"])
    with pytest.raises(FrozenInstanceError):
        options.slots = 3  # pyright: ignore[reportAttributeAccessIssue]
    changed = replace(options, slots=3)
    assert changed.slots == 3
    assert replace(changed, slots=2) == options


def test_an_object_lives_as_long_as_the_options_that_name_it() -> None:
    def options() -> Options:
        target = replace(HOST, name="short-lived")
        return Options(target=target)

    kept = options()
    gc.collect()
    assert kept.target is not None
    assert targets.load(str(kept.target)).name == "short-lived"
    name = str(kept.target)
    del kept
    gc.collect()
    with pytest.raises(targets.TargetError, match="there is no target"):
        targets.load(name)


def test_the_api_takes_the_fields_as_keywords() -> None:
    model, *keywords = inspect.signature(forebay.compile).parameters.values()
    assert model.name == "model"
    assert [(k.name, k.default) for k in keywords] == [
        (item.name, item.default) for item in options_in(Options)
    ]
    assert all(keyword.kind is keyword.KEYWORD_ONLY for keyword in keywords)
    by_name = {keyword.name: str(keyword.annotation) for keyword in keywords}
    assert by_name["target"] == "str | Path | Target | None"
    assert by_name["slots"] == "int"


def test_every_option_is_documented_once() -> None:
    text = forebay.compile.__doc__ or ""
    for item in options_in(Options):
        assert f"* `{item.name}`: {item.help}." in text


def test_the_pipelines_take_the_same_options() -> None:
    text = stages.whole_pipeline(Options(target="fetch_conv", io="pool", slots=3, order=["accel"]))
    assert "accel-lower-devices{target=fetch_conv order=accel io=pool slots=3}" in text
    assert "memref-pool-assign{io=pool strict=false}" in text


def test_a_model_compiles_with_options_or_keywords(digits: Path) -> None:
    by_keywords = forebay.compile(digits, io="pool", planner="first-fit")
    by_options = forebay.compile_with(digits, Options(io="pool", planner="first-fit"))
    assert by_options.ir == by_keywords.ir
    assert by_options.plan.plan.planner == "first-fit"


@pytest.mark.parametrize(
    "name", ["generic", "native", "cortex-m4", "cortex-a53", "cortex-a76", "x86-64-v3"]
)
def test_processors_of_schedules_and_of_llvm_are_known(name: str) -> None:
    assert Options(cpu=name).cpu == name


def test_an_unknown_processor_is_refused_with_those_that_have_schedules() -> None:
    with pytest.raises(
        forebay.Error, match=r"no schedule is made for a CPU 'z80'.*cortex-m4, cortex-m55, generic"
    ):
        Options(cpu="z80")
