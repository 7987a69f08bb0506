import json

import pytest

from forebay.cli.main import main


def test_documents_are_listed_and_their_schemas_printed(capsys: pytest.CaptureFixture[str]):
    assert main(["schema"]) == 0
    names = capsys.readouterr().out.split()
    assert "plan" in names
    for name in names:
        assert main(["schema", name]) == 0
        assert json.loads(capsys.readouterr().out)["$id"] == f"{name}.json"


def test_an_unknown_document_is_an_error(capsys: pytest.CaptureFixture[str]):
    assert main(["schema", "plam"]) == 1
    assert "there is no document 'plam'" in capsys.readouterr().err
