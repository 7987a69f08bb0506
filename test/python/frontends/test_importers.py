from pathlib import Path

import pytest

from forebay.errors import Error
from forebay.frontends.importers import FORMATS, importer_of


@pytest.mark.parametrize("ending", [f.ending for f in FORMATS])
def test_each_ending_has_an_importer(ending: str) -> None:
    assert importer_of(Path("net" + ending)).__name__ == "import_request"


def test_an_unknown_ending_names_the_known_ones_and_their_extras() -> None:
    with pytest.raises(Error) as refused:
        importer_of(Path("net.pb"))
    for format_ in FORMATS:
        assert format_.ending in str(refused.value)
        assert format_.extra in str(refused.value)
