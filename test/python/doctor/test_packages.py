from importlib import metadata

import pytest

from forebay.doctor import packages
from forebay.doctor.packages import installed_packages

METADATA = {
    "numpy": "2.0",
    "ortools": "9.1",
}


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch):
    """An installation with two packages."""

    def version(name: str) -> str:
        if name not in METADATA:
            raise metadata.PackageNotFoundError(name)
        return METADATA[name]

    requires = [
        "numpy>=1.26",
        "msgspec<1,>=0.19",
        "tomli; python_version < '3'",
        'ortools>=9.10; extra == "cp-sat"',
        'pytest>=8; extra == "test"',
    ]

    class Fields:
        def get_all(self, _: str) -> list[str]:
            return ["cp-sat", "test"]

    monkeypatch.setattr(packages.metadata, "version", version)
    monkeypatch.setattr(packages.metadata, "requires", lambda _: requires)
    monkeypatch.setattr(packages.metadata, "metadata", lambda _: Fields())


@pytest.mark.usefixtures("installed")
def test_versions_are_compared_with_the_requirements():
    found = {it.name: (it.extra, it.version, it.fits) for it in installed_packages()}
    assert found == {
        "numpy": (None, "2.0", True),
        "msgspec": (None, None, False),
        "ortools": ("cp-sat", "9.1", False),
    }


def test_mlir_is_installed_in_the_pinned_version():
    found = {it.name: it for it in installed_packages()}
    assert found["xtc-mlir-python-bindings"].required == "==22.1.8.4"
    assert found["xtc-mlir-python-bindings"].fits
