"""The version of Forebay, which the build of the package reads from this file."""

VERSION = "0.1.0"
