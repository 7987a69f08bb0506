"""One list of options for `Compiled.write` and `forebay compile`."""

from __future__ import annotations

import argparse
import inspect
from pathlib import Path

import pytest

from forebay.cli.options import add_fields, fields_of
from forebay.driver.compiled import Compiled
from forebay.options.option_class import options_in
from forebay.options.project_options import ProjectOptions
from forebay.support.option_kinds import OptionError

NAMES = [
    "golden",
    "golden_from",
    "weights_blob",
    "internal_pools",
    "operator_hooks",
    "emit",
    "triple",
]


def parsed(*arguments: str) -> ProjectOptions:
    parser = argparse.ArgumentParser()
    add_fields(parser, ProjectOptions)
    return ProjectOptions(**fields_of(parser.parse_args(arguments), ProjectOptions))


def test_the_method_has_the_fields_as_keywords() -> None:
    signature = inspect.signature(Compiled.write)
    assert list(signature.parameters) == ["self", "directory", *NAMES]
    assert [item.name for item in options_in(ProjectOptions)] == NAMES
    assert all(f"`{name}`" in (Compiled.write.__doc__ or "") for name in NAMES)
    with pytest.raises(TypeError, match="weight_blob"):
        Compiled.write(None, "out", weight_blob=True)  # pyright: ignore


def test_the_command_has_the_same_defaults() -> None:
    assert parsed() == ProjectOptions()


def test_the_command_spells_every_option() -> None:
    assert parsed("--operator-hooks") == ProjectOptions(operator_hooks=True)
    given = ("--golden", "g.npz", "--golden-from", "program", "--weights-blob")
    assert parsed(*given, "--internal-pools", "--emit", "tar") == ProjectOptions(
        golden="g.npz", golden_from="program", weights_blob=True, internal_pools=True, emit="tar"
    )
    assert parsed("--emit", "obj", "--triple", "arm-none-eabi") == ProjectOptions(
        emit="obj", triple="arm-none-eabi"
    )
    assert parsed("--golden", "g.npz").golden == Path("g.npz")


def test_a_wrong_source_of_outputs_is_refused() -> None:
    with pytest.raises(OptionError, match="golden_from"):
        ProjectOptions(golden_from="device")  # pyright: ignore[reportArgumentType]
