"""The Python packages that Forebay's own metadata require, and their installed versions."""

from __future__ import annotations

from importlib import metadata

from packaging.requirements import Requirement

from forebay.formats.environment_report import InstalledPackage

_OF_DEVELOPERS = {"dev", "test", "train"}
"""Extras that no command needs."""


def installed_packages() -> tuple[InstalledPackage, ...]:
    """Return the required packages, then those of the extras, in the order of the metadata."""
    requirements = [Requirement(text) for text in metadata.requires("forebay") or ()]
    extras = metadata.metadata("forebay").get_all("Provides-Extra") or []
    found = [_package(it, None) for it in requirements if _is_needed(it, "")]
    for extra in extras:
        if extra not in _OF_DEVELOPERS:
            of_extra = [
                it for it in requirements if not _is_needed(it, "") and _is_needed(it, extra)
            ]
            found += [_package(it, extra) for it in of_extra]
    return tuple(found)


def _is_needed(requirement: Requirement, extra: str) -> bool:
    marker = requirement.marker
    return marker is None or marker.evaluate({"extra": extra})


def _package(requirement: Requirement, extra: str | None) -> InstalledPackage:
    try:
        version = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        version = None
    return InstalledPackage(
        name=requirement.name,
        required=str(requirement.specifier),
        extra=extra,
        version=version,
        fits=version is not None and requirement.specifier.contains(version, prereleases=True),
    )
