"""Run a textual pipeline on a module, with its diagnostics as one exception."""

from mlir import ir

from forebay._libs import _forebay


class PipelineError(Exception):
    """A pass refused the program, or the pipeline does not parse.

    `diagnostics` holds one text per error, `location: message`, notes indented below.
    """

    def __init__(self, diagnostics: tuple[str, ...]) -> None:
        super().__init__("\n".join(diagnostics))
        self.diagnostics = diagnostics


def run(module: ir.Module, pipeline: str, *, verify_each: bool = True) -> None:
    """Transform `module` in place; `pipeline` is what `forebay-opt --pass-pipeline` takes.

    Unlike the bindings' own `PassManager.run`, this releases Python's interpreter lock, so Python
    passes may run on MLIR's threads.

    Raises `PipelineError` when a pass fails or the pipeline does not parse.
    """
    errors: list[str] = []

    def collect(diagnostic: ir.Diagnostic) -> bool:
        if diagnostic.severity != ir.DiagnosticSeverity.ERROR:
            return False
        errors.append(_text(diagnostic))
        return True

    handler = module.context.attach_diagnostic_handler(collect)
    try:
        succeeded = _forebay.run_pipeline(module.operation, pipeline, verify_each)
    except ValueError as error:
        raise PipelineError((f"{pipeline}: {str(error).strip()}",)) from error
    finally:
        handler.detach()
    if not succeeded:
        raise PipelineError(tuple(errors) or (f"{pipeline} failed without a diagnostic",))


def _text(diagnostic: ir.Diagnostic) -> str:
    lines = [f"{_where(diagnostic.location)}: error: {diagnostic.message}"]
    lines += [f"  {_where(note.location)}: note: {note.message}" for note in diagnostic.notes]
    return "\n".join(lines)


def _where(location: ir.Location) -> str:
    """A location as `loc(...)` prints it, without the `loc`."""
    return str(location).removeprefix("loc(").removesuffix(")")
