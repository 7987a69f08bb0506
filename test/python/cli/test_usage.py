"""Errors of usage: one line with the argument, the nearest name, and where the help is."""

import argparse

import pytest

from forebay.cli.main import main
from forebay.cli.usage import CommandParser, nearest_of


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["compile", "--tarket", "host", "net.tflite"],
            "there is no option '--tarket'; did you mean '--target'? 'forebay compile --help' "
            "lists the arguments",
        ),
        (["compile", "--zzz=3"], "there is no option '--zzz'; 'forebay compile --help' lists"),
        (["plan", "-x"], "there is no option '-x'; 'forebay plan --help' lists the arguments"),
        (["--debug", "plan"], "'--debug' belongs behind the command: forebay plan --debug; '"),
        (["--budget=min", "run"], "'--budget' belongs behind the command: forebay run --budget; '"),
        (["--debug"], "there is no option '--debug'; 'forebay --help' lists"),
        (["plam", "a.csv"], "; did you mean 'plan'? 'forebay --help' lists the arguments"),
        (["run", "net.mlir", "--engine", "lvm"], "argument --engine: 'lvm' is not one of c, llvm,"),
        (["plan", "a.csv", "b.csv"], "unexpected argument 'b.csv'; 'forebay plan --help'"),
        (["plan"], "the following arguments are required: problem; 'forebay plan --help'"),
        (["schema", "--workspace-pool-x", "size=3"], "this command takes no target, and so no"),
    ],
)
def test_a_wrong_argument_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    output = capsys.readouterr()
    (line,) = output.err.splitlines()
    assert line.startswith("forebay: error: ")
    assert message in line
    assert output.out == ""


def test_values_are_no_options():
    parser = CommandParser(prog="forebay x")
    parser.add_argument("-o", "--out")
    parser.add_argument("--at", type=float)
    parser.require_known_options(["-odir", "--at", "-1.5", "--out=-", "-", "--", "--other"])
    assert parser.parse_args(["-odir", "--at", "-1.5"]) == argparse.Namespace(out="dir", at=-1.5)


def test_options_are_not_abbreviated(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["plan", "a.csv", "--plan", "auto"])
    assert "there is no option '--plan'" in capsys.readouterr().err


def test_the_nearest_name_is_proposed_only_if_it_is_near():
    assert nearest_of("--plt", ["--plot", "--out"]) == "; did you mean '--plot'?"
    assert nearest_of("--xyz", ["--plot", "--out"]) == ""
