"""Modules that the API loads, and when: start-up time is mostly imports."""

import subprocess
import sys
from pathlib import Path

LOADED = "import sys; print(*sorted(sys.modules))"


def _loaded_after(code: str) -> set[str]:
    command = [sys.executable, "-c", f"{code}\n{LOADED}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_access_to_compile_loads_neither_mlir_nor_passes():
    loaded = _loaded_after("import forebay; forebay.compile; forebay.driver.compiler")
    assert not {name for name in loaded if name.startswith(("mlir.", "numpy.", "forebay.passes."))}


def test_compiled_network_loads_no_engine():
    engines = {"forebay.engines.c", "forebay.engines.llvm", "forebay.emulator.engine"}
    assert not _loaded_after("import forebay.driver.compilation") & engines


def test_neither_documents_nor_tables_are_loaded_before_they_are_needed():
    loaded = _loaded_after(
        "import forebay.driver.compilation, forebay.cli.parser, forebay.cli.opt_driver"
    )
    assert not {name for name in loaded if name.startswith(("forebay.formats.", "rich"))}


def test_a_compilation_loads_no_slow_module_that_it_does_not_use(digits: Path, tmp_path: Path):
    slow = {"mlir.dialects.linalg", "importlib.metadata", "yaml", "socket", "email.message"}
    written = f"forebay.compile({str(digits)!r}).write({str(tmp_path)!r})"
    loaded = _loaded_after(f"import forebay; {written}")
    assert not loaded & slow
