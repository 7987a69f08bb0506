"""Runs a textual pipeline on a module, and collects its diagnostics in one exception."""

from collections.abc import Callable, Sequence

from mlir import ir

from forebay._libs import _forebay
from forebay.errors import Error
from forebay.passes._pass import take_raised
from forebay.support.user_code import location_of

RunPasses = Callable[[ir.Module, Sequence[str]], None]
"""A function that runs passes in order; each is the text of a pipeline on modules."""


class PipelineError(Error):
    """A pass refused the program, or the pipeline does not parse.

    `diagnostics` holds one text per error, `location: error: message`, notes indented below.
    """

    def __init__(self, diagnostics: tuple[str, ...]) -> None:
        super().__init__("\n".join(diagnostics))
        self.diagnostics = diagnostics


def run(module: ir.Module, pipeline: str, *, verify_each: bool = True) -> None:
    """Transform `module` in place; `pipeline` is what `forebay-opt --pass-pipeline` takes.

    Unlike the bindings' own `PassManager.run`, this releases Python's global interpreter lock, so
    Python passes may run on MLIR's threads.

    Raises `PipelineError` when a pass fails or the pipeline does not parse. An unexpected exception
    of one of Forebay's passes, or an interrupt, is raised unchanged.
    """
    succeeded, errors = _forebay.run_pipeline(module.operation, pipeline, verify_each)
    if not succeeded:
        texts = tuple(error.strip() for error in errors)
        raised = take_raised(module.context)
        if raised is not None and (
            not isinstance(raised, Exception) or location_of(raised) is None
        ):
            raise raised
        raise PipelineError(texts or (f"{pipeline} failed without a diagnostic",)) from raised


def run_together(module: ir.Module, passes: Sequence[str]) -> None:
    """Run passes as one pipeline."""
    if passes:
        run(module, f"builtin.module({','.join(passes)})")
