"""The version is the installed package's, by both of its names."""

from importlib.metadata import version

import forebay
from forebay.version import installed_version


def test_the_version_is_that_of_the_package() -> None:
    assert installed_version() == version("forebay") == forebay.__version__
