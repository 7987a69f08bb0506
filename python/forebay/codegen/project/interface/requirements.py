"""What generated C requires of a compiler, checked by the preprocessor."""

from forebay.codegen.project.interface.runtime import NAME

REQUIREMENTS = f'#include "{NAME}"'
