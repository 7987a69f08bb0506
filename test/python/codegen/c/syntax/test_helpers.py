"""The names of math.h: generated code includes the header, and no function has such a name."""

import subprocess
from pathlib import Path

from common.toolchain import require

from forebay.codegen.c.syntax.helpers import MATH_FUNCTIONS

MACROS = {"isunordered", "islessgreater", "signbit"}


def test_the_names_are_functions_of_math_h(tmp_path: Path) -> None:
    names = sorted(MATH_FUNCTIONS - MACROS)
    uses = "".join(f"    (void)&{name};\n" for name in names)
    source = tmp_path / "uses.c"
    source.write_text(f"#include <math.h>\nvoid uses(void)\n{{\n{uses}}}\n")
    flags = ["-std=c99", "-Wall", "-Werror", "-fsyntax-only"]
    subprocess.run([require("cc"), *flags, str(source)], check=True)


def test_functions_of_which_an_op_may_be_printed_are_known() -> None:
    assert {"atan2f", "cbrt", "cbrtf", "hypotf", "tgammaf"} <= MATH_FUNCTIONS
