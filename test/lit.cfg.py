"""lit: the tests of IR, on `forebay-opt` and the FileCheck of the LLVM wheel."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import lit.formats

llvm_spec = find_spec("llvm")
if llvm_spec is None or not llvm_spec.submodule_search_locations:
    raise RuntimeError("the tests need FileCheck: pip install '.[test]'")
llvm_tools = Path(next(iter(llvm_spec.submodule_search_locations))) / "bin"

config.name = "forebay"  # noqa: F821
config.test_format = lit.formats.ShTest(execute_external=False)  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.excludes = ["python", "inputs"]  # noqa: F821
config.test_source_root = str(Path(__file__).parent)  # noqa: F821
config.test_exec_root = str(Path(__file__).parent / "_build")  # noqa: F821
config.environment["PATH"] = os.pathsep.join(  # noqa: F821
    [str(Path(sys.executable).parent), str(llvm_tools), os.environ["PATH"]]
)
config.environment["PYTHONUTF8"] = "1"  # noqa: F821
