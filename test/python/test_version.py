"""The version of the installed package and that of the sources are one."""

from importlib.metadata import version

import forebay
from forebay.version import VERSION


def test_the_version_is_that_of_the_package() -> None:
    assert VERSION == version("forebay") == forebay.__version__
