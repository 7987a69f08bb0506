"""Print the module after chosen passes."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence

from mlir import ir

from forebay.errors import Error
from forebay.options import Options
from forebay.pipelines import stages
from forebay.pipelines.runner import RunPasses, run_together


class PassNameError(Error):
    """A name that no pass of the pipeline has."""


def printing(options: Options, run_passes: RunPasses = run_together) -> RunPasses:
    """Return a function that runs passes and prints the module on stderr after some of them.

    Raises `PassNameError` for a pass that the pipeline of these options does not have.
    """
    wanted = options.print_after
    if not wanted:
        return run_passes
    known = [name for text in stages.all_passes(options) for name in names_in_pipeline(text)]
    for name in wanted:
        if name not in known:
            from difflib import get_close_matches  # noqa: PLC0415  (only for an error)

            near = get_close_matches(name, known, 1)
            hint = f"; did you mean '{near[0]}'?" if near else "; `forebay pipeline` prints it"
            raise PassNameError(f"print_after: no pass '{name}' in the pipeline{hint}")

    def run(module: ir.Module, passes: Sequence[str]) -> None:
        for text in passes:
            for part in _parts(text, wanted):
                run_passes(module, [part])
                _print(module, part, wanted)

    return run


def names_in_pipeline(text: str) -> list[str]:
    """Return the names of the passes in the text of a pass, or of passes nested in `func.func`."""
    inner = _nested(text)
    return [_name(each) for each in ([text] if inner is None else inner)]


def _parts(text: str, wanted: Collection[str]) -> list[str]:
    """Split passes that are nested in `func.func` if one of them is wanted."""
    inner = _nested(text)
    if inner is None or not any(_name(each) in wanted for each in inner):
        return [text]
    return [f"func.func({each})" for each in inner]


def _nested(text: str) -> list[str] | None:
    prefix = "func.func("
    if not text.startswith(prefix):
        return None
    found, depth, begin = list[str](), 0, len(prefix)
    for at in range(begin, len(text)):
        if text[at] in "{(":
            depth += 1
        elif text[at] in "})":
            depth -= 1
        if depth < 0 or (depth == 0 and text[at] == ","):
            found.append(text[begin:at])
            begin = at + 1
        if depth < 0:
            break
    return found


def _name(text: str) -> str:
    return text.partition("{")[0]


def _print(module: ir.Module, text: str, wanted: Collection[str]) -> None:
    for name in names_in_pipeline(text):
        if name in wanted:
            sys.stderr.write(f"// ----- after {name} -----\n{module}\n")
