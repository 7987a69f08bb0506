"""The requirements of generated C on a compiler, checked by the preprocessor."""

from forebay.codegen.project.interface.runtime import RUNTIME_HEADER

REQUIREMENTS = f'#include "{RUNTIME_HEADER}"'
