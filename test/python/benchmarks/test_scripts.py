"""Every script loads: what it imports is there. Nothing is measured."""

import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).parents[3] / "benchmarks"
LOAD = """
import runpy, sys
from pathlib import Path
for script in sys.argv[1:]:
    sys.path.insert(0, str(Path(script).parent))
    try:
        runpy.run_path(script, run_name="loaded")
    except Exception as error:
        print(f"{script}: {type(error).__name__}: {error}")
"""


def test_every_script_loads() -> None:
    folders = ("*.py", "devices/*.py", "measurement/*.py")
    scripts = sorted(str(script) for pattern in folders for script in SCRIPTS.glob(pattern))
    assert len(scripts) > 10
    command = [sys.executable, "-c", LOAD, *scripts]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
