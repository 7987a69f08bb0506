"""The `forebay` command: parses arguments, calls the API, prints errors, sets the exit code."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forebay.cli import (
    mcu as cli_mcu,
)
from forebay.cli import (
    plan as cli_plan,
)
from forebay.cli import (
    run as cli_run,
)
from forebay.cli import (
    schema as cli_schema,
)
from forebay.cli import (
    target as cli_target,
)
from forebay.cli import (
    update_constants as cli_update,
)
from forebay.cli.options import add_options, options_of
from forebay.cli.progress import ShowStage, shown_progress
from forebay.process.outcome import reported

if TYPE_CHECKING:
    from forebay.driver.compiled import Compiled


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    with reported("forebay", is_debugged="--debug" in arguments) as outcome:
        parser = _parser()
        given, details = cli_target.take_pool_details(arguments)
        parsed = parser.parse_args(given)
        if details and not hasattr(parsed, "target_workspace_pools"):
            parser.error("this command takes no target, and so no pools in words")
        parsed.pool_details = details
        outcome.code = parsed.run(parsed)
    return outcome.code


class _Command(argparse.ArgumentParser):
    """A parser without abbreviated options, so that new options change no command line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)
        self.add_argument("--debug", action="store_true", help="show where errors arise in code")


class _Version(argparse.Action):
    """Prints the version, and looks it up only then."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import forebay  # noqa: PLC0415

        print(f"forebay {forebay.__version__}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="forebay", description="Every buffer of a neural network in a named memory pool."
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Command)

    compile_ = commands.add_parser("compile", help="compile a model to a C project")
    _add_model(compile_)
    compile_.add_argument("-o", "--output", type=Path, metavar="DIR", help="default: ./<model>")
    compile_.add_argument(
        "--golden",
        type=Path,
        metavar="FILE.npz",
        help="inputs and outputs of the self-test (in0_0, out0_0, ...); default: drawn inputs, and "
        "what an interpreter of the model computes, which the program has to agree with",
    )
    compile_.add_argument(
        "--golden-from",
        choices=("model", "program"),
        default="model",
        help="who computes the self-test's outputs for drawn inputs; the program's own are for "
        "devices and passes that compute something else than the model on purpose",
    )
    compile_.add_argument(
        "--weights-blob",
        action="store_true",
        help="keep constants out of the image: a file per pool, which the application puts there",
    )
    compile_.add_argument(
        "--internal-pools",
        action="store_true",
        help="memory inside of the C, whose functions take inputs and outputs alone",
    )
    cli_target.add_report_arguments(compile_)
    compile_.set_defaults(run=_compile)

    run = commands.add_parser("run", help="compile a model and run it here")
    _add_model(run)
    cli_run.add_arguments(run)
    run.set_defaults(run=_run)

    mcu = commands.add_parser("mcu", help="build a model for a microcontroller and run it emulated")
    _add_model(mcu)
    cli_mcu.add_arguments(mcu)
    mcu.set_defaults(run=_mcu)

    pipeline = commands.add_parser("pipeline", help="print the pass pipeline for forebay-opt")
    add_options(pipeline, has_model=False)
    pipeline.set_defaults(run=_pipeline)

    target = commands.add_parser("target", help="print a target as MLIR")
    target.add_argument("target", nargs="?", metavar="NAME|FILE|DEVICES", help="default: host")
    cli_target.add_pool_arguments(target)
    target.set_defaults(run=cli_target.run)

    update = commands.add_parser(
        "update-constants", help="write new values into the weights of a written project"
    )
    cli_update.add_arguments(update)

    schema = commands.add_parser("schema", help="print the JSON Schema of a document")
    cli_schema.add_arguments(schema)

    plan = commands.add_parser("plan", help="plan the memory of a problem file")
    cli_plan.add_arguments(plan)
    plan.set_defaults(run=cli_plan.run)
    return parser


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL", help="a .tflite or .mlir file")
    add_options(parser, has_model=True)


def _compiled(arguments: argparse.Namespace, show_stage: ShowStage) -> Compiled:
    from forebay import targets  # noqa: PLC0415  (MLIR is loaded only by the commands that need it)
    from forebay.driver.compiler import compile_with  # noqa: PLC0415

    with targets.once():
        return compile_with(arguments.model, options_of(arguments, show_stage))


def _compile(arguments: argparse.Namespace) -> int:
    from forebay.codegen.project.project import require_project_directory  # noqa: PLC0415
    from forebay.driver.summary import summary  # noqa: PLC0415
    from forebay.network.arrays import read_golden  # noqa: PLC0415
    from forebay.reports.table import show  # noqa: PLC0415

    directory = arguments.output or Path(arguments.model.stem)
    require_project_directory(directory, arguments.model.stem)
    cli_target.check_report_files(arguments)
    with shown_progress() as show_stage:
        compiled = _compiled(arguments, show_stage)
        golden = None
        if arguments.golden is not None:
            golden = read_golden(arguments.golden, compiled.inputs, compiled.outputs)
        show_stage("write")
        compiled.write(
            directory,
            golden=golden,
            golden_from=arguments.golden_from,
            weights_blob=arguments.weights_blob,
            internal_pools=arguments.internal_pools,
        )
    show(summary(compiled))
    if compiled.golden is not None and not compiled.golden.is_independent:
        print(f"self-test: its expected outputs are {compiled.golden.origin}")
    cli_target.write_reports(compiled, arguments)
    print(f"wrote {directory}: {', '.join(_written_to(directory))}")
    return 0


def _written_to(directory: Path) -> list[str]:
    """Return the files and folders that this run wrote, without the user's own."""
    from forebay.codegen.project.build_files.output_manifest import read_manifest  # noqa: PLC0415

    manifest = read_manifest(directory)
    return sorted({name.split("/")[0] for name in manifest.names}) if manifest else []


def _run(arguments: argparse.Namespace) -> int:
    with shown_progress() as show_stage:
        ran = cli_run.run(arguments, _compiled, show_stage)
    cli_run.tell(ran, arguments)
    return 0


def _mcu(arguments: argparse.Namespace) -> int:
    with shown_progress() as show_stage:
        report = cli_mcu.run(arguments, _compiled, show_stage)
    cli_mcu.tell(report, arguments)
    return 0


def _pipeline(arguments: argparse.Namespace) -> int:
    from forebay.pipelines import stages  # noqa: PLC0415

    options = options_of(arguments)
    print(stages.whole(options if options.target else replace(options, target="host")))
    return 0
