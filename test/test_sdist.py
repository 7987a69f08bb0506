"""What the sdist holds: everything that a build needs, and no goldens."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_the_sdist_has_the_sources_of_a_build_and_no_tests(tmp_path: Path) -> None:
    pytest.importorskip("scikit_build_core", reason="the build's package is not installed here")
    if not (ROOT / ".git").exists():
        pytest.skip("the sdist leaves out what git ignores; this is no checkout")
    code = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, check=True, env=os.environ)
    (archive,) = tmp_path.glob("forebay-*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    for needed in (
        "CMakeLists.txt",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        "dialects/accel/AccelOps.td",
        "passes/plan/memref_pool_plan.py",
        "python/forebay/planning/core/core.cpp",
        "python/forebay/codegen/project/interface/runtime/forebay_runtime.h",
        "python/forebay/mcu/image/runtime/start.c",
    ):
        assert needed in names
    folders = {name.partition("/")[0] for name in names}
    assert folders.isdisjoint({"test", "examples", "benchmarks", "docs", ".ci"})
    assert not [name for name in names if name.endswith((".npz", ".so"))]
