"""The version of the installed package, for modules that `forebay` itself imports."""

from importlib.metadata import version


def installed_version() -> str:
    """Return the version of the installed package, which `pyproject.toml` states.

    Raises `importlib.metadata.PackageNotFoundError` where `forebay` is not installed.
    """
    return version("forebay")
