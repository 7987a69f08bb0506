from pathlib import Path

import pytest

from forebay.errors import Error
from forebay.frontends.importers import FORMATS, importer_of


@pytest.mark.parametrize("ending", [f.ending for f in FORMATS])
def test_each_ending_has_an_importer(ending: str) -> None:
    assert importer_of(Path("net" + ending)).__name__ == "import_request"


def test_a_package_that_is_not_installed_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("forebay.support.extras.find_spec", lambda _: None)
    with pytest.raises(Error, match=r"net\.onnx .* pip install 'forebay\[onnx\]'"):
        importer_of(Path("net.onnx"))
    assert importer_of(Path("net.tflite")).__name__ == "import_request"


def test_an_unknown_ending_names_the_known_ones_and_their_extras() -> None:
    with pytest.raises(Error) as refused:
        importer_of(Path("net.pb"))
    for format_ in FORMATS:
        assert format_.ending in str(refused.value)
        assert format_.extra in str(refused.value)
