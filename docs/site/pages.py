"""The pages of the site that are made: passes, commands, schemas, public names, a notebook."""

from __future__ import annotations

import argparse
import importlib
import inspect
import io
import json
import pkgutil
from collections.abc import Callable, Iterator

from notebook_page import notebook_page

import forebay.api
from forebay.cli.parser import COMMANDS, parser_of
from forebay.formats.documents import DOCUMENTS
from forebay.formats.schema import schema_of
from forebay.options import Options
from forebay.passes import pass_class, pass_names
from forebay.passes._pass import options_of
from forebay.pipelines import stages
from forebay.pipelines.printing import names_in_pipeline


def passes_page() -> str:
    """Return a section per pass of Forebay: its documentation, its options, where it runs."""
    passes = stages.all_passes(Options(target="host"))
    order = [name for text in passes for name in names_in_pipeline(text)]
    parts = [
        "# Passes\n\n`forebay pipeline` prints the whole pipeline, and `forebay-opt` runs any part "
        "of it. This page is made from the passes that are registered; [design.md](../design.md) "
        "says why they run in this order.\n"
    ]
    for name in pass_names():
        found = pass_class(name)
        places = [str(at) for at, each in enumerate(order, 1) if each == name]
        runs = f"In the pipeline of the host: number {', '.join(places)} of {len(order)}."
        text = inspect.cleandoc(found.__doc__ or "")
        parts.append(f"## {name}\n\n{text}\n\n{runs if places else ''}\n")
        options = options_of(found)
        if options:
            rows = [f"| `{o.name}` | {_cell(o.kind.allowed)} | {_cell(o.help)} |" for o in options]
            parts.append("| option | values | meaning |\n|---|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def commands_page() -> str:
    """Return the help of each command."""
    parts = [
        "# Commands\n\n[command-line.md](../command-line.md) describes what all commands have in "
        "common. This page is the output of `--help`.\n"
    ]
    parser = parser_of(COMMANDS)
    actions = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    for name, command in actions.choices.items():
        text = io.StringIO()
        command.print_help(text)
        parts.append(f"## forebay {name}\n\n```\n{text.getvalue().strip()}\n```\n")
    return "\n".join(parts)


def schemas_page() -> str:
    """Return the JSON Schema of each document."""
    parts = [
        "# JSON schemas\n\n[formats.md](../formats.md) says who writes and reads each document.\n"
    ]
    for kind in DOCUMENTS:
        text = json.dumps(schema_of(kind), indent=2, ensure_ascii=False)
        parts.append(f"## {kind.document}\n\n```json\n{text}\n```\n")
    return "\n".join(parts)


def api_page() -> str:
    """Return a directive for each public class and function, by subject."""
    parts = ["# Functions and classes\n\n[api.md](../api.md) lists these names with an example.\n"]
    modules = pkgutil.iter_modules(forebay.api.__path__, "forebay.api.")
    for module in sorted(each.name for each in modules if each.ispkg):
        found = list(_documented(importlib.import_module(module)))
        if found:
            parts.append(f"## {module}\n")
            parts += [f"::: {path}\n" for path in found]
    return "\n".join(parts)


def _documented(module: object) -> Iterator[str]:
    """Yield the path of each class and function of Forebay where it is defined."""
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        home = getattr(value, "__module__", "")
        defined = inspect.isclass(value) or inspect.isfunction(value)
        is_own = home.startswith("forebay.") and not home.startswith("forebay.dialects")
        if defined and is_own and value.__qualname__ == value.__name__:
            yield f"{home}.{value.__name__}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


PAGES: dict[str, Callable[[], str]] = {
    "tutorials/notebook.md": notebook_page,
    "reference/passes.md": passes_page,
    "reference/commands.md": commands_page,
    "reference/schemas.md": schemas_page,
    "reference/api.md": api_page,
}
