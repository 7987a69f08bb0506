"""Forebay: a compiler that puts every buffer of a neural network into a named memory pool.

`compile` compiles a model to a plan and a program. `update_constants` writes new values for the
weights of a written project, and `share_projects` puts several projects into one image.
`forebay.api` has what targets, passes and planners of users' own import. `import forebay` loads
none of them; each is loaded at its first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from forebay.errors import Error

if TYPE_CHECKING:
    from forebay.codegen.project.update_constants import update_constants
    from forebay.driver.compiled import Compiled
    from forebay.driver.compiler import compile, compile_with
    from forebay.driver.summary import summary
    from forebay.driver.ways_in import from_jax, from_torch
    from forebay.options import Options
    from forebay.shared_image.share import share_projects

    __version__: str

__all__ = [
    "Compiled",
    "Error",
    "Options",
    "__version__",
    "compile",
    "compile_with",
    "from_jax",
    "from_torch",
    "share_projects",
    "summary",
    "update_constants",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from forebay.version import VERSION  # noqa: PLC0415  (like all names of this module)

        return VERSION
    homes = {
        "Compiled": "forebay.driver.compiled",
        "Options": "forebay.options",
        "compile": "forebay.driver.compiler",
        "compile_with": "forebay.driver.compiler",
        "share_projects": "forebay.shared_image.share",
        "from_jax": "forebay.driver.ways_in",
        "from_torch": "forebay.driver.ways_in",
        "summary": "forebay.driver.summary",
        "update_constants": "forebay.codegen.project.update_constants",
    }
    if name in homes:
        return getattr(import_module(homes[name]), name)
    raise AttributeError(f"module 'forebay' has no attribute '{name}'")
