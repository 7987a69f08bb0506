"""Runs a textual pipeline on a module, and collects its diagnostics in one exception."""

from collections.abc import Callable, Sequence

from mlir import ir
from msgspec import Struct

from forebay._libs import _forebay
from forebay.errors import BugError, Error
from forebay.passes._pass import take_raised

RunPasses = Callable[[ir.Module, Sequence[str]], None]
"""A function that runs passes in order; each is the text of a pipeline on modules."""


class Diagnostic(Struct, frozen=True, eq=False):
    """An error of a pass or of the pipeline's parser; `location` is None for the parser's.

    `text` is `location: message` with the notes indented below. `notes` are the locations
    and messages of the notes.
    """

    text: str
    location: ir.Location | None
    message: str
    notes: tuple[tuple[ir.Location, str], ...] = ()

    def __str__(self) -> str:
        return self.text


class PipelineError(Error):
    """A pass refused the program, or the pipeline does not parse.

    The cause is the exception of the pass, if a pass in Python raised one. So `origin` is, for
    example, the `PlanInfeasibleError` with the pool and the buffers that need its bytes.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(diagnostic.text for diagnostic in diagnostics))
        self.diagnostics = tuple(diagnostics)


def run_pipeline(module: ir.Module, pipeline: str, *, verify_each: bool = True) -> None:
    """Transform `module` in place; `pipeline` is what `forebay-opt --pass-pipeline` takes.

    Unlike the bindings' own `PassManager.run`, this releases Python's global interpreter lock, so
    Python passes may run on MLIR's threads.

    Raises `PipelineError` when a pass fails or the pipeline does not parse, and `BugError` for an
    unexpected exception of one of Forebay's passes. An interrupt is raised unchanged.
    """
    succeeded, errors = _forebay.run_pipeline(module.operation, pipeline, verify_each)
    if succeeded:
        return
    raised = take_raised(module.context)
    if raised is not None and raised.is_bug:
        raise BugError(raised.what) from raised.error
    if raised is not None and not isinstance(raised.error, Exception):
        raise raised.error
    found = [
        Diagnostic(text.strip(), location, message, tuple(notes))
        for text, location, message, notes in errors
    ]
    nothing = f"{pipeline} failed without a diagnostic"
    cause = None if raised is None else raised.error
    raise PipelineError(found or [Diagnostic(nothing, None, nothing)]) from cause


def run_together(module: ir.Module, passes: Sequence[str]) -> None:
    """Run passes as one pipeline."""
    if passes:
        run_pipeline(module, f"builtin.module({','.join(passes)})")
