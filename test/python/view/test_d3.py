from __future__ import annotations

import pytest

from forebay.view.d3 import D3_FILES, D3_VERSION, PackageError, with_known_hash
from forebay.view.page import ASSETS


@pytest.mark.parametrize("name", D3_FILES)
def test_the_copy_is_that_of_the_package(name: str) -> None:
    content = (ASSETS / name).read_bytes()
    assert with_known_hash(name, content) == content
    with pytest.raises(PackageError, match=f"{name} of d3 {D3_VERSION} has SHA-256"):
        with_known_hash(name, content + b"\n")


def test_the_licence_is_shipped() -> None:
    assert "Permission to use, copy" in (ASSETS / "d3.LICENSE.txt").read_text()
    assert f"v{D3_VERSION}" in (ASSETS / "d3.min.js").read_text()[:60]
