"""Forebay: every buffer of a neural network in a named memory pool.

`compile` takes a model to a plan and a program; `update_constants` gives the weights of a written
project new values; `forebay.planning` plans memory without MLIR, and
`forebay.dialects` brings the dialects to the upstream bindings. Importing `forebay` loads none of
them before it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from forebay.errors import Error

if TYPE_CHECKING:
    from forebay.codegen.project.pools.update_constants import update_constants
    from forebay.driver.compiled import Compiled
    from forebay.driver.compiler import compile

    __version__: str

__all__ = ["Compiled", "Error", "__version__", "compile", "update_constants"]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415  (slow, and seldom asked for)

        return version("forebay")
    homes = {
        "Compiled": "forebay.driver.compiled",
        "compile": "forebay.driver.compiler",
        "update_constants": "forebay.codegen.project.pools.update_constants",
    }
    if name in homes:
        return getattr(import_module(homes[name]), name)
    raise AttributeError(f"module 'forebay' has no attribute '{name}'")
