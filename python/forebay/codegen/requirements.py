"""What generated C asks of a compiler, checked by the preprocessor."""

from .runtime import NAME

REQUIREMENTS = f'#include "{NAME}"'
