from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from forebay.errors import Error
from forebay.formats.documents import DOCUMENTS, document_named
from forebay.formats.record import Document
from forebay.formats.schema import schema_of, schema_text

PUBLISHED = Path(__file__).parents[3] / "docs" / "schemas"
EACH = pytest.mark.parametrize("kind", DOCUMENTS, ids=[kind.document for kind in DOCUMENTS])


def fields_in(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """All fields of the document and of its parts, except the tags of alternatives."""
    for definition in (schema, *schema.get("$defs", {}).values()):
        assert definition["description"]
        for name, field in definition["properties"].items():
            if list(field) != ["enum"]:
                yield name, field


@EACH
def test_a_schema_is_one_and_explains_every_field(kind: type[Document]):
    schema = schema_of(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert [name for name, field in fields_in(schema) if not field.get("description")] == []


@EACH
def test_the_published_schema_is_that_of_the_type(kind: type[Document]):
    published = PUBLISHED / f"{kind.document}.json"
    assert published.read_text("utf-8") == schema_text(kind), (
        f"forebay schema {kind.document} > docs/schemas/{kind.document}.json"
    )


def test_only_known_documents_have_a_published_schema():
    assert {path.stem for path in PUBLISHED.iterdir()} == {kind.document for kind in DOCUMENTS}


def test_an_unknown_document_is_refused():
    with pytest.raises(Error, match="there is no document 'plam'; documents: planning-problem, "):
        document_named("plam")
