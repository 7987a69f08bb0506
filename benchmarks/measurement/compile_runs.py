"""One compilation of a model in fresh processes: its phases, the C build, the whole command."""

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from measurement.process import Finished, run

ONCE = Path(__file__).with_name("compile_once.py")
PHASES = ("start", "import", "passes", "emission")
STREAMED = "fetch_conv:act_mem=262144,wei_mem=65536,stream=1"
SMALLEST = ["--budget", "min", "--io", "pool"]
REFUSED = 2  # exit code of compile_once.py when the compiler refuses the model
STARTS = ("import mlir.ir", "import forebay; forebay.compile", "forebay-opt, empty module")


@dataclass(frozen=True)
class OurRun:
    """CPU seconds of each phase, of `forebay compile -o` and of the C build; peaks in MiB.

    `smallest` are the seconds of the command under `--budget min`, which a device does not take.
    """

    phases: dict[str, float]
    command: float
    smallest: float | None
    build: float
    peak_mib: float
    build_peak_mib: float

    @property
    def compilation(self) -> float:
        """Import, passes and emission."""
        return self.process - self.phases["start"]

    @property
    def process(self) -> float:
        """All phases, with the start."""
        return sum(self.phases.values())


class RefusedError(Exception):
    """The compiler refused the model; the text says why."""


def compiled(python: str, model: Path, target: str) -> OurRun:
    """Compile the model by the Forebay of this Python's environment, and build the C."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        once = run([python, str(ONCE), str(model), str(project), target])
        if once.code == REFUSED:
            raise RefusedError(once.output.strip())
        measured = json.loads(_succeeded(once).output.splitlines()[-1])
        build = _succeeded(run(_build_command(project, Path(folder, "net.so"))))
        whole = _whole(python, ["--target", target], model, f"{folder}/whole")
        on_host = target == "host"
        smallest = _whole(python, SMALLEST, model, f"{folder}/smallest") if on_host else None
    return OurRun(
        measured["phases"],
        whole,
        smallest,
        build.cpu_seconds,
        measured["peak_mib"],
        build.peak_mib,
    )


def _whole(python: str, options: list[str], model: Path, folder: str) -> float:
    """Return the CPU seconds of `forebay compile -o` with these options."""
    command = [*_command(python, "main"), "compile", str(model), *options, "-o", folder]
    return _succeeded(run(command)).cpu_seconds


def start_up(python: str) -> dict[str, float]:
    """Return the CPU seconds of each start in `STARTS`."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as empty:
        empty.write("module {}\n")
        empty.flush()
        driver = [*_command(python, "opt"), empty.name]
        commands = [*([python, "-c", code] for code in STARTS[:-1]), driver]
        runs = [_succeeded(run(command)) for command in commands]
    return {name: done.cpu_seconds for name, done in zip(STARTS, runs, strict=True)}


def _command(python: str, module: str) -> list[str]:
    """Return the call of an entry point, which does not depend on an installed script."""
    code = f"import sys; from forebay.cli.{module} import main; sys.exit(main())"
    return [python, "-c", code]


def _build_command(project: Path, library: Path) -> list[str]:
    """Return gcc's command, with constants from binary files where the project has them."""
    command = ["gcc", "-std=c99", "-O2", "-fPIC", "-shared", "-o", str(library)]
    for source in sorted(project.glob("*_weights_incbin.S")):
        prefix = source.name.removesuffix("_weights_incbin.S")
        images = [*project.glob(f"{prefix}_*.bin")]
        command += [f'-D{image.stem.upper()}_IMAGE="{image}"' for image in images]
        command.append(str(source))
    return [*command, *sorted(str(path) for path in project.glob("*.c"))]


def _succeeded(done: Finished) -> Finished:
    if done.code:
        raise SystemExit(f"a measured command failed:\n{done.output}")
    return done
