"""`forebay schema`: prints the JSON Schema of a document that Forebay reads or writes."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "document", nargs="?", metavar="NAME", help="a document; default: list all documents"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from forebay.formats.documents import DOCUMENTS, document_named  # noqa: PLC0415
    from forebay.formats.schema import schema_text  # noqa: PLC0415

    if arguments.document is None:
        print("\n".join(kind.document for kind in DOCUMENTS))
    else:
        print(schema_text(document_named(arguments.document)), end="")
    return 0
